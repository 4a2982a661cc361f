"""MaskedLog: what a run tells, for readers that print it and do not know what is secret here."""

from __future__ import annotations

import asyncio

from maverick_tui.events.kinds import Event
from maverick_tui.journal.masked_events import MaskedEvents
from maverick_tui.runs.log import EventLog

AT_ONCE = 500
"""Events that are taken out of the log at once."""


class MaskedLog:
    """What a run tells, without secrets. An event counts once its text is whole: what may begin a secret waits."""

    def __init__(self, events: EventLog) -> None:
        self.told: list[Event] = []
        self._log = events
        self._reader = events.reader(0)
        self._masked = MaskedEvents()

    async def catch_up(self) -> None:
        """Take all that is there; the run goes on in between."""
        while events := self._reader.take(AT_ONCE):
            self.told += self._masked.add(self._reader.number - len(events), events)
            await asyncio.sleep(0)

    async def wait(self) -> bool:
        """Wait for more, and take it; whether there was any before the end."""
        if not await self._log.wait(self._reader.number):
            return False
        await self.catch_up()
        return True
