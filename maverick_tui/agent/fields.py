"""What an agent may say of itself."""

from __future__ import annotations

import re
import unicodedata

from maverick_tui.exceptions import did_you_mean

ENGINES = ("claude-code", "api")
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


MAX_PROMPT = 120 * 1024
"""Longest system prompt, in bytes: it travels on a command line."""

MAX_LINE = 50 * 1024 * 1024
"""Longest message of the CLI, in bytes; the SDK's own limit of 1 MB ends the session on one large file."""


PLAIN_NAME = re.compile(r"\w[\w.-]{0,63}")
"""What an agent in a Python file may be called: it is typed on command lines, also copied from our hints."""

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")

# After it was folded: a Cyrillic or Greek letter, or a digit, that is drawn like a Latin letter.
_TWINS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u0475\u0461\u0433\u043a\u043c\u0442\u043d"
    "\u03bf\u03bd\u03b9\u03b1\u03c1\u03c4\u03c5\u03c7\u03ba\u03c9\u0251\u0261\u0131i10_.",
    "aeopcyxljsdhqwvwrkmthovlaptuxkwaglllo--",
)


def look(name: str) -> str:
    """What names that are easily taken for one another have in common: case, accents and twin letters do not count."""
    folded = "".join(part for part in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(part))
    return folded.translate(_TWINS).replace("rn", "m").replace("vv", "w")


def agent_name(class_name: str) -> str:
    """The class name in kebab-case, without an ending `Agent`: `CodeReviewAgent` is `code-review`."""
    stem = class_name.removesuffix("Agent").strip("_") or class_name
    return "-".join(word for word in _WORD_STARTS.split(stem) if word).lower() or class_name.lower()
