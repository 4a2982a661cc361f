"""A run's log gives back every event as it was told, to whoever reads it from wherever."""

from __future__ import annotations

import sys

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.runs.log import EventLog


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
