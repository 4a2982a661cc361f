"""Rows: full-width strips that know which of their cells are text and which decorate it; and where they are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.wrap import WrappedLine
from maverick_tui.ui.textual_private.strip import LeanStrip

_NARROWEST = 10
"""The fewest cells that text is given; the gutter gives way to it."""


class Row(LeanStrip):
    """One line of the transcript, exactly as wide as it says.

    `gutter` is the width of the blank first segment, 0 if there is none. `indent` counts all leading cells that are not
    copied: gutter, hanging indents, quote bars, line numbers; `text_end` is the cell where the text ends and blanks
    fill the row (None: at its last character). A row that `continues` belongs to the line of the row above; `glue`
    (spaces, or nothing) was taken away where the two were parted.
    """

    __slots__ = ("_lead", "continues", "glue", "gutter", "indent", "text_end")

    def __init__(
        self,
        segments: Iterable[Segment],
        cells: int,
        gutter: int = 0,
        indent: int = 0,
        text_end: int | None = None,
        continues: bool = False,
        glue: str = "",
    ) -> None:
        super().__init__(segments if isinstance(segments, list) else list(segments), cells)
        self.gutter = gutter
        self.indent = indent
        self.text_end = text_end
        self._lead = 1 if gutter else 0
        self.continues = continues
        self.glue = glue

    def is_same(self, other: Row) -> bool:
        """Whether the two look alike and are copied alike."""
        return (
            self == other
            and self.indent == other.indent
            and self.continues == other.continues
            and self.glue == other.glue
            and self.text_end == other.text_end
            and self.gutter == other.gutter
        )

    @property
    def lead(self) -> list[Segment]:
        """The segments in the gutter."""
        return list(islice(self, self._lead))

    def with_lead(self, segments: Sequence[Segment]) -> Row:
        """The row with these segments, together as wide as the gutter, in its gutter; itself if it has none."""
        if not self.gutter:
            return self
        row = self._with_segments([*segments, *islice(self, self._lead, None)])
        row._lead = len(segments)
        return row

    def marked(self, start: int, end: int, style: Style) -> Row:
        """The row with a style laid over its cells from `start` to `end`: a selection, or what was found."""
        cells = self.cell_length
        start, end = max(0, start), min(end, cells)
        if start >= end:
            return self
        over = [Segment(text, own + style if own else style) for text, own, _ in self.crop(start, end)]
        row = self._with_segments([*self.crop(0, start), *over, *self.crop(end, cells)])
        row._lead = self._lead if start >= self.gutter else len(row.crop(0, self.gutter))
        return row

    def copied(self, start: int = 0, end: int | None = None) -> str:
        """The text between two cells, without decoration and without the blanks that fill the row."""
        start = max(start, self.indent)
        if self.text_end is None:
            return self.crop(start, end).text.rstrip(" ")
        return self.crop(start, self.text_end if end is None else min(end, self.text_end)).text

    def _with_segments(self, segments: list[Segment]) -> Row:
        return Row(segments, self.cell_length, self.gutter, self.indent, self.text_end, self.continues, self.glue)


def copied_text(rows: Sequence[Row], start: int = 0, end: int | None = None) -> str:
    """What is copied of these rows, from a cell of the first to a cell of the last; wrapped lines are whole again."""
    parts: list[str] = []
    last = len(rows) - 1
    for index, row in enumerate(rows):
        if index:
            parts.append(row.glue if row.continues else "\n")
        parts.append(row.copied(start if index == 0 else 0, end if index == last else None))
    return "".join(parts)


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

    def __init__(self, width: int, palette: Palette, gutter: int) -> None:
        self.width = max(2, width)
        self.palette = palette
        self.gutter = max(0, min(gutter, self.width - _NARROWEST))
        self.room = self.width - self.gutter
        self._left = [Segment(" " * self.gutter, palette.base)] if self.gutter else []
        self._blanks: dict[tuple[int, Style], Segment] = {}
        self.blank = self.row([], 0)

    def row(
        self, segments: Iterable[Segment], cells: int, bare: int = 0, glue: str | None = None, fill: Style | None = None
    ) -> Row:
        """A row of segments that are `cells` wide; the first `bare` of them are not copied."""
        out = [*self._left, *segments]
        if (missing := self.room - cells) > 0:
            out.append(self.spaces(missing, fill or self.palette.base))
        left = self.gutter
        return Row(out, self.width, left, left + bare, left + cells, glue is not None, glue or "")

    def rows(self, lines: Iterable[WrappedLine], margin: Margin = NO_MARGIN) -> list[Row]:
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
