"""EventLog: everything that a run has told, in its order. Any number of readers follow it, each at its own place.

What is told is kept first, and read then. Deltas come by the hundred in a second; they are told in batches.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol, cast

from maverick_tui.events.growth import Growth

if TYPE_CHECKING:
    from maverick_tui.events.kinds import BlockEnded, BlockGrew, Event

BATCH = 0.03
"""Seconds in which what a block grows by is told as one: less than a frame on the screen."""


class Keeps(Protocol):
    """Where a run is kept."""

    def write(self, first: int, events: Sequence[Event], /) -> None:
        """Keep these events, the first of which has that number. It never fails: it says so itself."""

    def close(self) -> None:
        """Nothing more comes."""


class _Grown:
    """How a block has grown, in a tenth of the room: stands in the place of each of those events."""

    __slots__ = ("_growth", "_numbers")

    def __init__(self, numbers: Sequence[int], growth: Growth) -> None:
        self._numbers = numbers
        self._growth = growth

    def events(self, number: int, before: int) -> list[BlockGrew]:
        """The events that it was from that number on, as far as no other one is among them."""
        from maverick_tui.events.kinds import BlockGrew

        block = self._growth.block
        return [BlockGrew(at, block, text) for at, text in self._growth.pieces(*self._places(number, before))]

    def joined(self, number: int, before: int) -> Iterator[tuple[int, Event]]:
        """The same as `joined` has them."""
        from maverick_tui.events.kinds import BlockGrew

        for last, at, text in self._growth.by_seconds(*self._places(number, before)):
            yield self._numbers[last], BlockGrew(at, self._growth.block, text)

    def _places(self, number: int, before: int) -> tuple[int, int]:
        """Where that event stands, and where those end that follow it one by one."""
        start = bisect_left(self._numbers, number)
        places = range(start, bisect_left(self._numbers, before))
        return start, start + bisect_right(places, number - start, key=lambda place: self._numbers[place] - place)


class EventLog:
    """Numbers events by their place, from 0 on. Only the run writes; whoever reads cannot hold it up or change it."""

    def __init__(
        self, clock: Callable[[], float] = time.time, past: Iterable[Event] = (), *, is_batched: bool = True
    ) -> None:
        """`past` is what was told before the run goes on; what was in batches before need not be so again."""
        self._clock = clock
        self._is_batched = is_batched
        self.is_closed = False
        """Whether the last event has been told."""
        self.is_kept: bool | None = None
        """Whether there is a journal, of this process or the one whose log it repeats; None until that is said."""
        self._events: list[Event | _Grown] = [*past]
        self._told = len(self._events)
        """How many of them may be read."""
        self._batch: asyncio.TimerHandle | None = None
        self._grew_at = 0.0
        self._kept: Keeps | None = None
        self._growing: dict[int, list[int]] = {}
        """The numbers of what has grown a block that is open, by block."""
        self._waiting: set[asyncio.Future[None]] = set()

    def now(self) -> float:
        """The time, as precisely as it is kept."""
        return round(self._clock(), 3)

    def __len__(self) -> int:
        """How many events there are to read; also the number of the next one."""
        return self._told

    def keep_in(self, journal: Keeps, since: int = 0) -> None:
        """Keep everything there from now on, and what was told before, from that number on."""
        self._tell()
        self._kept, self.is_kept = journal, True
        if self._told > since:
            journal.write(since, self.since(since))

    def emit(self, event: Event) -> None:
        """Take the next event, unless the last one has been told."""
        if self.is_closed:
            return
        self._events.append(event)
        if event.type == "block_grew":
            self._growing.setdefault(cast("BlockGrew", event).block, []).append(len(self._events) - 1)
            self._tell_soon()
            return
        self._tell()
        if event.type == "block_ended":
            self._pack(cast("BlockEnded", event).block)
        elif event.type in ("turn_ended", "reply_restarted"):
            for block in list(self._growing):
                self._pack(block)

    def extend(self, events: Iterable[Event]) -> None:
        """Take what another log has told, all of it at once."""
        for event in events:
            if event.type == "block_grew" and not self.is_closed:
                self._growing.setdefault(cast("BlockGrew", event).block, []).append(len(self._events))
                self._events.append(event)
            else:
                self.emit(event)
        self._tell()

    def grow(self, growth: Growth) -> None:
        """Take what a block of another log has grown by; it stays as it is, which costs a quarter of `extend`."""
        if self.is_closed:
            return
        first = len(self._events)
        self._events += [_Grown(range(first, first + len(growth)), growth)] * len(growth)
        self._tell()

    def _tell_soon(self) -> None:
        """Tell it with what follows at once; the first word of many does not wait."""
        if self._batch is not None:
            return
        if not self._is_batched:
            self._tell()
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._tell()
            return
        if loop.time() - self._grew_at >= BATCH:
            self._grew_at = loop.time()
            self._tell()
        else:
            self._batch = loop.call_at(self._grew_at + BATCH, self._tell_batch)

    def _tell_batch(self) -> None:
        self._grew_at = asyncio.get_running_loop().time()
        self._tell()

    def _tell(self) -> None:
        """Keep what is not kept yet, and let it be read."""
        if self._batch is not None:
            self._batch.cancel()
            self._batch = None
        if self._told == len(self._events):
            return
        if self._kept is not None:
            self._kept.write(self._told, cast("list[Event]", self._events[self._told :]))
        self._told = len(self._events)
        self._wake()

    def _pack(self, block: int) -> None:
        numbers = self._growing.pop(block, [])
        if len(numbers) > 1:
            events = [cast("BlockGrew", self._events[number]) for number in numbers]
            growth = Growth(block, [event.at for event in events], [event.text for event in events])
            grown = _Grown(array("Q", numbers), growth)
            for number in numbers:
                self._events[number] = grown

    def close(self) -> None:
        """Nothing more comes."""
        self._tell()
        self.is_closed = True
        if self._kept is not None:
            self._kept.close()
        self._wake()

    def since(self, number: int, most: int | None = None) -> list[Event]:
        """The events from that number on, or so many of them."""
        before = self._told if most is None else min(self._told, number + most)
        found: list[Event] = []
        while (at := number + len(found)) < before:
            item = self._events[at]
            if isinstance(item, _Grown):
                found += item.events(at, before)
            else:
                found.append(item)
        return found

    def joined_since(self, number: int) -> Iterator[tuple[int, Event]]:
        """The same from that number on, with their numbers, and less of them: see `joined`."""
        while number < (end := self._told):
            item = self._events[number]
            if isinstance(item, _Grown):
                found = item.joined(number, end)
            else:
                plain = takewhile(lambda item: not isinstance(item, _Grown), self._events[number:end])
                found = joined(cast("Iterator[Event]", plain), number)
            for number, event in found:
                yield number, event
            number += 1

    def reader(self, since: int = 0) -> LogReader:
        """A place in the log, before the event with that number."""
        return LogReader(self, since)

    async def wait(self, number: int) -> bool:
        """Wait until there is an event with that number; False if there never will be."""
        while self._told <= number:
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


class LogReader:
    """Reads a log from its own place on, as fast as it likes."""

    def __init__(self, log: EventLog, since: int) -> None:
        self._log = log
        self.number = since
        """The number of the event that it reads next."""

    @property
    def is_kept(self) -> bool | None:
        """Whether what it reads is kept; None until that is said."""
        return self._log.is_kept

    @property
    def told(self) -> list[Event]:
        """Everything that stands in the log."""
        return self._log.since(0)

    def take(self, most: int | None = None) -> list[Event]:
        """What has come since the last time, or so much of it."""
        events = self._log.since(self.number, most)
        self.number += len(events)
        return events

    def take_joined(self) -> list[tuple[int, Event]]:
        """The same with numbers; what a block grows by is one event for each second: see `joined`."""
        events = list(self._log.joined_since(self.number))
        self.number = events[-1][0] + 1 if events else self.number
        return events

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Every event, until the run has told its last one."""
        while await self._log.wait(self.number):
            for event in self.take():
                yield event


def joined(events: Iterable[Event], first: int = 0) -> Iterator[tuple[int, Event]]:
    """Events with their numbers, from `first` on; what a block grows by within a second is one, with the last number.

    Whoever adds it up by the second finds the same, in a fraction of the time.
    """
    grown: list[BlockGrew] = []
    number = first - 1
    for number, event in enumerate(events, first):
        if event.type != "block_grew":
            if grown:
                yield number - 1, _as_one(grown)
                grown = []
            yield number, event
            continue
        growth = cast("BlockGrew", event)
        if grown and (growth.block != grown[-1].block or int(growth.at) != int(grown[-1].at)):
            yield number - 1, _as_one(grown)
            grown = []
        grown.append(growth)
    if grown:
        yield number, _as_one(grown)


def _as_one(grown: list[BlockGrew]) -> BlockGrew:
    last = grown[-1]
    return last if len(grown) == 1 else type(last)(last.at, last.block, "".join(event.text for event in grown))


def numbered(number: int, event: Event) -> dict[str, Any]:
    """An event as it travels: a JSON object that says which one it is, under `seq`."""
    from maverick_tui.events.wire import to_json

    return {"seq": number, **to_json(event)}
