"""Runs as the interface knows them: what is asked of them early and late, and their places."""

from __future__ import annotations

import asyncio

import pytest

from maverick_tui.events import kinds as events
from maverick_tui.events.kinds import Event
from maverick_tui.runs import commands
from maverick_tui.runs.board import Board, Rest, RunModel
from maverick_tui.runs.log import EventLog
from tests.runs.story import LOADED, START, ask, asked, call, end
from tests.support.cases import each
from tests.ui.running import Kept


def board() -> tuple[Board, list[tuple[str, str]]]:
    told: list[tuple[str, str]] = []
    return Board(lambda run, event: told.append((run.run_id, event.type))), told


def run_on(one: Board, run_id: str = "r1") -> RunModel:
    run = RunModel(run_id, "reviewer", one)
    one.add(run)
    return run


def test_events_reach_the_store_and_those_who_draw() -> None:
    one, told = board()
    run = run_on(one)
    one.receive(run, LOADED)
    assert run.store.loaded is LOADED
    assert told == [("r1", "agent_loaded")]


def test_everything_that_is_asked_is_a_command() -> None:
    run, kept = run_on(board()[0]), Kept()
    run.connect(kept)
    run.ask("Look")
    run.take_back("p")
    run.interrupt()
    run.answer("q", "deny", "no", {"a": "b"})
    run.set_mode("plan")
    run.reconnect()
    run.close()
    sent, *others = kept.take()
    assert isinstance(sent, commands.SendPrompt)
    assert (sent.text, bool(sent.prompt_id)) == ("Look", True)
    assert others == [
        commands.DropPrompt("p"),
        commands.Interrupt(),
        commands.AnswerPermission("q", "deny", "no", {"a": "b"}),
        commands.SetMode("plan"),
        commands.Reconnect(),
        commands.CloseRun(),
    ]


def test_what_is_asked_before_the_run_is_there_goes_first() -> None:
    (one, told), kept = board(), Kept()
    run = run_on(one)
    run.ask("one")
    run.set_mode("plan")
    run.interrupt()
    assert told == [], "only a run tells what happens"
    run.connect(kept)
    run.ask("three")
    assert [getattr(one, "text", one.type) for one in kept.take()] == ["one", "set_mode", "interrupt", "three"]


async def test_an_event_that_cannot_be_shown_does_not_hide_the_next(caplog: pytest.LogCaptureFixture) -> None:
    def show(_run: RunModel, event: Event) -> None:
        if isinstance(event, events.Connecting):
            raise ValueError("cannot draw this")

    one, log = Board(show), EventLog()
    run = run_on(one)
    for event in (START, events.Connecting(1), events.RunNamed(1, "Cart"), events.RunEnded(2)):
        log.emit(event)
    log.close()
    await run.follow(log)
    assert run.title == "Cart"
    assert "Connecting could not be taken" in caplog.text


async def test_it_follows_the_log_of_its_run_to_the_end() -> None:
    (one, told), log = board(), EventLog()
    run = run_on(one)
    following = asyncio.create_task(run.follow(log))
    for event in (START, events.RunNamed(1, "Cart"), events.RunEnded(2)):
        log.emit(event)
    log.close()
    await following
    assert [kind for _, kind in told] == ["run_started", "run_named", "run_ended"]
    assert run.title == "Cart"


@pytest.mark.parametrize("had_journal", [False, True])
async def test_a_run_that_goes_on_is_kept_as_before_until_its_process_says_otherwise(had_journal: bool) -> None:
    run, log = run_on(board()[0]), EventLog()
    run.has_journal = had_journal
    assert run.is_kept is had_journal
    following = asyncio.create_task(run.follow(log))
    await asyncio.sleep(0)
    assert run.is_kept is had_journal
    for log.is_kept in (True, False):
        assert run.is_kept is log.is_kept
    log.close()
    await following


def test_one_that_does_not_come_back_has_the_prompts_that_it_had() -> None:
    run = run_on(board()[0])
    run.store.queue |= {"moved": "First", "changed": "Old words", "dropped": "Not this"}
    run.move_prompt("moved", 1)
    run.edit_prompt("changed", "New words")
    run.take_back("dropped")
    run.ask("Sent meanwhile")
    wanted = run.lay_down(Kept(), Rest("read"))
    assert run.store.queue == {"moved": "First"}
    assert [*commands.words_in(wanted).values()] == ["New words", "Sent meanwhile"]


def test_places_count_the_runs_that_are_alive() -> None:
    one, _ = board()
    runs = [run_on(one, f"r{number}") for number in range(3)]
    runs[2].store = asked(events.ToolCalled(1, "c", "Bash", {}), events.PermissionAsked(1, "q", "c", "Bash", {}))
    assert [run.board_position() for run in runs] == [(1, 3, 1), (2, 3, 1), (3, 3, 0)]
    one.receive(runs[0], events.RunEnded(2))
    assert [run.board_position() for run in runs] == [(1, 1, 1), (1, 2, 1), (2, 2, 0)]
    runs[1].lay_down(Kept(), Rest("read"))
    assert [run.board_position() for run in runs] == [(1, 1, 1), (1, 1, 1), (1, 1, 0)]
    assert one.at_work == [runs[2]]


def test_going_round() -> None:
    one, _ = board()
    runs = [run_on(one, f"r{number}") for number in range(3)]
    assert [one.beside(runs[0], step) for step in (1, -1, 3)] == [runs[1], runs[2], runs[0]]


@each(
    ("told", "is_at_work"),
    [
        ([], True),
        ([end()], False),
        ([end(), events.PromptQueued(10, "p2", "More")], True),
        (
            [call("Agent"), events.ToolFinished(4, "c1", "launched"), events.TaskProgressed(5, "c1", "running"), end()],
            True,
        ),
        ([call("Agent"), events.ToolFinished(4, "c1", "x"), events.TaskProgressed(5, "c1", "completed"), end()], False),
        ([end(), call("Bash", at=10), ask(at=11)], True),
        ([end(), events.JobsScheduled(10, ({"prompt": "Look again"},))], True),
        ([end(), events.JobsScheduled(10, ({"prompt": "Look again"},)), events.JobsScheduled(11)], False),
        ([end(), events.PromptQueued(10, "p2", "More"), events.JobsScheduled(11, ({},)), events.RunEnded(12)], False),
    ],
    ids=[
        "a turn",
        "nothing",
        "a prompt",
        "a task",
        "a task that is over",
        "a question",
        "a job",
        "a job that has ended",
        "an ended run",
    ],
)
def test_whoever_would_lose_something_is_at_work(told: list[Event], is_at_work: bool) -> None:
    one, _ = board()
    run = run_on(one)
    run.store = asked(*told)
    assert one.at_work == ([run] if is_at_work else [])
