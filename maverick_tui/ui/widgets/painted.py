"""Painted: rows of text in a place of fixed size, drawn again only where they have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.lines import Line, inert_strip
from maverick_tui.ui.textual_private.painting import Painter

ROLES = ("text", "muted", "title", "caption", "accent", "success", "warning", "error", "badge", "mode")
PAINT = {f"painted--{role}" for role in ROLES}
"""Component classes for the screen that painted widgets are on: each of them with its own would be slow to style."""


class Painted(Widget, can_focus=False):
    """Shows rows of text, made inert; the look of a role is the component class `painted--<role>` of the screen.

    Nothing that is painted can change the size of the widget, so that it never lays out the screen.
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Line] = ()
        self._strips: dict[int, Strip] = {}
        self._styles_by_role: dict[str, Style] = {}
        self.painter = Painter(self, super().render_lines)
        self._filled = Size(0, 0)
        self._is_filling = False

    def fill(self) -> None:
        """Paint what there is in the room that there is now: the first frame does not wait to be told about it."""

    def on_resize(self, _event: events.Resize) -> None:
        """Fill the new room; this is also how the widget learns that it can be seen again."""
        self.fill()

    def paint(self, rows: Sequence[Line]) -> None:
        """Show these rows; those that have not changed cost nothing."""
        old, self._rows = self._rows, rows
        changed = [y for y in range(max(len(old), len(rows))) if old[y : y + 1] != rows[y : y + 1]]
        if not changed:
            return
        for y in changed:
            self._strips.pop(y, None)
        if self._is_filling:
            return
        width = self.size.width
        self.refresh(*(Region(0, y, width, 1) for y in changed))
        # Painted by Textual, the few rows would take everything along that lies between them and other changes.
        self.painter.paint()

    @property
    def text(self) -> str:
        """The rows as plain text."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self._rows)

    def notify_style_update(self) -> None:
        """Draw everything anew when the theme has changed."""
        super().notify_style_update()
        self._strips.clear()
        self._styles_by_role.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows for Textual."""
        if self.size != self._filled:
            self._filled, self._is_filling = self.size, True
            try:
                self.fill()
            finally:
                self._is_filling = False
        rows = super().render_lines(crop)
        self.painter.saw(crop, rows)
        return rows

    def render_line(self, y: int) -> Strip:
        """One row."""
        strip = self._strips.get(y)
        if strip is None or strip.cell_length != self.size.width:
            row = self._rows[y] if y < len(self._rows) else ()
            strip = inert_strip(Strip([Segment(text, self._style(role)) for text, role in row if text]))
            strip = self._strips[y] = strip.crop_extend(0, self.size.width, self._style("text"))
        return strip

    def _style(self, role: str) -> Style:
        if role not in self._styles_by_role:
            here = Style(bgcolor=self.rich_style.bgcolor)
            self._styles_by_role[role] = self.screen.get_component_rich_style(f"painted--{role}") + here
        return self._styles_by_role[role]


def row_width(row: Line) -> int:
    """How many columns a row takes."""
    return sum(cell_len(text) for text, _ in row)


def spread(left: Line, right: Line, width: int) -> Line:
    """The one at the left edge and the other at the right."""
    gap = max(width - row_width(left) - row_width(right), 1 if right else 0)
    return (*left, (" " * gap, "text"), *right)


class Weighted(NamedTuple):
    """A piece of what is shown; where there is no room for all, the lightest go first."""

    weight: int
    line: Line


def drop_lightest(pieces: list[Weighted], below: int = 10) -> bool:
    """Leave the lightest out, of equals the last; whether there was one of less than this weight."""
    at = min(reversed(range(len(pieces))), key=lambda index: pieces[index].weight, default=-1)
    if at < 0 or pieces[at].weight >= below:
        return False
    del pieces[at]
    return True
