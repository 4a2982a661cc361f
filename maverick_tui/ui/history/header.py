"""The first line of the history: its three views."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.segment import Segment
from textual import events
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.lines import role_look

TITLE = "History"
VIEWS = {"runs": "Runs", "search": "Search", "totals": "Totals"}
"""What can be looked at, by its name."""


class HistoryHeader(Widget):
    """The views, the one that is shown set apart."""

    view: reactive[str] = reactive("runs")

    def __init__(self, chosen: Callable[[str], None]) -> None:
        """`chosen` hears which view was clicked."""
        super().__init__(id="header")
        self._chosen = chosen

    def _placed(self) -> Iterator[tuple[int, str, str]]:
        at = len(TITLE) + 2
        for view, name in VIEWS.items():
            yield at, view, f" {name} "
            at += len(name) + 3

    def render_line(self, y: int) -> Strip:
        """All of it on one line."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        segments, used = [Segment(TITLE, role_look(self, "accent"))], len(TITLE)
        for at, view, name in self._placed():
            is_shown = view == self.view
            segments.append(Segment(" " * (at - used), self.rich_style))
            segments.append(Segment(name, role_look(self, "highlight" if is_shown else "muted")))
            used = at + len(name)
        return Strip(segments).crop_extend(0, width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Show the view that was clicked."""
        event.stop()
        offset = event.get_content_offset(self)
        for at, view, name in self._placed():
            if offset is not None and at <= offset.x < at + len(name):
                self._chosen(view)
