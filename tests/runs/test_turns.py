"""Turns: what an engine tells belongs to one of them, also if it tells it too late."""

from __future__ import annotations

from maverick_tui.agent.engines import Answered, Permission, ToolQuestion
from maverick_tui.events import kinds as ev
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.own_questions import FUSE
from maverick_tui.runs.store import store_of
from maverick_tui.runs.turns import TASKS_STOPPED, Turns
from maverick_tui.usage import Usage


async def nobody(_question: ToolQuestion) -> Permission:
    return Permission(False)


def test_what_is_stopped_with_the_session_is_what_still_went_on_in_the_background() -> None:
    log = EventLog(lambda: 1.0)
    turns = Turns(log, nobody, lambda: None)
    for call in ("ended", "goes on"):
        turns.tell(ev.TaskProgressed(1.0, call, "running", call))
        turns.tell(ev.ToolFinished(1.0, call, "It works in the background."))
    turns.tell(ev.TaskProgressed(1.0, "ended", "completed"))
    turns.tell(ev.TaskProgressed(1.0, "ended", "running", "again, and waited for"))
    turns.end_tasks()
    assert [event.text for event in log.since(0) if isinstance(event, ev.Noticed)] == [f"{TASKS_STOPPED}: goes on"]


def test_what_comes_of_an_answer_that_was_given_up_is_told_in_a_turn_or_not_at_all() -> None:
    log = EventLog(lambda: 1.0)
    turns = Turns(log, nobody, lambda: None)
    turns.began("a job")
    turns.tell(ev.BlockStarted(1.0, 1, "text"))
    turns.end_background()  # it did not stop when it was told to
    turns.tell(ev.BlockGrew(1.0, 1, "more of what was given up"))
    turns.tell(ev.BlockEnded(1.0, 1))
    turns.tell(ev.BlockStarted(1.0, 2, "text"))
    turns.tell(ev.BlockGrew(1.0, 2, "something new"))
    turns.tell(ev.BlockEnded(1.0, 2))
    turns.ended(Answered(Usage(10, 5), steps=1))
    told = [(event.type, getattr(event, "turn", getattr(event, "block", None))) for event in log.since(0)]
    assert told == [
        ("turn_started", 1), ("block_started", 1), ("turn_ended", 1),
        ("turn_started", 2), ("block_started", 2), ("block_grew", 2), ("block_ended", 2), ("turn_ended", 2),
    ]  # fmt: skip


def test_a_turn_has_taken_as_long_as_whoever_looks_has_seen_it_go_by() -> None:
    now = 100.0
    log = EventLog(lambda: now)
    turns = Turns(log, nobody, lambda: None)
    held = turns.begin("go")  # by a fuse, say, which asked for eight seconds before the engine was given anything
    asked = ev.PermissionAsked(now, "q", f"{FUSE}1", "AskUserQuestion", {})
    log.emit(asked)
    now = 108.0
    log.emit(ev.PermissionSettled(now, "q", asked.call, "once"))
    now = 110.0
    figures = store_of(log.since(0)).figures
    before = figures.seconds(now)
    held.answered = Answered(Usage(10, 5, duration_ms=2_000), steps=1)
    turns.end(held)
    figures = store_of(log.since(0)).figures
    assert figures.seconds(now) == before == 10.0, "it does not go backwards"
    assert figures.person_seconds + figures.model_seconds <= before
    now = 90.0  # somebody has put the clock back
    later = turns.begin("go")
    now = 80.0
    later.answered = Answered(Usage(10, 5, duration_ms=2_000), steps=1)
    turns.end(later)
    later = turns.begin("go")
    now = 70.0
    turns.end(later)
    ends = [event.usage.duration_ms for event in log.since(0) if isinstance(event, ev.TurnEnded)]
    assert ends == [10_000, 2_000, 0]
