"""BoardList: one row for each run, one of them highlighted. Only rows in view are drawn, and only those that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from maverick_tui.runs.card import RunCard
from maverick_tui.ui.board.drawing import RowDrawing, height
from maverick_tui.ui.lines import Line, ScrolledLines
from maverick_tui.ui.rendering.wrap import wrap_words
from maverick_tui.ui.textual_private.painting import Painter

_ON_HIGHLIGHT = {"muted": "highlight-muted", "faint": "highlight-muted"}
MARKER, MARK = "▸", "◆"
_EDGE = 3
"""Columns before a row: whether it is highlighted, and whether it is marked."""


class BoardList(ScrolledLines):
    """A list that may change at any moment: the highlight stays on its run, wherever that goes.

    Until somebody has gone to a run it is on the first: rows come in the order in which their runs answer.
    """

    notice: reactive[str] = reactive("")

    def __init__(
        self, clock: Callable[[], float], moved: Callable[[RunCard | None], None], chosen: Callable[[RunCard], None]
    ) -> None:
        """`moved` hears that another run is highlighted, and `chosen` that one was clicked twice."""
        super().__init__(id="rows")
        self._clock = clock
        self._moved = moved
        self._chosen = chosen
        self.cards: Sequence[RunCard] = ()
        self._total = 0
        """How many there are, also those that are filtered out: rows do not grow while one types."""
        self.marked: list[str] = []
        """Runs that are to be shown side by side, in the order in which they were marked."""
        self.wanted = ""
        """The key of the run that somebody was at before, which may have yet to answer."""
        self.stays = False
        """Whether somebody has gone to a run."""
        self._at = 0
        self._drawing = RowDrawing()
        self._drawn: dict[int, tuple[Line, ...]] = {}
        """What was painted last, by the row's place."""
        self.painter = Painter(self, super().render_lines)

    @property
    def card(self) -> RunCard | None:
        """The highlighted run."""
        return self.cards[self._at] if self.cards else None

    @property
    def row_height(self) -> int:
        """Lines of each row."""
        return height(self.room - _EDGE, self._total, self.page)

    @property
    def line_count(self) -> int:
        """How many lines there are, also of what stands there instead of rows."""
        return len(self.cards) * self.row_height or len(wrap_words(self.notice, self.room))

    # -- what is listed -----------------------------------------------------------------------------------------------

    def show(self, cards: Sequence[RunCard], *, total: int = 0) -> None:
        """List these of so many."""
        before, tall = self.card, self.row_height
        at = self._place_in(cards)
        is_same_order = len(cards) == len(self.cards) and all(
            new.key == old.key for new, old in zip(cards, self.cards, strict=True)
        )
        self.cards, self._total = cards, max(total, len(cards))
        self._drawing.measure(cards, self._clock())
        if not is_same_order or tall != self.row_height:
            self._move_view(at)
            self._drawn.clear()
            self.refresh()
            self.painter.paint()
        else:
            self.refresh_changed()
        if (before.key if before else "") != (self.card.key if self.card else ""):
            self._moved(self.card)

    def _place_in(self, cards: Sequence[RunCard]) -> int:
        """The highlighted row of these: that of the same run, or what stands in its place."""
        here = self.card.key if self.card is not None else ""
        key = here if self.stays else self.wanted
        found = next((at for at, card in enumerate(cards) if card.key == key), None)
        if found is not None:
            self.stays = True
            return found
        return min(self._at, max(len(cards) - 1, 0)) if self.stays else 0

    def _move_view(self, at: int) -> None:
        """The highlight stays on its line of the screen, but for the top of the list: what needs a person is there."""
        moved_by, self._at = at - self._at, at
        if self.top:
            self.set_reactive(BoardList.top, self.validate_top(self.top + moved_by * self.row_height))
        self._keep_in_view()

    def refresh_changed(self) -> None:
        """Draw the rows that have something else to say now."""
        now, width, tall = self._clock(), self.room - _EDGE, self.row_height
        changed = [at for at in self._in_view() if self._drawn.get(at) != self._lines(at, width, now)]
        if changed:
            self.refresh(*(Region(0, at * tall - self.top, self.size.width, tall) for at in changed))
            self.painter.paint()

    def refresh_row(self, at: int) -> None:
        """Draw a row anew."""
        self._drawn.pop(at, None)
        self.refresh(Region(0, at * self.row_height - self.top, self.size.width, self.row_height))

    def _in_view(self) -> range:
        tall = self.row_height
        return range(self.top // tall, min((self.top + self.page + tall - 1) // tall, len(self.cards)))

    # -- going about --------------------------------------------------------------------------------------------------

    def move(self, by: int) -> None:
        """Move the highlight by so many rows, as far as there are any."""
        if self.cards:
            self.go_to(min(max(self._at + by, 0), len(self.cards) - 1))

    def stay(self) -> None:
        """Somebody means the highlighted run."""
        if self.cards and not self.stays:
            self.stays = True
            self._moved(self.card)

    def go_to(self, at: int) -> None:
        """Highlight this row."""
        self.stay()
        if at == self._at:
            return
        before, self._at = self._at, at
        self.refresh_row(before)
        self.refresh_row(at)
        self._keep_in_view()
        self.painter.paint_for_key()
        self._moved(self.card)

    @property
    def rows_in_view(self) -> int:
        """How many rows a page has."""
        return max(self.page // self.row_height, 1)

    def _keep_in_view(self) -> None:
        tall = self.row_height
        self.bring_into_view(self._at * tall, (self._at + 1) * tall - 1)

    def watch_top(self) -> None:
        """Other rows are in view."""
        self._drawn.clear()

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the highlight in view."""
        self._drawn.clear()
        self.top = self.validate_top(self.top)
        self._keep_in_view()

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; the second click of two chooses it."""
        offset = event.get_content_offset(self)
        at = len(self.cards) if offset is None or self._is_bar(event) else (self.top + offset.y) // self.row_height
        if at >= len(self.cards):
            return
        event.stop()
        self.go_to(at)
        if event.chain == 2:
            self._chosen(self.cards[at])

    # -- drawing ------------------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows for Textual."""
        rows = super().render_lines(crop)
        self.painter.saw(crop, rows)
        return rows

    def _lines(self, at: int, width: int, now: float) -> tuple[Line, ...]:
        return self._drawing.draw(self.cards[at], width, now, self.row_height)

    def draw_line(self, index: int, width: int) -> Strip:
        """One line of a row, or what stands there when there are no rows."""
        if not self.cards:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        at, part = divmod(index, self.row_height)
        lines = self._drawn[at] = self._lines(at, width - _EDGE, self._clock())
        is_here = at == self._at
        edge = self._edge(at) if not part else " " * _EDGE
        strip = Strip(self._painted(edge, lines[part], is_here=is_here))
        return strip.crop_extend(0, width, self.look("highlight") if is_here else self.look())

    def _edge(self, at: int) -> str:
        return f"{MARKER if at == self._at else ' '}{MARK if self.cards[at].key in self.marked else ' '} "

    def _painted(self, edge: str, line: Line, *, is_here: bool) -> Iterator[Segment]:
        yield Segment(edge, self._part("accent", is_here=is_here))
        for text, role in line:
            yield Segment(text, self._part(role, is_here=is_here))

    def _part(self, role: str, *, is_here: bool) -> Style:
        return self.look(_ON_HIGHLIGHT.get(role, "highlight") if is_here else role)
