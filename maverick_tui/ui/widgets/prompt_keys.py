"""Keys that Textual reads wrongly, or not as a person means them."""

from __future__ import annotations

from typing import cast

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys

_MODIFIERS = {"alt", "ctrl", "super", "hyper", "meta"}


def tell_alt_enter_from_enter() -> None:
    """Read Alt+Enter as Ctrl+J.

    Most terminals send Escape and Return for it, of which Textual makes a plain Enter: what was to be a new line would
    be sent. Its table of sequences is private, and there is no other way to add to it; a test watches that it works.
    """
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for sequence in ("\x1b\r", "\x1b\n"):
        table[sequence] = (Keys.ControlJ,)


def is_character(event: events.Key) -> bool:
    """Whether the key writes its character; Textual reports Alt+D as the character d, too."""
    return event.is_printable and not _MODIFIERS.intersection(event.key.split("+")[:-1])


def is_modified_enter(event: events.Key) -> bool:
    """Whether this is Enter with a modifier as xterm and tmux send it, which Textual has no name for."""
    return event.character == "\r" and event.key.endswith("+\r")
