"""What an agent class is called when it does not say so itself, and which names look the same."""

from __future__ import annotations

import re
import unicodedata

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
