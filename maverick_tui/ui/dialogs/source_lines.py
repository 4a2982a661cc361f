"""Foreign files as lines to be read before they are trusted: numbered, inert, and with nothing invisible in them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from maverick_tui.inert import inert
from maverick_tui.ui.lines.wrapping import TAB, Line, wrap

_INVISIBLE = ("Cf", "Zl", "Zp", "Cn", "Co")
_SELECTORS = range(0xE0100, 0xE01F0)
"""Variation selectors that can carry a hidden text."""


def source_lines(content: bytes, width: int) -> Iterator[Line]:
    """The file's lines with their numbers; what does not fit goes on below."""
    text = content.decode(errors="replace").replace("\r\n", "\n").removesuffix("\n")
    lines = text.split("\n")
    numbers = len(str(len(lines)))
    for number, line in enumerate(lines, start=1):
        for index, part in enumerate(wrap(visible(line).expandtabs(TAB), max(width - numbers - 2, 8))):
            yield (f"{'' if index else number:>{numbers}}  ", "faint"), (part, "text")


def visible(text: str) -> str:
    """Inert text in which characters that take no room are written out by their number."""
    text = inert(text)
    return text if text.isascii() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    is_hidden = unicodedata.category(character) in _INVISIBLE or ord(character) in _SELECTORS
    return f"<U+{ord(character):04X}>" if is_hidden else character
