"""Readers: who reads a run now, each by a name of its own, so that it can be said who has answered."""

from __future__ import annotations

from maverick_tui.inert import one_line
from maverick_tui.runs.reader_names import NAMELESS, numbered


class Readers:
    """Comes to know whoever follows the run; those that only ask are none of them."""

    def __init__(self) -> None:
        """Nobody is here yet."""
        self._names: dict[str, None] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._names)

    @property
    def names(self) -> list[str]:
        """What they are called, in the order in which they came."""
        return list(self._names)

    def come(self, name: str) -> str:
        """Somebody begins to read; what it is called from now on, which nobody else is."""
        wanted = one_line(name).strip() or NAMELESS
        given, number = wanted, 1
        while given in self._names:
            number += 1
            given = numbered(wanted, number)
        self._names[given] = None
        return given

    def go(self, name: str) -> None:
        """It has left."""
        del self._names[name]
