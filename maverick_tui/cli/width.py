"""Text by the columns that it takes, cut or wrapped to what a terminal has; it must be inert already."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, split_graphemes

from maverick_tui.inert import cut_at

_FENCES = ("```", "~~~")
_CODE = ("    ", "\t")
_START = re.compile(r" *(?:(?:[-*+]|\d+[.)]) +)?")


def terminal_width() -> int:
    """The columns that there are; as many as it takes if nobody looks at a terminal."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return max(shutil.get_terminal_size().columns, 40)
    return 10_000


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    return text[: _fitting(text, width - 1)].rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text with spaces up to that width."""
    return text + " " * (width - cell_len(text))


def _fitting(text: str, width: int) -> int:
    """How many characters fit."""
    used, looked_at = 0, text[: 2 * max(width, 0) + 8]  # more cannot fit, but for what is drawn on top of others
    for start, _, cells in split_graphemes(looked_at)[0]:
        used += cells
        if used > width:
            return cut_at(text, start)
    return cut_at(text, len(looked_at))


def wrap(words: str | Iterable[str], first: str = "", rest: str = "") -> list[str]:
    """The words on lines that start with `first` and then with `rest`; a word that is longer than a line is broken."""
    width = terminal_width()
    lines, line, gap = [], first, ""
    for word in words.split() if isinstance(words, str) else words:
        if gap and cell_len(line + gap + word) > width:
            lines.append(line)
            line, gap = rest, ""
        while cell_len(line + gap + word) > width:
            size = max(_fitting(word, width - cell_len(line)), 1)
            lines.append(line + word[:size])
            line, word = rest, word[size:]  # noqa: PLW2901 - what is left of it
        line, gap = line + gap + word, " "
    return [*lines, line.rstrip()]


def wrap_document(text: str, indent: str) -> Iterator[str]:
    """Markdown with its paragraphs wrapped, list items below their beginning; code and tables stay as they are."""
    is_fenced = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(_FENCES)
        if is_fence or is_fenced or line.startswith(_CODE) or line.lstrip().startswith("|"):
            yield f"{indent}{line}".rstrip()
        else:
            start = _START.match(line)
            marker = start[0] if start else ""
            yield from wrap(line[len(marker) :], f"{indent}{marker}", indent + " " * len(marker))
        is_fenced ^= is_fence
