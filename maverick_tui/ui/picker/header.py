"""PickerHeader: the program's name, the folder, its branch, and a badge if nothing here is real."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.lines.view import role_look
from maverick_tui.ui.lines.wrapping import cut

TITLE = "Maverick"


class PickerHeader(Widget):
    """One line; what does not fit is cut from the folder."""

    folder: reactive[str] = reactive("")
    branch: reactive[str] = reactive("")
    badge: reactive[str] = reactive("")

    def render_line(self, y: int) -> Strip:
        """The title at the left, everything else at the right."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        title = Segment(TITLE, role_look(self, "accent"))
        right = [Segment(f"  {self.branch}", role_look(self, "text"))] if self.branch else []
        if self.badge:
            right += [Segment("  ", self.rich_style), Segment(f" {self.badge} ", role_look(self, "badge"))]
        room = width - len(TITLE) - 2 - sum(cell_len(segment.text) for segment in right)
        folder = Segment(_end_of(self.folder, room), role_look(self, "muted"))
        gap = width - len(TITLE) - sum(cell_len(segment.text) for segment in (folder, *right))
        segments = [title, Segment(" " * max(gap, 2), self.rich_style), folder, *right]
        return Strip(segments).crop_extend(0, width, self.rich_style)


def _end_of(folder: str, room: int) -> str:
    """The folder, or as many of its last parts as fit: those tell which one it is."""
    parts = folder.split("/")
    for first in range(1, len(parts)):
        if cell_len(folder) <= room:
            break
        folder = f"…/{'/'.join(parts[first:])}"
    return cut(folder, max(room, 0))
