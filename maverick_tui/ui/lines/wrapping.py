"""Lines of text with roles, wrapped by the columns that they take; the text must be inert already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from maverick_tui.ui.rendering.wrap import TAB, wrap_words

Span: TypeAlias = tuple[str, str]
"""A piece of text and its role, which the stylesheet gives a look."""

Line: TypeAlias = tuple[Span, ...]

_START = re.compile(r" *(?:(?:[-*+]|\d{1,3}[.)]) +)?")
_FENCES = ("```", "~~~")
_NEVER_JOINED = "#|>"
_BROKEN_AT = 72
"""Lines that are shorter than this have been ended on purpose."""


def wrap_document(text: str, width: int) -> Iterator[tuple[str, str]]:
    """Indent and text of each line of a document; what is wrapped hangs below where its line begins."""
    for line in _paragraphs(text.expandtabs(TAB).split("\n")):
        start = _start(line)
        start = start if len(start) < width // 2 else ""
        for index, part in enumerate(wrap_words(line[len(start) :], width - len(start))):
            yield (" " * len(start) if index else start), part


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The lines; paragraphs that were broken because they were too long are whole again."""
    paragraph: str | None = None
    last, is_fenced = 0, False
    for line in lines:
        is_fence = line.lstrip().startswith(_FENCES)
        if paragraph is not None and not (is_fence or is_fenced) and _continues(line, paragraph, last):
            paragraph = f"{paragraph} {line.strip()}"
        else:
            if paragraph is not None:
                yield paragraph
            paragraph = line
        last = len(line)
        is_fenced ^= is_fence
    if paragraph is not None:
        yield paragraph


def _continues(line: str, paragraph: str, last: int) -> bool:
    """Whether the line continues the one before, of length `last`, which was broken for want of room."""
    words = line.split(maxsplit=1)
    if not words or not paragraph.strip() or last + 1 + len(words[0]) <= _BROKEN_AT:
        return False
    indent, text = _start(line), line.lstrip()
    return indent.isspace() == bool(indent) and len(indent) == len(_start(paragraph)) and text[0] not in _NEVER_JOINED


def _start(line: str) -> str:
    """The indent, and what marks an item of a list."""
    found = _START.match(line)
    return found[0] if found else ""


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    return "" if width < 1 else set_cell_size(text, width - 1).rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text cut or filled to exactly this width."""
    return set_cell_size(cut(text, width), max(width, 0))
