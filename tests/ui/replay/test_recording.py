"""A recording on its line of time, and a store that is brought to any moment of it."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.replay.recording import LONGEST_WAIT, Recording, Rhythm, read_recording
from maverick_tui.ui.replay.seeking import Seeker
from tests.history.kept import begun, ended, keep, turn
from tests.runs.story import picture, told
from tests.runs.test_store_properties import ANY_EVENT
from tests.support.runs import Tape
from tests.support.sampling import examples

RUN = "7f3a00c0ffee"


def story() -> list[Event]:
    """A run with everything in it that a replay could take apart: deltas, a subagent, questions, two turns."""
    tape = Tape().connect().prompt("Look").think("Where is it? " * 9).say("It is **here**.\n\n" * 9, chunk=3)
    task = tape.call("Task", {"description": "Look around"})
    tape.tool("Read", {"file_path": "/work/a.py"}, "x = 1", parent=task).answer(task, "Seen.")
    tape.ask("Bash", {"command": "ls"}).decide("once").answer("call-3", "a.py").use(900, 40).done()
    return [*tape.prompt("And now?").say("Nothing.", chunk=2).wait(30).say(" More", chunk=1).done().events]


def brought(recording: Recording, *counts: int) -> RunStore:
    """A store that was at each of these moments."""
    store = RunStore()
    seeker = Seeker(recording, store)
    for count in counts:
        seeker.go_to(count)
        while seeker.work(time.perf_counter()):
            pass
        assert seeker.count == count
    return store


def as_seen(store: RunStore) -> Any:
    """What a store holds, but for how often it was told so, and in how many pieces a text came."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            skipped = ("version", "change", "_changed", "_moved", "_moved_at", "_raw")
            return {
                name: "".join(item) if name == "parts" else plain(item)
                for name, item in value.items()
                if name not in skipped
            }
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    return plain(picture(store))


# -- the line of time -------------------------------------------------------------------------------------------------


def test_long_waits_are_cut_short_and_the_clock_goes_faster_in_them() -> None:
    rhythm = Rhythm([100.0, 100.5, 160.5, 161.0], LONGEST_WAIT)
    assert rhythm.length == 3.0
    assert [rhythm.count_at(moment) for moment in (0.0, 0.4, 0.5, 2.4, 2.5, 9.0)] == [1, 1, 2, 2, 3, 4]
    assert [rhythm.time_at(moment) for moment in (0.0, 0.25, 0.5, 1.5, 2.5, 9.0)] == [
        100.0, 100.25, 100.5, 130.5, 160.5, 161.0,
    ]  # fmt: skip


def test_in_its_own_rhythm_every_wait_is_as_long_as_it_was() -> None:
    rhythm = Rhythm([100.0, 100.5, 160.5])
    assert rhythm.length == 60.5
    assert rhythm.time_at(30.25) == 130.25


def test_a_clock_that_was_set_back_does_not_turn_the_time_back() -> None:
    recording = Recording([ev.Noticed(at, "note", "x") for at in (100.0, 40.0, 101.0)])
    assert list(recording.times) == [100.0, 100.0, 101.0]
    assert recording.own_rhythm.length == 1.0


def test_a_run_of_one_event_is_a_moment() -> None:
    recording = Recording(begun()[:1])
    assert (recording.short_rhythm.length, recording.short_rhythm.count_at(0.0)) == (0.0, 1)


def test_prompts_and_failures_are_known_by_when_they_have_been() -> None:
    failure = ev.Failure("StreamingError", "network", "It broke.")
    recording = Recording([*begun(), *turn(), *turn(2, outcome="failed", failure=failure)])
    assert [type(recording.events[count - 1]).__name__ for count in recording.prompts] == ["TurnStarted"] * 2
    assert [type(recording.events[count - 1]).__name__ for count in recording.failures] == ["TurnEnded"]
    assert [recording.prompt_at(count) for count in (0, 4, 8, 9)] == [0, 1, 1, 2]


# -- any moment of it -------------------------------------------------------------------------------------------------


def test_deltas_are_taken_as_one_where_nothing_is_lost_by_it() -> None:
    events = story()
    steps = list(Recording(events).between(0, len(events)))
    assert len(steps) < len(events) / 2
    assert steps[-1][0] == len(events)


def test_at_every_moment_the_store_is_that_of_the_events_before_it_whichever_way_it_came_there() -> None:
    events = story()
    recording, chance = Recording(events), random.Random(1)
    for count in range(1, len(events) + 1, 3):
        way = [chance.randint(1, len(events)) for _ in range(2)]
        assert as_seen(brought(recording, *way, count)) == as_seen(told(*events[:count])), f"{way} {count}"


@settings(deadline=None, max_examples=examples(25, 300))
@given(st.lists(ANY_EVENT, min_size=2, max_size=30), st.data())
def test_whatever_a_journal_tells_it_is_the_same_there_and_back(events: Sequence[Event], data: st.DataObject) -> None:
    there, back = (data.draw(st.integers(1, len(events))) for _ in range(2))
    assert as_seen(brought(Recording(events), there, back)) == as_seen(told(*events[:back]))


def test_what_is_shown_stays_as_it_is_until_an_earlier_moment_is_reached() -> None:
    events = story() * 4
    store = RunStore()
    seeker = Seeker(Recording(events), store)
    seeker.go_to(len(events))
    seeker.work(float("inf"))
    before = as_seen(store)
    seeker.go_to(len(events) - 1)
    slices = 0
    while seeker.work(0.0):  # no time at all: it gives way as often as it can
        slices += 1
        assert as_seen(store) == before
    assert slices > 2
    assert as_seen(store) == as_seen(told(*events[:-1]))


def test_an_event_that_cannot_be_taken_hides_no_other(caplog: pytest.LogCaptureFixture) -> None:
    broken = ev.TurnStarted(1.0, 1, text=7)  # type: ignore[arg-type]
    events = [*begun(), broken, *turn(2)]
    assert brought(Recording(events), len(events)).last_outcome == "done"
    assert "TurnStarted could not be taken" in caplog.text


# -- reading ----------------------------------------------------------------------------------------------------------


def test_a_run_whose_process_is_gone_ends_where_it_was_cut() -> None:
    keep(RUN, [*begun(), *turn()[:3]])
    recording = read_recording(RUN)
    assert [event.type for event in recording.events[-2:]] == ["turn_ended", "run_ended"]
    assert recording.agent == "reviewer"


def test_a_run_that_is_alive_has_no_end() -> None:
    events = [*begun(), *turn()[:3]]
    journal = Journal(journal_of(RUN), on_trouble=pytest.fail)
    journal.write(0, events)
    try:
        assert len(read_recording(RUN)) == len(events)
    finally:
        journal.close()


def test_a_journal_without_events_is_nothing_to_play() -> None:
    keep(RUN, ended()).write_text("{broken\n")
    with pytest.raises(ConfigError, match=f"nothing of the run {RUN} to be played.* damaged"):
        read_recording(RUN)


def test_of_a_journal_whose_end_is_damaged_there_is_what_came_before_and_no_end_that_never_was() -> None:
    path = keep(RUN, [*begun(), *turn(), *ended()])
    lines = path.read_text().splitlines()
    lines[5:] = ["{broken"] * (len(lines) - 5)
    path.write_text("\n".join(lines) + "\n")
    recording = read_recording(RUN)
    assert [event.type for event in recording.events] == [event.type for event in [*begun(), *turn()][:5]]
    assert "is damaged after 5 events" in recording.problem
