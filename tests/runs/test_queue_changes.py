"""Prompts that wait are changed, moved, dropped and sent now, into the running turn where the engine takes that."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.engine.recalling import history_of
from maverick_tui.events import kinds as ev
from maverick_tui.runs.commands import (
    AnswerPermission,
    ClearConversation,
    EditPrompt,
    Interrupt,
    MovePrompt,
    SendPrompt,
    SteerPrompt,
    is_for_engine,
)
from maverick_tui.runs.local import CLEARS_LATER, IS_COMMAND, NOT_STEERED
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import past_of
from maverick_tui.runs.prompter import Prompter
from maverick_tui.runs.queue import Queue
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Direct, Talker
from tests.support.model import call, fail, last_prompt, say, scene


class Cli(Talker):
    name = "cli"
    allowed_tools = ["Read"]


class Api(Direct):
    name = "api"
    allowed_tools = ["Read"]


def waiting(run: Watched) -> tuple[list[str], set[str]]:
    """What a reader sees of the queue, from the beginning, and what a run that comes back has."""
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert [one.text for one in past_of(run.events).waiting] == list(store.queue.values())
    return list(store.queue.values()), store.held


@pytest.mark.parametrize(("agent", "is_there"), [(Cli, False), (Api, True)])
async def test_words_reach_the_agent_in_the_middle_of_its_turn(
    agent: type[Talker], is_there: bool, serve: ServeModel, home: Path
) -> None:
    (home / ".ssh").mkdir()
    key = home / ".ssh" / "config"
    if is_there:  # a call that fails does as well as one that does not
        key.write_text("nothing")
    read = call("Read", file_path=str(key))
    scenes = [
        scene(read, say("Heard."), prompt="one"),
        scene(say("Third."), prompt="three"),
        scene(read, fail(400), prompt="four"),
    ]
    async with serve(scenes) as model, watch(agent) as run:
        run.prompt("one")
        asked = await run.until(ev.PermissionAsked)
        three, two = run.prompt("three"), run.prompt("two: stop there")
        run.send(SteerPrompt(two))
        assert run.all(ev.QueueChanged)[-1] == ev.QueueChanged(run.events[-1].at, (two, three), (), (two,))
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(ev.TurnEnded, 2)
        if agent is Cli:  # which may not have kept what it was given when the request fails that tells the model
            run.prompt("four")
            asked = await run.until(ev.PermissionAsked, 2)
            five = run.prompt("five")
            run.send(SteerPrompt(five))
            run.send(AnswerPermission(asked.request, "once"))
            await run.until(ev.TurnEnded, 3)
            assert waiting(run) == (["five"], {five})
    (steered,) = run.all(ev.PromptSteered)
    assert (steered.turn, steered.prompt_id, steered.text) == (1, two, "two: stop there")
    assert [event.text for event in run.all(ev.TurnStarted)][:2] == ["one", "three"], "it was no turn of its own"
    first, second, *_ = [str(request["messages"]) for request in model.requests if request.get("messages")]
    assert "two: stop there" not in first
    assert "two: stop there" in second, "with the results of the call"
    assert "while you are at work" in second
    at = run.events.index(steered)
    assert not any(isinstance(event, ev.PromptSteered | ev.PromptDropped) for event in run.events[: at - 1])
    assert [message.content for message in history_of(run.events)][3].endswith("two: stop there"), "it goes on with it"


def given(*texts: str) -> tuple[Queue, EventLog, list[str]]:
    """A queue of which all is to be given to the agent."""
    log = EventLog()
    queue, ids = Queue(log), [f"p{text}" for text in texts]
    for text in (*texts, "last"):
        queue.add(SendPrompt(f"p{text}", text))
    for one in ids:
        assert queue.urge(one, is_to_steer=True)
    return queue, log, ids


def order(log: EventLog) -> list[str]:
    return [one.text for one in past_of([ev.RunStarted(0.0, "r", "a"), *log.since(0)]).waiting]


def test_words_wait_until_the_engine_has_them_and_stay_in_their_order() -> None:
    queue, log, ids = given("a", "b")
    assert [one.text for one in queue.give_urgent()] == ["a", "b"]
    assert queue.give_urgent() == [], "nothing is given twice"
    assert order(log) == ["a", "b", "last"], "whoever is killed now has them still"
    queue.calm()
    assert queue.next == SendPrompt("pa", "a"), "the turn ended before the engine took them"
    assert queue.take_given() == []
    queue.urge("plast", is_to_steer=False)
    assert order(log) == ["last", "a", "b"], "what was wanted in a turn that is over stands in nobody's way"
    check_queue(log)
    assert ids == ["pa", "pb"]


def test_what_is_moved_is_given_where_it_stands_and_can_be_wanted_again() -> None:
    queue, log, _ = given("a", "b")
    queue.move("pa", 1)
    assert [one.text for one in queue.give_urgent()] == ["b", "a"]
    queue.move("pa", 1)
    queue.urge("pa", is_to_steer=False)
    assert order(log) == ["b", "a", "last"]
    check_queue(log)


def test_what_is_changed_or_dropped_while_it_is_given_is_told_as_it_was_given() -> None:
    queue, log, _ = given("a", "b", "c")
    queue.give_urgent()
    queue.replace("pa", "a, better")
    queue.drop(lambda prompt: prompt.prompt_id == "pb")
    assert queue.take_given() == [SendPrompt("", "a"), SendPrompt("pb", "b"), SendPrompt("pc", "c")]
    assert order(log) == ["a, better", "last"]
    assert [one.text for one in queue.give_urgent()] == ["a, better"]
    queue.urge("plast", is_to_steer=True)
    check_queue(log)


def check_queue(log: EventLog) -> None:
    waiting = set[str]()
    for event in log.since(0):
        if isinstance(event, ev.PromptQueued):
            waiting.add(event.prompt_id)
        elif isinstance(event, ev.PromptDropped):
            waiting.remove(event.prompt_id)
        elif isinstance(event, ev.QueueChanged):
            assert set(event.prompt_ids) == waiting
            assert {*event.held, *event.urgent} <= waiting


async def test_what_waits_is_changed_moved_and_sent_after_an_interrupt(serve: ServeModel, home: Path) -> None:
    (home / ".ssh").mkdir()
    scenes = [
        scene(call("Read", file_path=str(home / ".ssh" / "config")), say("Done."), prompt="one"),
        scene(say("Else.")),
    ]
    async with serve(scenes) as model, watch(Api) as run:
        run.prompt("one")
        await run.until(ev.PermissionAsked)
        two, three, four = run.prompt("two"), run.prompt("three"), run.prompt("four")
        run.send(EditPrompt(three, "three, but better"))
        run.send(MovePrompt(four, -1))
        run.send(MovePrompt(two, -1))
        assert waiting(run) == (["two", "four", "three, but better"], set())
        run.send(EditPrompt(two, "  "))
        run.send(EditPrompt("no such", "x"))
        run.send(SteerPrompt("no such"))
        run.send(Interrupt())
        await run.until(ev.TurnEnded)
        assert waiting(run) == (["two", "four", "three, but better"], {two, three, four})
        run.send(SteerPrompt(three))
        await run.until(ev.TurnEnded, 2)
        assert waiting(run) == (["two", "four"], {two, four}), "the others wait on"
    assert last_prompt(model.requests[-1]) == "three, but better"


async def test_an_engine_that_takes_nothing_meanwhile_says_so(
    serve: ServeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Prompter, "can_steer", False)
    (home / ".ssh").mkdir()
    scenes = [
        scene(call("Read", file_path=str(home / ".ssh" / "config")), say("Done."), prompt="one"),
        scene(say("Else.")),
    ]
    async with serve(scenes), watch(Api) as run:
        run.prompt("one")
        asked = await run.until(ev.PermissionAsked)
        run.prompt("two")
        run.send(SteerPrompt(run.prompt("three")))
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(ev.TurnEnded, 3)
    assert NOT_STEERED in [event.text for event in run.all(ev.Noticed)]
    assert not run.all(ev.PromptSteered)
    assert [event.text for event in run.all(ev.TurnStarted)] == ["one", "three", "two"]


@pytest.mark.explore
async def test_what_waits_is_a_command_or_a_prompt_by_what_it_says_when_it_begins(
    serve: ServeModel, home: Path
) -> None:
    read = call("Read", file_path=str(home / ".ssh" / "config"))
    scenes = [
        scene(read, say("Read."), prompt="^one"),
        scene(say("Tested."), prompt="^now test"),
        scene(say("<summary>All of it.</summary>"), prompt="summary"),
    ]
    async with serve(scenes) as model, watch(Cli) as run:
        run.prompt("one")
        asked = await run.until(ev.PermissionAsked)
        for prompt_id, text, is_command in (("p2", "/compact", True), ("p3", "three", False)):
            run.send(SendPrompt(prompt_id, text, is_command))
        run.send(EditPrompt("p2", "now test it"))
        run.send(EditPrompt("p3", "/compact and keep the plan"))
        run.send(SteerPrompt("p3"))
        assert run.all(ev.Noticed)[-1].text == IS_COMMAND
        assert run.all(ev.QueueChanged)[-1].urgent == ()
        run.send(ClearConversation())
        assert run.all(ev.Noticed)[-1].text == CLEARS_LATER
        run.send(AnswerPermission(asked.request, "deny"))
        await run.until(ev.TurnEnded, 3)
        started = [(event.text, event.is_command) for event in run.all(ev.TurnStarted)]
        assert started == [("one", False), ("/compact and keep the plan", True), ("now test it", False)]
        await run.until(ev.Noticed, 1, lambda notice: notice.kind == "cleared")
    assert any("now test it" in last_prompt(request) for request in model.requests)


def test_a_page_that_begins_with_a_command_is_none() -> None:
    said = (
        "/compact",
        "/compact keep the plan",
        "/compact\nall",
        " /compact",
        "\n/compact",
        "/compactness",
        "",
        "compact",
    )
    assert [is_for_engine(text) for text in said] == [True, True, True, *[False] * 5]
