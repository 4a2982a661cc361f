"""ArmedDialog: a dialog whose keys act only once nothing has been typed for a moment."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.reactive import reactive
from textual.screen import ScreenResultType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.drawn import when_drawn

ARMED_AFTER = 0.5
"""Seconds without a key before an answer counts: what is still being typed is meant for the screen below."""
TYPED_TOO = ("enter", "backspace", "delete")
"""Keys that are pressed amid words, beside characters."""


class ArmedDialog(Dialog[ScreenResultType]):
    """Comes up in the middle of typing at times, by a key that was hit instead of another.

    What is typed before it is armed does nothing, and makes it wait again; so does a key that means nothing here, which
    is the first of words that are meant for the screen below. It waits again as well whenever words were written in it,
    or something above it is left: whoever has ended that by Enter may type on, and means neither. Escape leaves it at
    any time; arrows and pages are not typed, and whoever clicks has seen what they click on (unless that is the second
    half of a double click, for which `MeantClicks` looks). And it waits for the terminal to have drawn what it shows,
    which over a slow line, or while that is stopped, is later.
    """

    armed_after: float = ARMED_AFTER
    is_armed: reactive[bool] = reactive(False)
    _arming: Timer | None = None
    _is_still = False
    """Whether nothing has been typed for long enough."""
    _drawings = 0
    """How often the terminal was waited for: of what it has drawn, only the last counts."""

    def on_mount(self) -> None:
        """Take keys only after a moment."""
        self.wait_still()

    def on_screen_resume(self) -> None:
        """Nothing is above it any more."""
        self.wait_still()

    def watch_focused(self, before: Widget | None, _after: Widget | None) -> None:
        """Words may have been written where the focus was, by keys that are not heard of here."""
        if isinstance(before, Input | TextArea) and self.is_active:
            self.wait_still()

    def wait_still(self) -> None:
        """Take keys only after nothing has been typed for a while."""
        if self._arming is not None:
            self._arming.stop()
        self.is_armed = self._is_still = not self.armed_after
        if self.armed_after:
            self._drawings += 1
            self._arming = self.set_timer(self.armed_after, self._arm)

    def _arm(self) -> None:
        self._is_still = True
        self.wait_drawn()

    def wait_drawn(self) -> None:
        """Take keys only once the terminal has drawn what is shown by now."""
        if not self._is_still:
            return  # it is waited for afterwards
        self.is_armed = False
        self._drawings += 1
        when_drawn(self.app, partial(self._drawn, self._drawings))

    def _drawn(self, drawing: int) -> None:
        if drawing == self._drawings:
            self.is_armed = True
            self.when_armed()

    def when_armed(self) -> None:
        """All that is shown has been drawn, and nothing was typed for a while."""

    def on_key(self, event: events.Key) -> None:
        """Let nothing act that is still being typed."""
        is_typed, is_meant = event.is_printable or event.key in TYPED_TOO, event.key in self.active_bindings
        if not is_typed or (self.is_armed and is_meant):
            return
        event.stop()
        self.wait_still()
        if is_meant:
            self.tell_to_wait()

    def tell_to_wait(self) -> None:
        """Say why nothing was done."""
        self.notify(f"Stop typing for {self.armed_after:g} s, then press it again.", timeout=3)
