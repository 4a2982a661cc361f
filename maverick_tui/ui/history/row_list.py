"""RowList: runs or places that were found, one of them highlighted; only those in view are drawn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from maverick_tui.ui.history.rows import Heading, Row, key_of, run_of
from maverick_tui.ui.lines import Line, ScrolledLines, Span
from maverick_tui.ui.rendering.wrap import cut, wrap_words

MARKER = "▸"
_ON_HIGHLIGHT = {"muted": "highlight-muted", "faint": "highlight-muted", "match": "highlight-match"}
_STRUCK = Style(strike=True)

DrawRow = Callable[[Row, int], Line]
"""What stands on a row, for a width."""


class RowList(ScrolledLines):
    """A long list; `notice` stands in the place of rows when there are none."""

    highlighted: reactive[int | None] = reactive(None, repaint=False, init=False)
    notice: reactive[str] = reactive("")

    def __init__(self, draw: DrawRow, moved: Callable[[Row | None], None], chosen: Callable[[Row], None]) -> None:
        """`moved` hears what is highlighted, and `chosen` that it was clicked twice."""
        super().__init__(id="rows")
        self._draw = draw
        self._moved = moved
        self._chosen = chosen
        self.rows: Sequence[Row] = ()
        self._places: list[int] = []
        """The rows that can be highlighted."""
        self.struck: Container[str] = ()
        """Runs that are to go."""

    @property
    def row(self) -> Row | None:
        """What is highlighted."""
        return None if self.highlighted is None else self.rows[self.highlighted]

    def show(self, rows: Sequence[Row], key: str = "") -> None:
        """Show other rows, with the one of this key highlighted, or else the first."""
        before = self.row
        self.rows = rows
        self._places = [at for at, row in enumerate(rows) if not isinstance(row, Heading)]
        first = self._places[0] if self._places else None
        at = next((at for at in self._places if key_of(rows[at]) == key), first) if key else first
        self.set_reactive(RowList.highlighted, at)
        self.top = self.validate_top(self.top)
        self._keep_in_view()
        self.refresh()
        if self.row is not before:
            self._moved(self.row)

    def move(self, by: int) -> None:
        """Move the highlight by that many rows, as far as there are any."""
        if self._places and self.highlighted is not None:
            at = bisect_left(self._places, self.highlighted) + by
            self.highlighted = self._places[min(max(at, 0), len(self._places) - 1)]

    @property
    def line_count(self) -> int:
        """How many lines there are, also of what stands there instead of rows."""
        return len(self.rows) or len(wrap_words(self.notice, self.room))

    def watch_highlighted(self, before: int | None, after: int | None) -> None:
        """Draw the two rows that have changed."""
        for at in (before, after):
            self._refresh_row(at)
        self._keep_in_view()
        self._moved(self.row)

    def _refresh_row(self, at: int | None) -> None:
        if at is not None and self.top <= at < self.top + self.page:
            self.refresh(Region(0, at - self.top, self.size.width, 1))

    def refresh_live(self) -> None:
        """Draw the live runs again: their time goes on."""
        for at in range(self.top, min(self.top + self.page, len(self.rows))):
            if (run := run_of(self.rows[at])) is not None and run.is_live:
                self._refresh_row(at)

    def _keep_in_view(self) -> None:
        if self.highlighted is None:
            return
        # The heading above a group's first row belongs to it.
        is_first = self.highlighted > 0 and isinstance(self.rows[self.highlighted - 1], Heading)
        self.bring_into_view(self.highlighted - is_first, self.highlighted)

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the highlight in view."""
        self.top = self.validate_top(self.top)
        self._keep_in_view()

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; the second click of two chooses it."""
        offset = event.get_content_offset(self)
        at = len(self.rows) if offset is None or self._is_bar(event) else self.top + offset.y
        if at >= len(self.rows) or isinstance(self.rows[at], Heading):
            return
        event.stop()
        self.highlighted = at
        if event.chain == 2:
            self._chosen(self.rows[at])

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_line(self, index: int, width: int) -> Strip:
        """One line: a heading, a row, or what stands there when there are no rows."""
        if not self.rows:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        row, is_marked = self.rows[index], index == self.highlighted
        if isinstance(row, Heading):
            return Strip([Segment(text, self.look(role)) for text, role in _fitted(row.line, width)])
        strip = Strip(self._painted(row, width, is_marked=is_marked))
        return strip.crop_extend(0, width, self.look("highlight") if is_marked else self.look())

    def _painted(self, row: Row, width: int, *, is_marked: bool) -> Iterator[Segment]:
        run = run_of(row)
        is_struck = run is not None and run.run_id in self.struck
        yield Segment(f"{MARKER if is_marked else ' '} ", self._part("text", is_marked=is_marked))
        for text, role in _fitted(self._draw(row, width - 2), width - 2):
            style = self._part("faint" if is_struck else role, is_marked=is_marked)
            yield Segment(text, style + _STRUCK if is_struck and text.strip() else style)

    def _part(self, role: str, *, is_marked: bool) -> Style:
        return self.look(_ON_HIGHLIGHT.get(role, "highlight") if is_marked else role)


def _fitted(line: Line, width: int) -> Iterator[Span]:
    """The line, or as much of it as fits, with an ellipsis."""
    for text, role in line:
        used = cell_len(text)
        if used > width:
            yield cut(text, width), role
            return
        yield text, role
        width -= used
