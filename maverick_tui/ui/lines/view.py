"""LineView: a long text that is laid out for its width and drawn line by line, as it comes into view."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip

from maverick_tui.ui.lines.scrolling import ScrolledLines
from maverick_tui.ui.lines.wrapping import Line
from maverick_tui.ui.textual_private.painting import uncovered_rows

Layout = Callable[[int], list[Line]]
"""Makes the lines for a width; it must not depend on anything else."""


class LineView(ScrolledLines):
    """Shows lines of inert text, each piece in the look of its role."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout: Layout = lambda _: []
        self._lines: list[Line] = []
        self._laid_out = 0
        self._seen: set[int] = set()
        self._is_read = False

    def show(self, layout: Layout, *, keep_place: bool = False) -> None:
        """Show another text, from its beginning unless it is the same one again."""
        self._layout, self._is_read = layout, False
        self._lay_out()
        self.top = self.top if keep_place else 0

    @property
    def text(self) -> str:
        """All lines as plain text."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def on_resize(self, _event: events.Resize) -> None:
        """Lay the text out again if the width is another one."""
        if self.room != self._laid_out:
            self._lay_out()

    def _lay_out(self) -> None:
        self._laid_out = self.room
        self._lines = self._layout(self.room)
        self._seen.clear()
        self.refresh()

    @property
    def first_unread(self) -> int | None:
        """The first line that has not been on the screen since the text was shown; None once all of them have."""
        return None if self._is_read else next(at for at in range(self.line_count + 1) if at not in self._seen)

    def render_lines(self, crop: Region) -> list[Strip]:
        """What is in view, which counts as read where nothing is over it."""
        strips = super().render_lines(crop)
        if not self._is_read:
            first = self.top - (self.content_region.y - self.region.y)
            self._seen.update(first + y for y in uncovered_rows(self).intersection(crop.line_range))
            self._is_read = self._seen.issuperset(range(self.line_count))
        return strips

    def draw_line(self, index: int, width: int) -> Strip:
        """One line; what is too short is filled up."""
        return Strip([Segment(text, self.look(role)) for text, role in self._lines[index] if text])
