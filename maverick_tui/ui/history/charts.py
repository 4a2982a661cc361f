"""Bars: standing ones for days, an eighth of a cell at a time, and lying ones for shares.

textual-plotext knows true colours and whole cells only, textual-plot brings numpy, and Textual's sparkline melts days
into each other: none of them can be read in sixteen colours or without any.
"""

from __future__ import annotations

from collections.abc import Sequence

_STANDING = " ▁▂▃▄▅▆▇█"


def standing(values: Sequence[float], most: float, height: int) -> list[list[str]]:
    """For each row, the uppermost first, a character for each value; what is more than nothing can be seen."""
    bars = [_parts(value, most, height * 8) for value in values]
    return [[_STANDING[min(max(bar - 8 * level, 0), 8)] for bar in bars] for level in reversed(range(height))]


def lying(value: float, most: float, width: int) -> str:
    """A bar of at most this width. A line, by halves of a cell: blocks of neighbours would melt into one."""
    full, half = divmod(_parts(value, most, width * 2), 2)
    return "━" * full + "╸" * half


def _parts(value: float, most: float, all_parts: int) -> int:
    if not (value > 0 and most > 0):
        return 0
    share = 1.0 if value >= most else value / most  # of what has no end, too
    return max(round(share * all_parts), 1)
