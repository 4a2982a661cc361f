"""What an agent class is called when it does not say so itself."""

from __future__ import annotations

import re

PLAIN_NAME = re.compile(r"\w[\w.-]{0,63}")
"""What an agent in a Python file may be called: it is typed on command lines, also copied from our hints."""

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def agent_name(class_name: str) -> str:
    """The class name in kebab-case, without an ending `Agent`: `CodeReviewAgent` is `code-review`."""
    stem = class_name.removesuffix("Agent").strip("_") or class_name
    return "-".join(word for word in _WORD_STARTS.split(stem) if word).lower() or class_name.lower()
