"""Makes rows of one width: gutter, margin, text, and blanks to the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Line

NARROWEST = 10
"""The fewest cells that text is given; gutter and indentation give way to it."""


class Margin(NamedTuple):
    """What stands left of the text of a block inside lists and quotes: on its first row, and on all others.

    `bare` counts the cells of it that are not copied: bars of quotes, and what stands before them.
    """

    first: tuple[Segment, ...] = ()
    rest: tuple[Segment, ...] = ()
    cells: int = 0
    bare: int = 0


NO_MARGIN = Margin()


class Canvas:
    """Where rows are made; `room` is the number of cells between the gutter and the right edge."""

    def __init__(self, width: int, palette: Palette, gutter: int, indent: int) -> None:
        self.width = max(2, width)
        self.palette = palette
        self.gutter = max(0, min(gutter, self.width - NARROWEST))
        indent = max(0, min(indent, self.width - self.gutter - NARROWEST))
        self.left = self.gutter + indent
        self.room = self.width - self.left
        self._left = [Segment(" " * cells, palette.base) for cells in (self.gutter, indent) if cells]
        self._blanks: dict[tuple[int, Style], Segment] = {}
        self.blank = self.row([], 0)

    def row(
        self, segments: Iterable[Segment], cells: int, bare: int = 0, glue: str | None = None, fill: Style | None = None
    ) -> Row:
        """A row of segments that are `cells` wide; the first `bare` of them are not copied."""
        out = [*self._left, *segments]
        if (missing := self.room - cells) > 0:
            out.append(self.spaces(missing, fill or self.palette.base))
        left = self.left
        return Row(out, self.width, self.gutter, left + bare, left + cells, glue is not None, glue or "")

    def rows(self, lines: Iterable[Line], margin: Margin = NO_MARGIN) -> list[Row]:
        """A row for each line, right of the margin."""
        if margin is NO_MARGIN:
            return [self.row(segments, cells, 0, glue) for segments, cells, glue in lines]
        out: list[Row] = []
        lead, width = margin.first, margin.cells
        for segments, cells, glue in lines:
            # A line that goes on is one with the row above when it is copied, so its indentation is not text.
            bare = margin.bare if glue is None else width
            out.append(self.row([*lead, *segments], width + cells, bare, glue))
            lead = margin.rest
        return out

    def spaces(self, cells: int, style: Style) -> Segment:
        """Blanks; segments are values, so rows share them."""
        key = (cells, style)
        segment = self._blanks.get(key)
        if segment is None:
            segment = self._blanks[key] = Segment(" " * cells, style)
        return segment
