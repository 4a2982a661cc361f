"""What some settings may be, in Markdown and in Python alike."""

from __future__ import annotations

import re

from maverick_tui.agent.engine.engines import ENGINES as ENGINES
from maverick_tui.exceptions import did_you_mean

PERMISSION_MODES = ("default", "acceptEdits", "plan", "dontAsk")
"""Those of the settings, which take long to import; a test compares them."""
EFFORTS = ("low", "medium", "high", "xhigh", "max")
MODEL_ALIASES = ("sonnet", "opus", "haiku", "inherit")

_MODEL = re.compile(r"[A-Za-z0-9][\w.:/@\[\]-]{0,255}")


def wrong_model(model: str) -> str:
    """What to write instead of this model, empty if it may be one."""
    if model not in MODEL_ALIASES and (close := did_you_mean(model, MODEL_ALIASES)):
        return f"{close} A full model id will do, too."
    return "" if _MODEL.fullmatch(model) else "Write an alias or a full model id."
