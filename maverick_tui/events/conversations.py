"""Which conversation a run is in, by what its engine tells: its id, how far it has come, and what it had used."""

from __future__ import annotations

from maverick_tui.events.kinds import Event, ModelNamed, RunForked, TurnEnded
from maverick_tui.usage import Usage

MOST_COUNTS = 1_000
"""Figures that an engine may begin to count from, of which so many are remembered."""


class ConversationReader:
    """Reads the events of a run one by one."""

    def __init__(self) -> None:
        self.conversation = ""
        """What the engine knows it by; empty until it has told."""
        self.place = ""
        """What it knows the end of the last turn by; empty if it has not told."""
        self.is_fork = False
        """Whether the conversation is another run's, and one of its own is still to begin."""
        self._used = [Usage()]
        """What all of it may have used by now: a fork does not know what its engine has begun to count from."""
        self._counts: dict[str, dict[Usage, None]] = {}

    def read(self, event: Event) -> None:
        """Take the next one."""
        match event:
            case RunForked():
                self._used = [Usage(), *(Usage(**count) for count in event.counts)]
                self.conversation, self.place, self.is_fork = event.conversation, event.place, True
                self._count()
            case ModelNamed() if event.session_id not in ("", self.conversation):
                if not self.is_fork:
                    self._used = [Usage()]
                self.conversation, self.place, self.is_fork = event.session_id, "", False
                self._count()
            case TurnEnded():
                counted = event.usage - event.uncounted
                self._used = [used + counted for used in self._used]
                self.place = event.place
                self._count()

    def counts(self, conversation: str) -> tuple[Usage, ...]:
        """What that conversation had used whenever a turn of it has ended."""
        return tuple(self._counts.get(conversation, ()))[-MOST_COUNTS:]

    def _count(self) -> None:
        self._counts.setdefault(self.conversation, {}).update(dict.fromkeys(self._used))
