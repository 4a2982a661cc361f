"""Keys that Textual reads wrongly, or not as a person means them."""

from __future__ import annotations

from textual import events
from textual.keys import Keys

from maverick_tui.ui.textual_private.asking import read_keys

_MODIFIERS = {"alt", "ctrl", "super", "hyper", "meta"}


def tell_alt_enter_from_enter() -> None:
    """Read Alt+Enter as Ctrl+J.

    Most terminals send Escape and Return for it, of which Textual makes a plain Enter: what was to be a new line would
    be sent.
    """
    for sequence in ("\x1b\r", "\x1b\n"):
        read_keys(sequence, (Keys.ControlJ,))


def is_character(event: events.Key) -> bool:
    """Whether the key writes its character; Textual reports Alt+D as the character d, too."""
    return event.is_printable and not _MODIFIERS.intersection(event.key.split("+")[:-1])


def is_modified_enter(event: events.Key) -> bool:
    """Whether this is Enter with a modifier as xterm and tmux send it, which Textual has no name for."""
    return event.character == "\r" and event.key.endswith("+\r")
