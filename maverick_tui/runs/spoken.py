"""The last line of what an agent has said, without the marks that only mean something where text is laid out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maverick_tui.inert import one_line

LONGEST = 300
_BEGINS_A_LINE = re.compile(r"^[\s#>*+\-|]+(?=\S)")
_IN_A_LINE = re.compile(r"\*\*|`|__")
_WORD = re.compile(r"\w")


def last_spoken(parts: Sequence[str]) -> str:
    """The last line of these pieces of a text that says something; the last of them only are looked at."""
    tail = ""
    for part in reversed(parts):
        tail = part[-4 * LONGEST :] + tail
        *whole, line = tail.split("\n")
        if whole and _WORD.search(line):
            return spoken(line)
        if len(tail) >= 4 * LONGEST:
            break
    return next((spoken(line) for line in reversed(tail.split("\n")) if _WORD.search(line)), "")


def spoken(line: str) -> str:
    """A line of Markdown as one would say it; inert."""
    return one_line(_IN_A_LINE.sub("", _BEGINS_A_LINE.sub("", line[:LONGEST]))).strip()
