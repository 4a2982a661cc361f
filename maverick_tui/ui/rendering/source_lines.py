"""The lines of a file that somebody is to trust, all of them and as they count for whoever runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from maverick_tui.inert import spelled
from maverick_tui.ui.rendering.wrap import TAB, wrap_words

if TYPE_CHECKING:
    from maverick_tui.ui.lines import Line

MOST_BLANK = 2
"""Blank lines that code has between its parts."""
_ENDS = re.compile("(?<=[\x85\u2028\u2029])")
"""Where a line ends for YAML alone."""


def source_lines(content: bytes, width: int) -> Iterator[Line]:
    """The file's lines with their numbers; what does not fit goes on below, long runs of blanks are only counted."""
    for is_blank, group in groupby(_numbered(content, width), lambda line: not line[1][0].strip()):
        run = list(group)
        if is_blank and len(run) > MOST_BLANK:
            word = "lines" if all(line[0][0].strip() for line in run) else "rows"
            yield run[0][0], (f"⋯ {len(run):,} blank {word}", "warning")
        else:
            yield from run


def _numbered(content: bytes, width: int) -> Iterator[Line]:
    # A carriage return ends a line for Python and YAML.
    text = content.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    lines = text.split("\n")
    numbers = len(str(len(lines)))
    for number, line in enumerate(lines, start=1):
        parts = [
            part
            for piece in _ENDS.split(line)
            for part in wrap_words(spelled(piece).expandtabs(TAB), max(width - numbers - 2, 8))
        ]
        for index, part in enumerate(parts):
            yield (f"{'' if index else number:>{numbers}}  ", "faint"), (part, "text")
