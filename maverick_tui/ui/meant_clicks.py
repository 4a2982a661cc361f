"""MeantClicks: only the left button, by itself, clicks. Another one pastes, or opens a menu, in most terminals."""

from __future__ import annotations

from textual import events

_LEFT = 1


class MeantClicks:
    """Tells which presses of the mouse are for us; for Textual any button clicks, whatever is held down with it."""

    def __init__(self) -> None:
        self._is_modified = False
        """Whether the left button was pressed with a key: its release is none of ours then, either."""

    def passes_over(self, event: events.Event) -> bool:
        """Whether an event is a press of the mouse, or its end, that nothing here is meant by."""
        if not isinstance(event, events.MouseDown | events.MouseUp):
            return False
        if event.button == _LEFT and isinstance(event, events.MouseDown):
            self._is_modified = event.shift or event.meta or event.ctrl
        return event.button != _LEFT or self._is_modified
