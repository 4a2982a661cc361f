"""Tables: columns as wide as they like, or as there is room for; where there is none, one record below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style

from maverick_tui.ui.rendering.row import Canvas, Margin, Row
from maverick_tui.ui.rendering.wrap import Styled, WrappedLine, cells_of, wrap

SETTLED = 200
"""Rows that decide about the columns; later ones fit in, so that a table of any length can be drawn as it grows."""
_NARROWEST, _WORD = 4, 12

Cell = list[Styled]


class Table:
    """A table to which rows are added; its rows on the screen may change until it is settled."""

    def __init__(self, canvas: Canvas, margin: Margin, head: Sequence[Cell], aligns: Sequence[str]) -> None:
        self._canvas, self._margin = canvas, margin
        self._head, self._aligns = head, aligns
        self._room = max(2, canvas.room - margin.cells)
        self._words = [0] * len(head)
        self._head_natural = [0] * len(head)
        self._measure(self._head_natural, head)
        self._body_natural = [0] * len(head)
        self._has_breaks = False
        self._body: list[list[Cell]] = []
        self._columns: list[int] | None = None
        self._is_ruled = False
        self._drawn: list[Row] = []
        self._drawn_of = 0
        self._taken = 0

    def add(self, cells: list[Cell]) -> None:
        """Add a row of cells, one for each column."""
        if len(self._body) < SETTLED:
            self._measure(self._body_natural, cells)
            self._has_breaks = self._has_breaks or any("\n" in text for cell in cells for text, _ in cell)
        self._body.append(cells)

    def take(self) -> list[Row]:
        """The rows that can no longer change and were not taken before."""
        if len(self._body) <= SETTLED:
            return []
        rows = self.rows()
        self._taken += len(rows)
        self._drawn = []
        return rows

    def rows(self) -> list[Row]:
        """All rows that were not taken; those that have not changed are the same objects as before."""
        body = self._body
        if not self._taken:
            columns = self._widths()
            # Where a row takes several lines, a rule says where the next one begins.
            ruled = columns is not None and (
                self._has_breaks or any(cells > width for cells, width in zip(self._body_natural, columns, strict=True))
            )
            if not self._drawn or (columns, ruled) != (self._columns, self._is_ruled):
                self._columns, self._is_ruled = columns, ruled
                self._drawn, self._drawn_of = self._heading(), 0
        for index in range(self._drawn_of, len(body)):
            self._drawn.extend(self._body_rows(body[index], is_first=index == 0))
        self._drawn_of = len(body)
        return self._drawn

    # -- widths -----------------------------------------------------------------------------------------------------

    def _measure(self, natural: list[int], cells: Sequence[Cell]) -> None:
        """Note how wide the columns would like to be, and their longest words."""
        for column, cell in enumerate(cells):
            text = "".join([part for part, _ in cell])
            for line in text.split("\n"):
                natural[column] = max(natural[column], cells_of(line))
                for word in line.split(" "):
                    self._words[column] = max(self._words[column], cells_of(word))

    def _widths(self) -> list[int] | None:
        """The widths of the columns, or None if they cannot stand side by side."""
        natural = [max(1, *both) for both in zip(self._head_natural, self._body_natural, strict=True)]
        room = self._room - 3 * (len(natural) - 1)
        if sum(natural) <= room:
            return natural
        least = [
            min(cells, max(_NARROWEST, min(word, _WORD))) for cells, word in zip(natural, self._words, strict=True)
        ]
        spare = room - sum(least)
        if spare < 0:
            return None
        # What is left goes to the columns in proportion to what they lack.
        lacking = [cells - floor for cells, floor in zip(natural, least, strict=True)]
        total = sum(lacking)
        widths = [floor + spare * lack // total for floor, lack in zip(least, lacking, strict=True)]
        for index in range(room - sum(widths)):
            widths[index % len(widths)] += 1
        return widths

    # -- drawing ----------------------------------------------------------------------------------------------------

    def _heading(self) -> list[Row]:
        if self._columns is None:
            return []
        return [*self._side_by_side(self._head), self._line("─┼─", "─")]

    def _body_rows(self, cells: list[Cell], *, is_first: bool) -> Iterator[Row]:
        if self._columns is None:
            if not is_first:
                yield self._plain_row([], 0)
            yield from self._record(cells)
            return
        if self._is_ruled and not is_first:
            yield self._line("─┼─", "─")
        yield from self._side_by_side(cells)

    def _side_by_side(self, cells: Sequence[Cell]) -> Iterator[Row]:
        assert self._columns is not None
        palette = self._canvas.palette
        bar = Segment(" │ ", palette.rule)
        columns = [wrap(cell, width) for cell, width in zip(cells, self._columns, strict=True)]
        total = sum(self._columns) + 3 * (len(columns) - 1)
        for level in range(max(map(len, columns))):
            segments: list[Segment] = []
            for index, lines in enumerate(columns):
                if index:
                    segments.append(bar)
                line = lines[level] if level < len(lines) else WrappedLine([], 0, None)
                segments.extend(self._aligned(line, self._columns[index], self._aligns[index], palette.base))
            yield self._plain_row(segments, total)

    def _aligned(self, line: WrappedLine, width: int, align: str, style: Style) -> Iterator[Segment]:
        missing = width - line.cells
        before = missing if align == "right" else missing // 2 if align == "center" else 0
        if before:
            yield self._canvas.spaces(before, style)
        yield from line.segments
        if missing > before:
            yield self._canvas.spaces(missing - before, style)

    def _record(self, cells: list[Cell]) -> Iterator[Row]:
        """A row of the table as lines of `heading: value`."""
        canvas = self._canvas
        hang = canvas.spaces(2, canvas.palette.base)
        for heading, cell in zip(self._head, cells, strict=True):
            if not any(text.strip() for text, _ in cell):
                continue
            label = [*heading, (": ", canvas.palette.dim)] if any(text.strip() for text, _ in heading) else []
            lines = wrap([*label, *cell], max(2, self._room - 2))
            for index, line in enumerate(lines):
                segments, used = ([hang, *line.segments], line.cells + 2) if index else (line.segments, line.cells)
                yield self._plain_row(segments, used)

    def _line(self, cross: str, dash: str) -> Row:
        assert self._columns is not None
        text = cross.join(dash * width for width in self._columns)
        return self._plain_row([Segment(text, self._canvas.palette.rule)], len(text))

    def _plain_row(self, segments: list[Segment], cells: int) -> Row:
        margin = self._margin
        return self._canvas.row([*margin.rest, *segments], margin.cells + cells, margin.bare)
