"""DiffView: the diff of a file, with a line that keys act on; only what is in view is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.strip import Strip

from maverick_tui.inert import inert
from maverick_tui.ui.changes.diff_text import DiffLine, DiffText
from maverick_tui.ui.changes.drawing import CURSOR, DiffDrawing, fitted, heading_line
from maverick_tui.ui.changes.keys import DIFF_KEYS
from maverick_tui.ui.changes.layout import CHOSEN, COMMENT_EDGE, Placed, comment_lines, placed
from maverick_tui.ui.lines import ScrolledLines
from maverick_tui.ui.rendering.wrap import wrap_words

if TYPE_CHECKING:
    from maverick_tui.review.kinds import ChangedHunk
    from maverick_tui.ui.rendering.diff_palette import DiffPalette
    from maverick_tui.ui.rendering.palette import Palette

Colours = Callable[[], "tuple[Palette, DiffPalette]"]
_ABOVE = 3
"""Rows that stay in view above a hunk to which one goes."""


class Place(NamedTuple):
    """Where one is in a diff: on a line or a heading, a row, and how many rows below the top."""

    line: DiffLine | None
    heading: int | None
    at: int
    below_top: int


class DiffView(ScrolledLines, can_focus=True):
    """`notice` stands in the place of a diff where there is none."""

    BINDING_GROUP_TITLE = "Diff"
    BINDINGS: ClassVar[list[BindingType]] = [*DIFF_KEYS]

    def __init__(self, colours: Colours, moved: Callable[[], None], opened: Callable[[], None]) -> None:
        """`moved` hears that the person goes on, `opened` that something was clicked twice."""
        super().__init__(id="diff")
        self._colours = colours
        self._moved = moved
        self._opened = opened
        self.diff: DiffText | None = None
        self.notice = ""
        self.is_split = False
        self.marked: Callable[[int], bool | None] = lambda _hunk: None
        """Whether a hunk is chosen for a commit; None where nothing is."""
        self._comments: Mapping[int, Sequence[tuple[int, str]]] = {}
        self._rows: list[Placed] = []
        self._drawing: DiffDrawing | None = None
        self._palettes: tuple[Palette, DiffPalette] | None = None
        self._at = 0
        self._laid_out = 0

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(
        self, diff: DiffText, comments: Mapping[int, Sequence[tuple[int, str]]], place: Place | None = None
    ) -> None:
        """Show a diff: where one was, as far as that is still there, or from its beginning."""
        self.diff, self._comments, self.notice = diff, comments, ""
        self._lay_out()
        if place is not None and self._rows:
            self._at = self._found_again(place)
            self.top = self._at - place.below_top
        else:
            self._at = self._first()
            self.top = 0
        self.refresh()

    @property
    def place(self) -> Place | None:
        """Where one is."""
        if (row := self.row) is None:
            return None
        return Place(self.line, row.at if row.kind == "heading" else None, self._at, self._at - self.top)

    def say(self, notice: str) -> None:
        """Show words instead of a diff."""
        self.diff, self._rows, self._drawing, self._at = None, [], None, 0
        self.notice = inert(notice)
        self.top = 0
        self.refresh()

    def recolour(self) -> None:
        """Draw everything anew: its colours are others, or known now."""
        self._make_drawing()
        self.refresh()

    def split(self, is_split: bool) -> None:
        """Show both sides beside each other, or not."""
        self.is_split = is_split
        if self.diff is not None:
            self.show(self.diff, self._comments, self.place)

    def _lay_out(self) -> None:
        self._laid_out = self.room
        if self.diff is not None:
            self._rows = placed(self.diff, self.room, self._comments, is_split=self.is_split)
            self._make_drawing()

    def _make_drawing(self) -> None:
        if self.diff is not None:
            self._palettes = self._palettes or self._colours()
            self._drawing = DiffDrawing(self.diff, self.room, *self._palettes, is_split=self.is_split)

    def _first(self) -> int:
        return next((at for at, row in enumerate(self._rows) if row.kind in CHOSEN), 0)

    def _found_again(self, place: Place) -> int:
        """The row with the same line as before, or the nearest with the same text; else the same heading, or row."""
        line = place.line
        if place.heading is not None:
            rows = (at for at, row in enumerate(self._rows) if row.kind == "heading" and row.at == place.heading)
            return next(rows, self._first())
        if line is not None:
            alike = [
                (abs(one.new - line.new) + abs(one.old - line.old), at)
                for at, row in enumerate(self._rows)
                if row.kind in ("line", "pair") and not row.part and (one := self._line_of(row)) is not None
                if one.text == line.text and one.sign == line.sign
            ]
            if alike:
                return min(alike)[1]
        return min(place.at, len(self._rows) - 1)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._rows) if self.diff is not None else len(wrap_words(self.notice, self.room))

    @property
    def text(self) -> str:
        """All rows as plain text."""
        return "\n".join(self.draw_line(at, self.room).text.rstrip() for at in range(self.line_count))

    def on_resize(self, _event: events.Resize) -> None:
        """Lay out again if the width is another one."""
        if self.room != self._laid_out and self.diff is not None:
            self.show(self.diff, self._comments, self.place)
        self.top = self.validate_top(self.top)

    def notify_style_update(self) -> None:
        """The colours may be those of another theme."""
        super().notify_style_update()
        self._palettes = None

    # -- where one is -------------------------------------------------------------------------------------------------

    @property
    def row(self) -> Placed | None:
        """What keys act on."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    @property
    def comment_at(self) -> int | None:
        """The place of the comment that keys act on, if it is one."""
        return self.row.at if self.row is not None and self.row.kind == "comment" else None

    @property
    def line(self) -> DiffLine | None:
        """The line that keys act on, if it is one."""
        return self._line_of(self.row) if self.row is not None else None

    def _line_of(self, row: Placed) -> DiffLine | None:
        if self.diff is None or row.kind not in ("line", "pair"):
            return None
        return self.diff.lines[row.other if row.at < 0 or (row.other >= 0 and row.kind == "pair") else row.at]

    @property
    def hunk_at(self) -> int | None:
        """The place of the hunk that keys act on."""
        if self.row is None or self.diff is None or not self.diff.hunks:
            return None
        for row in self._rows[self._at :: -1]:
            if row.kind == "heading":
                return row.at
            if (line := self._line_of(row)) is not None:
                return line.hunk
        return None

    @property
    def hunk(self) -> ChangedHunk | None:
        """The hunk that keys act on."""
        at = self.hunk_at
        return self.diff.hunks[at] if self.diff is not None and at is not None else None

    def go_to_hunk(self, hunk: int) -> None:
        """Have keys act on a hunk, in view from its heading on as far as it fits, with what is above it."""
        found = [at for at, row in enumerate(self._rows) if row.kind == "heading" and row.at == hunk and not row.part]
        if not found:
            return
        first = found[0]
        end = next((at for at in range(first, len(self._rows)) if self._rows[at].kind == "gap"), len(self._rows))
        above = min(_ABOVE, max(self.page - (end - first), 0))
        if first < self.top + bool(above) or end > self.top + self.page:
            self.top = first - above
        self._go_to(first)

    def next_hunk(self, by: int) -> bool:
        """Go to the next hunk, or to the one before; whether there is one."""
        count = len(self.diff.hunks) if self.diff is not None else 0
        at = self.hunk_at
        is_below_head = by < 0 and self.row is not None and self.row.kind != "heading"
        wanted = 0 if at is None else at + (0 if is_below_head else by)
        if not 0 <= wanted < count:
            return False
        self.go_to_hunk(wanted)
        return True

    def move(self, by: int) -> None:
        """Have keys act on another row."""
        if not self._rows:
            return
        if not self.top <= self._at < self.top + self.page:  # the wheel has left it behind: on with what is in view
            self._at = self.top if by > 0 else min(self.top + self.page, len(self._rows)) - 1
            by = 0
        at = min(max(self._at + by, 0), len(self._rows) - 1)
        step = 1 if by >= 0 else -1
        for rows in (range(at, len(self._rows)) if step > 0 else range(at, -1, -1), range(at, -1, -step)):
            found = next((one for one in rows if self._can_be_chosen(one)), None)
            if found is not None:
                self._go_to(found)
                break
        if self._at == self._first():
            self.top = 0  # what is said above it can be read again

    def _can_be_chosen(self, at: int) -> bool:
        return self._rows[at].kind in CHOSEN and not self._rows[at].part

    def _go_to(self, at: int) -> None:
        self._at = at
        self.bring_into_view(at, at)
        self.refresh()
        self._moved()

    def action_move(self, by: int) -> None:
        """Go by lines."""
        self.move(by)

    def action_page(self, by: int) -> None:
        """Go by pages."""
        self.move(by * max(self.page - 2, 1))

    def action_end(self, to: int) -> None:
        """Go to the first line, or to the last."""
        self.move(to * len(self._rows))

    def on_click(self, event: events.Click) -> None:
        """Choose the row; the second click of two opens what it is about."""
        offset = event.get_content_offset(self)
        at = len(self._rows) if offset is None or self._is_bar(event) else self.top + offset.y
        if at >= len(self._rows) or self._rows[at].kind not in CHOSEN:
            return
        event.stop()
        while self._rows[at].part:
            at -= 1
        self._go_to(at)
        if event.chain == 2:
            self._opened()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_line(self, index: int, width: int) -> Strip:
        """One row."""
        if self.diff is None or self._drawing is None:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        row = self._rows[index]
        is_chosen = index == self._at and self.has_focus
        if row.kind in ("line", "pair"):
            return Strip(self._drawing.code(row, is_chosen=is_chosen))
        if row.kind == "heading":
            return Strip(self._heading(self.diff, row, width, is_chosen=is_chosen))
        if row.kind == "comment":
            return Strip(self._comment(row, width, is_chosen=is_chosen))
        text = self.diff.notes[row.at] if row.kind == "note" else ""
        return Strip([Segment(f"  {text}", self.look("muted"))])

    def _heading(self, diff: DiffText, row: Placed, width: int, *, is_chosen: bool) -> list[Segment]:
        line, end = heading_line(diff, row, width - 3, is_marked=self.marked(row.at))
        used = sum(cell_len(text) for text, _ in end)
        line = fitted(line, width - 3 - used)
        rule = width - 3 - used - sum(cell_len(text) for text, _ in line)
        out = [Segment(f"{CURSOR if is_chosen else ' '} ", self.look("accent"))]
        out += [Segment(text, self.look("highlight" if is_chosen else role)) for text, role in line if text]
        out.append(Segment(f" {'─' * max(rule, 0) if not row.part else ''}", self.look("faint")))
        return [*out, *(Segment(text, self.look(role)) for text, role in end)]

    def _comment(self, row: Placed, width: int, *, is_chosen: bool) -> list[Segment]:
        texts = {place: text for below in self._comments.values() for place, text in below}
        lines = comment_lines(texts[row.at], width)
        sign = "✎ " if not row.part else "  "
        look = self.look("highlight" if is_chosen else "warning")
        lead = Segment(f"{CURSOR if is_chosen and not row.part else ' '} ", self.look("accent"))
        return [lead, Segment(sign.rjust(COMMENT_EDGE - 2), look), Segment(lines[row.part], look)]
