"""Names of readers of a run: its terminal, with a number where that reads it more than once."""

from __future__ import annotations

import re

NAMELESS = "another terminal"
_NUMBER = re.compile(r" \(\d+\)$")


def numbered(name: str, number: int) -> str:
    """The name of the reader with that number, of those that call themselves so."""
    return f"{name} ({number})"


def whose(by: str, reader: str) -> str:
    """Who has answered, for a reader: nobody to be named if it was that one itself, and "you" if it was their terminal.

    A run that is left and opened again, as from the inbox, is read by another reader of the same person.
    """
    if by == reader:
        return ""
    terminal = _NUMBER.sub("", by)
    return "you" if terminal == _NUMBER.sub("", reader) != NAMELESS else by
