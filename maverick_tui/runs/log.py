"""EventLog: everything that a run has told, in its order. Any number of readers follow it, each at its own place."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event


class EventLog:
    """Numbers events by their place, from 0 on. Only the run writes; whoever reads cannot hold it up or change it."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.now = clock
        self.is_closed = False
        """Whether the last event has been told."""
        self._events: list[Event] = []
        self._waiting: set[asyncio.Future[None]] = set()

    def __len__(self) -> int:
        """How many events there are; also the number of the next one."""
        return len(self._events)

    def emit(self, event: Event) -> None:
        """Take the next event, unless the last one has been told."""
        if not self.is_closed:
            self._events.append(event)
            self._wake()

    def close(self) -> None:
        """Nothing more comes."""
        self.is_closed = True
        self._wake()

    def since(self, number: int) -> list[Event]:
        """The events from that number on."""
        return self._events[number:]

    def reader(self, since: int = 0) -> Reader:
        """A place in the log, before the event with that number."""
        return Reader(self, since)

    async def wait(self, number: int) -> bool:
        """Wait until there is an event with that number; False if there never will be."""
        while len(self._events) <= number:
            if self.is_closed:
                return False
            news = asyncio.get_running_loop().create_future()
            self._waiting.add(news)
            try:
                await news
            finally:
                self._waiting.discard(news)
        return True

    def _wake(self) -> None:
        for news in self._waiting:
            if not news.done():
                news.set_result(None)


class Reader:
    """Reads a log from its own place on, as fast as it likes."""

    def __init__(self, log: EventLog, since: int) -> None:
        self._log = log
        self.number = since
        """The number of the event that it reads next."""

    def take(self) -> list[Event]:
        """What has come since the last time."""
        events = self._log.since(self.number)
        self.number += len(events)
        return events

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Every event, until the run has told its last one."""
        while await self._log.wait(self.number):
            for event in self.take():
                yield event


def numbered(number: int, event: Event) -> dict[str, Any]:
    """An event as it travels: a JSON object that says which one it is, under `seq`."""
    from maverick_tui.events.wire import to_json

    return {"seq": number, **to_json(event)}
