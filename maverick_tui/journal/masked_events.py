"""MaskedEvents: events as a journal would have them, for what is told of a run without one."""

from __future__ import annotations

from collections.abc import Sequence

from maverick_tui.events.kinds import Event
from maverick_tui.journal.lines import Decoder, Encoder


class MaskedEvents:
    """Gives out each event without secrets, and when its text is whole: what may begin a secret waits."""

    def __init__(self, first: int = 0) -> None:
        """`first` is the number of the first event that comes."""
        self._encoder = Encoder()
        self._decoder = Decoder(first)
        self._first = self.given = first
        """`given` is the number of the event that comes out next."""

    def add(self, first: int, events: Sequence[Event]) -> list[Event]:
        """The events that are complete with these, the first of which has that number."""
        self._decoder.add(self._encoder.lines(first, events).splitlines(keepends=True))
        known = self._decoder.events
        until = max(min(self._decoder.unfinished, default=self._first + len(known)), self.given)
        complete, self.given = known[self.given - self._first : until - self._first], until
        return complete
