"""ChoiceList: rows in a dialog, one of them highlighted; the keys stay with whatever has the focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip

from maverick_tui.ui.lines import Line, ReadLines
from maverick_tui.ui.rendering.wrap import cut, fold, wrap_words

_ROLE = "role"
_LEAST = 4
"""Columns that a line is given."""
_ON_HIGHLIGHT = {"muted": "highlight-muted", "faint": "highlight-muted"}


class ChoiceList(ReadLines):
    """`notice` stands in the place of rows when there are none."""

    def __init__(self, chosen: Callable[[int], None], *, folds: bool = False) -> None:
        """`chosen` hears the place of a row that was clicked twice. Rows without room go on below if it `folds`."""
        super().__init__(id="choices")
        self._chosen = chosen
        self._folds = folds
        self._rows: Sequence[tuple[Line, Line]] = ()
        self._lines: list[tuple[int, Line, Line]] = []
        """The place of the row that each is of, and what is on it."""
        self._laid_out = 0
        self.notice = ""
        self.at = 0
        """The place of the highlighted row."""

    def show(self, rows: Sequence[tuple[Line, Line]], at: int = 0, notice: str = "") -> None:
        """Show other rows: each has what is cut where there is no room, and what stands at its end."""
        self._rows, self.notice, self._laid_out = rows, notice, 0
        self.forget_read()
        self.at = max(0, min(at, len(rows) - 1))
        self._show_highlighted()

    def move(self, by: int) -> None:
        """Highlight another row, as far as there are any."""
        self.at = max(0, min(self.at + by, len(self._rows) - 1))
        self._show_highlighted()

    def turn(self, by: int) -> None:
        """Read on by pages, line by line: a row may have more lines than there are in view."""
        self.top += by * self.page
        if lines := self._laid():
            self.at = lines[min(self.top + self.page, len(lines)) - 1 if by > 0 else self.top][0]
        self.refresh()

    def _show_highlighted(self) -> None:
        self.top = self.validate_top(self.top)
        places = [number for number, line in enumerate(self._laid()) if line[0] == self.at]
        if places:
            self.bring_into_view(places[0], places[-1])
        self.refresh()

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._laid()) or len(wrap_words(self.notice, self.room))

    def _laid(self) -> list[tuple[int, Line, Line]]:
        if self._laid_out != self.room:
            self._laid_out = self.room
            self._lines = [(at, *line) for at, row in enumerate(self._rows) for line in self._lines_of(*row)]
        return self._lines

    def _lines_of(self, start: Line, end: Line) -> list[tuple[Line, Line]]:
        """A row as it stands on lines of its own; nothing of a path may be missing where it says what is done."""
        room = self.room - 2
        is_fitting = sum(cell_len(text) for text, _ in (*start, *end)) + bool(end) <= room
        if not self._folds or is_fitting or not self.content_size.width:
            return [(start, end)]
        runs = [(text, Style.from_meta({_ROLE: role})) for text, role in (*start, ("  ", "text"), *end) if text]
        folded = fold(runs, max(room, _LEAST), hang=2)
        lines = [
            tuple((part.text, str(part.style.meta[_ROLE])) for part in line.segments if part.style) for line in folded
        ]
        return [(line if at == 0 else (("  ", "text"), *line), ()) for at, line in enumerate(lines)]

    @property
    def text(self) -> str:
        """All rows as plain text."""
        rows = ["".join(text for text, _ in (*start, (" ", ""), *end)).rstrip() for start, end in self._rows]
        return "\n".join(rows) or self.notice

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the highlight in view."""
        self._show_highlighted()

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; the second click of two chooses it."""
        at = self.line_at(event)
        if at is None or not self._rows:
            return
        event.stop()
        self.at = self._laid()[at][0]
        self.refresh()
        if event.chain == 2:
            self._chosen(self.at)

    def draw_line(self, index: int, width: int) -> Strip:
        """One row, or what stands there when there are none."""
        if not self._rows:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        at, start, end = self._laid()[index]
        is_marked, is_first = at == self.at, index == 0 or self._lines[index - 1][0] != at
        room = width - 2 - sum(cell_len(text) for text, _ in end) - bool(end)
        parts: list[tuple[str, str]] = [("▸ " if is_marked and is_first else "  ", "text")]
        for text, role in start:
            parts.append((cut(text, room) if cell_len(text) > room else text, role))
            room -= cell_len(parts[-1][0])
        parts += [(" " * (max(room, 0) + bool(end)), "text"), *end]
        looks = [_ON_HIGHLIGHT.get(role, "highlight") if is_marked else role for _, role in parts]
        return Strip([Segment(text, self.look(look)) for (text, _), look in zip(parts, looks, strict=True) if text])
