"""Runs of blank rows, told by their number: what stands below them must not leave the screen because of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.row import Row

MOST_BLANK = 2
"""Blank rows that code has between its parts."""
_BRAILLE_BLANK = "\u2800"


def without_blank_runs(rows: Sequence[Row], renderer: Renderer) -> list[Row]:
    """The rows, and one that says how many there were in place of each long run of blank ones."""
    out: list[Row] = []
    for sign, group in groupby(rows, _blank):
        run = list(group)
        if sign is None or len(run) <= MOST_BLANK:
            out += run
        else:
            word = "rows" if any(row.continues for row in run) else "lines"
            out += renderer.plain(f"{sign}⋯ {len(run):,} blank {word}", renderer.palette.warning)
    return out


def _blank(row: Row) -> str | None:
    """None if there is something on it; else its sign in a diff, for lines that come and lines that go differ."""
    if row.copied().replace(_BRAILLE_BLANK, "").strip():
        return None
    sign = row.text[row.gutter : row.indent].strip()[-1:]
    return f"{sign} " if sign in ("+", "-") else ""
