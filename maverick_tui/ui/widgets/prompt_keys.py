"""The keys that edit a prompt, and those that Textual reads wrongly, or not as a person means them."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.binding import Binding
from textual.keys import Keys
from textual.widgets import TextArea

from maverick_tui.ui.textual_private.asking import read_keys

_MORE_KEYS = {
    "cursor_word_left": "alt+b,alt+left",
    "cursor_word_right": "alt+f,alt+right",
    "delete_word_right": "alt+d",
    "undo": "ctrl+underscore",
}
_LEFT_OUT = {"cursor_up", "cursor_down", "cursor_page_up", "cursor_page_down"}
"""Up and down are our own; pages are for the transcript, wherever the focus is."""

_SUSPENDS = "ctrl+z"
"""The application takes it before any widget, as a shell does."""


def editing_keys() -> Iterator[Binding]:
    """The keys of a TextArea and those that readline adds, each with a name for a keymap."""
    for binding in TextArea.BINDINGS:
        assert isinstance(binding, Binding)
        action = binding.action.replace("(True)", "_select")
        if action not in _LEFT_OUT:
            own = [key for key in binding.key.split(",") if key != _SUSPENDS]
            keys = ",".join(filter(None, (*own, _MORE_KEYS.get(action))))
            yield Binding(keys, binding.action, binding.description, show=False, id=f"prompt.{action}")


def tell_alt_enter_from_enter() -> None:
    """Read Alt+Enter as Ctrl+J.

    Most terminals send Escape and Return for it, of which Textual makes a plain Enter: what was to be a new line would
    be sent.
    """
    for sequence in ("\x1b\r", "\x1b\n"):
        read_keys(sequence, (Keys.ControlJ,))


def is_modified_enter(event: events.Key) -> bool:
    """Whether this is Enter with a modifier as xterm and tmux send it, which Textual has no name for."""
    return event.character == "\r" and event.key.endswith("+\r")
