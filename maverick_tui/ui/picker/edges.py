"""The first and the last line of the picker: where it is, and what the keys do or a notice says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.lines import inert_strip, role_look
from maverick_tui.ui.rendering.wrap import cut, wrap_words

TITLE = "Maverick"
GAP = 3
MOST_LINES = 4
"""Lines that a notice may take."""


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
        return inert_strip(Strip(segments)).crop_extend(0, width, self.rich_style)


def _end_of(folder: str, room: int) -> str:
    """The folder, or as many of its last parts as fit: those tell which one it is."""
    parts = folder.split("/")
    for first in range(1, len(parts)):
        if cell_len(folder) <= room:
            break
        folder = f"…/{'/'.join(parts[first:])}"
    return cut(folder, max(room, 0))


class KeyHint(NamedTuple):
    """A key, what it does, and the key's own name."""

    label: str
    description: str
    key: str


class KeyHints(Widget):
    """Lists the bindings that want to be shown, the screen's at the left and the application's at the right."""

    notice: reactive[str] = reactive("", layout=True)
    is_error: reactive[bool] = reactive(False)

    def on_mount(self) -> None:
        """Follow the bindings, which depend on what is shown."""
        self.screen.bindings_updated_signal.subscribe(self, self._refresh_for)

    def _refresh_for(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self.refresh()

    def say(self, text: str, *, is_error: bool = False) -> None:
        """Show this instead of the hints; no text brings the hints back."""
        self.is_error = is_error
        self.notice = f"✘ {text}" if is_error else text

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, or as many as the notice needs."""
        return min(len(wrap_words(self.notice, width)), MOST_LINES)

    def _hints(self) -> tuple[list[KeyHint], list[KeyHint]]:
        """Those of the screen and those of the application, each action once."""
        ours: dict[str, KeyHint] = {}
        apps: dict[str, KeyHint] = {}
        for node, binding, enabled, _ in self.screen.active_bindings.values():
            if binding.show and enabled:
                hint = KeyHint(self.app.get_key_display(binding), binding.description, binding.key)
                (apps if node is self.app else ours).setdefault(binding.action, hint)
        return list(ours.values()), list(apps.values())

    def _placed(self) -> Iterator[tuple[int, KeyHint]]:
        """Each hint and the column that it starts at; what does not fit is left out from the right."""
        ours, apps = self._hints()
        at, end = 0, self.size.width
        for hint in ours:
            if at + _width(hint) > end:
                return
            yield at, hint
            at += _width(hint) + GAP
        right = list(apps)
        while right and at + sum(_width(hint) + GAP for hint in right) - GAP > end:
            right.pop()
        at = end - sum(_width(hint) + GAP for hint in right) + GAP
        for hint in right:
            yield at, hint
            at += _width(hint) + GAP

    def render_line(self, y: int) -> Strip:
        """The notice, or the hints."""
        width = self.size.width
        if self.notice:
            lines = wrap_words(self.notice, width)
            style = role_look(self, "error" if self.is_error else "text")
            text = lines[y] if y < len(lines) else ""
            return inert_strip(Strip([Segment(text, style)])).crop_extend(0, width, self.rich_style)
        if y:
            return Strip.blank(width, self.rich_style)
        segments: list[Segment] = []
        used = 0
        for at, hint in self._placed():
            segments.append(Segment(" " * (at - used), self.rich_style))
            segments.append(Segment(hint.label, role_look(self, "accent")))
            segments.append(Segment(f" {hint.description}", role_look(self, "muted")))
            used = at + _width(hint)
        return Strip(segments).crop_extend(0, width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Do what the key would do; a click on a notice takes it away."""
        event.stop()
        if self.notice:
            self.notice = ""
            return
        offset = event.get_content_offset(self)
        for at, hint in self._placed():
            if offset is not None and at <= offset.x < at + _width(hint):
                self.app.simulate_key(hint.key)


def _width(hint: KeyHint) -> int:
    return cell_len(hint.label) + 1 + cell_len(hint.description)
