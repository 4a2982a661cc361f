"""Names of readers of a run: its terminal, with a number where that reads it more than once."""

from __future__ import annotations

import math
import os
import re
from typing import NamedTuple

NAMELESS = "another terminal"
_NUMBER = re.compile(r" \(\d+\)$")


class Reader(NamedTuple):
    """What we are to a run that we read."""

    name: str = ""
    since: float = 0.0
    """When we were given that name, by the run's clock: before, it may have been somebody else's."""
    here_since: float = math.inf
    """Since when whoever reads at the terminal of that name is the same person; never, if it is on another machine."""


def terminal() -> str:
    """What a reader here calls itself: its terminal; empty if there is none."""
    try:
        return os.ttyname(0).removeprefix("/dev/")
    except OSError:
        return ""


def at_terminal(who: str) -> str:
    """Who it is, and at which terminal, if there is one."""
    return f"{who} in {where}" if (where := terminal()) else who


def numbered(name: str, number: int) -> str:
    """The name of the reader with that number, of those that call themselves so."""
    return f"{name} ({number})"


def whose(by: str, at: float, reader: Reader) -> str:
    """Who has answered then, for a reader: nobody if it was that one itself, "you" if it was at their terminal.

    A run that is left and opened again, as from the inbox, is read by another reader of the same person.
    """
    if by == reader.name and at >= reader.since:
        return ""
    is_same = _NUMBER.sub("", by) == _NUMBER.sub("", reader.name) != NAMELESS
    return "you" if is_same and at >= reader.here_since else by
