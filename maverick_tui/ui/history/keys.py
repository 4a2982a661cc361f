"""The keys of the history: which action each of them is bound to."""

from __future__ import annotations

from textual.binding import Binding

HISTORY_KEYS = (
    Binding("enter", "choose", "open", key_display="Enter", id="history.open"),
    Binding("tab", "view(1)", "view", key_display="Tab", id="history.view"),
    Binding("escape", "back", "back", key_display="Esc", id="history.back"),
    Binding("delete", "delete", "delete", key_display="Del", id="history.delete"),
    Binding("ctrl+underscore", "undo", "undo", id="history.undo"),
    Binding("f2", "name", "name", id="history.name"),
    Binding("ctrl+t", "tag", "tag", id="history.tag"),
    Binding("ctrl+s", "order", "sort", id="history.sort"),
    Binding("alt+p", "replay", "Play it again", show=False, id="history.replay"),
    Binding("shift+tab", "view(-1)", "View before", show=False, id="history.view_before"),
    Binding("f3", "leave", "Back to where you came from", show=False, id="history.leave"),
    Binding("ctrl+u", "clear", "Clear what is typed", show=False, id="history.clear"),
    Binding("ctrl+r", "reload", "Look for changes", show=False, id="history.reload"),
    Binding("up", "move(-1)", "Row up", show=False, id="history.up"),
    Binding("down", "move(1)", "Row down", show=False, id="history.down"),
    Binding("pageup", "page(-1)", "Page up", show=False, id="history.page_up"),
    Binding("pagedown", "page(1)", "Page down", show=False, id="history.page_down"),
    Binding("home", "end(-1)", "First row", show=False, id="history.first"),
    Binding("end", "end(1)", "Last row", show=False, id="history.last"),
    Binding("shift+up", "scroll_preview(-1)", "Preview up", show=False, id="history.preview_up"),
    Binding("shift+down", "scroll_preview(1)", "Preview down", show=False, id="history.preview_down"),
)
