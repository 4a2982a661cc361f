"""TypedKeys: what is typed while a screen comes up, or while nothing has the focus, reaches the one it is meant for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
    from textual.app import App


class TypedKeys:
    """Textual gives keys to the widget that has the focus; before a new screen has one, they would be lost."""

    def __init__(self, app: App[Any]) -> None:
        """Nothing waits yet."""
        self._app = app
        self._waiting: list[events.Event] = []

    def keep(self, event: events.Event) -> bool:
        """Whether the event is one of the person's that nobody can take yet; then it is kept."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._is_coming_up():
            self._waiting.append(event)
            return True
        self._focus_for_typing()
        return False

    def take(self) -> list[events.Event]:
        """What has been kept, in order; from now on it is the caller's."""
        kept, self._waiting = self._waiting, []
        return kept

    def _is_coming_up(self) -> bool:
        if not self._app.screen_stack:
            return True
        screen = self._app.screen
        return bool(screen.AUTO_FOCUS) and not screen.is_mounted and screen.focused is None

    def _focus_for_typing(self) -> None:
        """Let what is typed go where it goes when a screen comes up, if nothing has the focus.

        Textual takes it away while the terminal has none, gives it back only if something had it before that, and does
        neither for what is pasted.
        """
        self._app.app_focus = True
        screen = self._app.screen
        if screen.focused is None and screen.AUTO_FOCUS:
            first = next((widget for widget in screen.query(screen.AUTO_FOCUS) if widget.focusable), None)
            screen.set_focus(first)
