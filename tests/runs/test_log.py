"""A run's log gives back every event as it was told, to whoever reads it from wherever."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.growth import Growth
from maverick_tui.events.kinds import Event
from maverick_tui.runs.log import EventLog, joined


def told() -> list[Event]:
    """Two blocks that grow at the same time, one of which breaks off."""
    events: list[Event] = [ev.BlockStarted(1, 1, "text"), ev.BlockStarted(1, 2, "text", "c1")]
    grown = [ev.BlockGrew(2 + number / 8, 1 + number % 2, f"word {number} " * (number % 3)) for number in range(20)]
    return [*events, *grown, ev.BlockEnded(9, 1), ev.BlockGrew(9, 2, "more"), ev.TurnEnded(10, 1, "done", ev.Usage())]


def test_what_is_read_is_what_was_told_from_every_place_on() -> None:
    log, events = EventLog(), told()
    for number, event in enumerate(events):
        log.emit(event)
        assert log.since(0) == events[: number + 1]
    assert [log.since(number) for number in range(len(events))] == [events[number:] for number in range(len(events))]
    assert len(log) == len(events)


def test_a_block_that_has_ended_takes_little_more_room_than_its_text() -> None:
    log = EventLog()
    deltas = [ev.BlockGrew(float(number), 1, f"w{number:05} ") for number in range(1_000)]
    events: list[Event] = [ev.BlockStarted(0, 1, "text"), *deltas, ev.BlockEnded(9, 1)]
    for event in events:
        log.emit(event)
    kept = {id(item): item for item in log._events[1:-1]}
    assert len(kept) == 1, "one thing, and not a thousand"
    assert sum(map(sys.getsizeof, (event.text for event in deltas))) > 50_000
    assert log.since(1)[:-1] == deltas


def growing(blocks: int, count: int) -> list[Event]:
    """Blocks that grow by turns, eight pieces a second, some of them several times in a row."""
    return [ev.BlockGrew(2 + number / 8, number // 3 % blocks, f"word {number} ") for number in range(count)]


@pytest.mark.parametrize("blocks", [1, 2])
def test_joined_it_is_the_same_text_second_by_second_from_every_place_on(blocks: int) -> None:
    events: list[Event] = [ev.BlockStarted(1, block, "text") for block in range(blocks)]
    events += growing(blocks, 60)
    rest = [*(ev.BlockEnded(20, block) for block in range(blocks)), ev.TurnEnded(21, 1, "done", ev.Usage())]
    told, packed = EventLog(), EventLog()
    for event in [*events, *rest]:
        told.emit(event)
    packed.extend(events[:blocks])
    for _, pieces in groupby(events[blocks:], lambda event: getattr(event, "block", 0)):
        grown = [event for event in pieces if isinstance(event, ev.BlockGrew)]
        packed.grow(Growth(grown[0].block, [event.at for event in grown], [event.text for event in grown]))
    packed.extend(rest)
    assert packed.since(0) == told.since(0)
    for start in range(len(told)):
        found = list(told.joined_since(start))
        assert found == list(packed.joined_since(start)) == list(joined(told.since(start), start))
        assert [number for number, _ in found][-1] == len(told) - 1
        assert sums(event for _, event in found) == sums(told.since(start))


def sums(events: Iterable[Event]) -> dict[tuple[int, int], str]:
    """What each block has grown by in each second."""
    found: dict[tuple[int, int], str] = {}
    for event in events:
        if isinstance(event, ev.BlockGrew):
            key = (event.block, int(event.at))
            found[key] = found.get(key, "") + event.text
    return found


def test_a_reader_that_takes_it_joined_goes_on_where_it_was() -> None:
    log, events = EventLog(is_batched=False), growing(1, 40)
    reader = log.reader()
    assert reader.take_joined() == []
    log.extend(events[:3])
    log.grow(Growth(0, [event.at for event in events[3:30]], [getattr(event, "text", "") for event in events[3:30]]))
    taken = reader.take_joined()
    assert (taken[-1][0], reader.number, len(taken)) == (29, 30, 5)
    log.extend(events[30:])
    assert sums(event for _, event in [*taken, *reader.take_joined()]) == sums(events)
