"""ChoiceList: rows in a dialog, one of them highlighted; the keys stay with whatever has the focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.strip import Strip

from maverick_tui.ui.lines import Line, ReadLines
from maverick_tui.ui.rendering.wrap import cut, wrap_words

_ON_HIGHLIGHT = {"muted": "highlight-muted", "faint": "highlight-muted"}


class ChoiceList(ReadLines):
    """`notice` stands in the place of rows when there are none."""

    def __init__(self, chosen: Callable[[int], None]) -> None:
        """`chosen` hears the place of a row that was clicked twice."""
        super().__init__(id="choices")
        self._chosen = chosen
        self._rows: Sequence[tuple[Line, Line]] = ()
        self.notice = ""
        self.at = 0
        """The place of the highlighted row."""

    def show(self, rows: Sequence[tuple[Line, Line]], at: int = 0, notice: str = "") -> None:
        """Show other rows: each has what is cut where there is no room, and what stands at its end."""
        self._rows, self.notice = rows, notice
        self.forget_read()
        self.at = max(0, min(at, len(rows) - 1))
        self.top = self.validate_top(self.top)
        self.bring_into_view(self.at, self.at)
        self.refresh()

    def move(self, by: int) -> None:
        """Highlight another row, as far as there are any."""
        self.at = max(0, min(self.at + by, len(self._rows) - 1))
        self.bring_into_view(self.at, self.at)
        self.refresh()

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._rows) or len(wrap_words(self.notice, self.room))

    @property
    def text(self) -> str:
        """All rows as plain text."""
        rows = ["".join(text for text, _ in (*start, (" ", ""), *end)).rstrip() for start, end in self._rows]
        return "\n".join(rows) or self.notice

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the highlight in view."""
        self.top = self.validate_top(self.top)
        self.bring_into_view(self.at, self.at)

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; the second click of two chooses it."""
        at = self.line_at(event)
        if at is None or not self._rows:
            return
        event.stop()
        self.at = at
        self.refresh()
        if event.chain == 2:
            self._chosen(self.at)

    def draw_line(self, index: int, width: int) -> Strip:
        """One row, or what stands there when there are none."""
        if not self._rows:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        (start, end), is_marked = self._rows[index], index == self.at
        room = width - 2 - sum(cell_len(text) for text, _ in end) - bool(end)
        parts: list[tuple[str, str]] = [("▸ " if is_marked else "  ", "text")]
        for text, role in start:
            parts.append((cut(text, room) if cell_len(text) > room else text, role))
            room -= cell_len(parts[-1][0])
        parts += [(" " * (max(room, 0) + bool(end)), "text"), *end]
        looks = [_ON_HIGHLIGHT.get(role, "highlight") if is_marked else role for _, role in parts]
        return Strip([Segment(text, self.look(look)) for (text, _), look in zip(parts, looks, strict=True) if text])
