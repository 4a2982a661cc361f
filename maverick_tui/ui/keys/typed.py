"""WaitingKeys: what is typed while a screen comes up is kept until it can take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
    from textual.app import App


def is_typed(event: events.Event) -> bool:
    """Whether it is something that the person types, and that no widget has been given yet."""
    return isinstance(event, events.Key | events.Paste) and not event.is_forwarded


class WaitingKeys:
    """Textual gives keys to the widget that has the focus; before a new screen has one, they would be lost."""

    def __init__(self, app: App[Any]) -> None:
        """Nothing waits yet."""
        self._app = app
        self._events: list[events.Event] = []

    def keep(self, event: events.Event) -> bool:
        """Whether the event is one of the person's that nobody can take yet; then it is kept."""
        if not is_typed(event) or not self._is_coming_up():
            return False
        self._events.append(event)
        return True

    def take(self) -> list[events.Event]:
        """What has been kept, in order; from now on it is the caller's."""
        kept, self._events = self._events, []
        return kept

    def _is_coming_up(self) -> bool:
        if not self._app.screen_stack:
            return True
        screen = self._app.screen
        return bool(screen.AUTO_FOCUS) and not screen.is_mounted and screen.focused is None
