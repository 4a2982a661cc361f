"""One call, or one subagent, is stopped by itself, on both engines: acknowledged, confirmed, and the turn goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from maverick_tui import registry
from maverick_tui.events.kinds import (
    CallStopping,
    Connected,
    Noticed,
    PermissionAsked,
    TaskProgressed,
    ToolBegan,
    ToolCalled,
    ToolFinished,
    TurnEnded,
)
from maverick_tui.executor import tool
from maverick_tui.runs.commands import AnswerPermission, Interrupt
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Direct, Talker, Worker
from tests.support.model import bash, call, say, scene
from tests.support.processes import marked, until_running

LONG = "python3 -c 'import time; time.sleep(601)'"


@tool(is_read_only=True)
async def wait_long() -> str:
    """Takes its time."""
    await asyncio.sleep(600)
    return "never"


@tool(is_read_only=True)
async def be_quick() -> str:
    """Takes none."""
    return "quick"


class Waiter(Direct):
    own_tools = (wait_long, be_quick)


def stops(run: Watched) -> list[tuple[str, str]]:
    return [(event.call, event.state) for event in run.all(CallStopping)]


def state_of(run: Watched, call_id: str) -> str:
    store = RunStore()
    for event in run.events:
        store.apply(event)
    entry = store.calls.get(call_id)
    assert entry is not None
    return entry.state


async def test_a_call_of_the_engine_api_is_stopped_beside_others_and_the_model_goes_on(serve: ServeModel) -> None:
    both = call("wait_long").model_copy(update={"steps": (*call("wait_long").steps, *call("be_quick").steps)})
    async with serve([both, say("I go on.")]) as model, watch(Waiter) as run:
        run.prompt("go")
        slow = await run.until(ToolCalled, where=lambda event: event.name == "wait_long")
        await run.until(ToolBegan, 2)
        await run.until(ToolFinished)
        run.send(Interrupt(slow.call))
        assert stops(run) == [(slow.call, "asked")], "it is heard at once"
        ended = await run.until(TurnEnded)
    assert ended.outcome == "done"
    assert run.text() == "I go on."
    assert stops(run) == [(slow.call, "asked"), (slow.call, "stopped")]
    assert state_of(run, slow.call) == "cut"
    said = str(model.requests[-1]["messages"][-1])
    assert "quick" in said
    assert "The user has stopped this call before it was answered." in said


async def test_a_subagent_of_the_engine_api_is_stopped_with_what_it_does(serve: ServeModel) -> None:
    class Helper(Waiter):
        name, description = "helper", "Helps."

    class Boss(Direct):
        name, subagents = "boss", ("helper",)

    registry.register("helper", Helper)
    try:
        scenes = [
            scene(call("wait_long"), say("never said"), prompt="^below$"),
            scene(call("helper", prompt="below"), say("I go on."), prompt="^go$"),
        ]
        async with serve(scenes), watch(Boss) as run:
            run.prompt("go")
            helper = await run.until(ToolCalled)
            slow = await run.until(ToolCalled, where=lambda event: event.name == "wait_long")
            await run.until(ToolBegan, where=lambda event: event.call == slow.call)
            run.send(Interrupt(helper.call))
            ended = await run.until(TurnEnded)
    finally:
        registry.unregister("helper")
    assert (ended.outcome, run.text()) == ("done", "I go on.")
    assert stops(run) == [(helper.call, "asked"), (helper.call, "stopped")]


async def test_what_cannot_be_stopped_alone_is_said_and_goes_on(serve: ServeModel) -> None:
    async with serve([call("be_quick"), say("Done.")]), watch(Waiter) as run:
        await run.ask("go")
        (quick,) = run.all(ToolCalled)
        for call_id in (quick.call, "nobody's"):
            run.send(Interrupt(call_id))
        await run.until(CallStopping, 4)
        reasons = {event.reason for event in run.all(CallStopping) if event.state == "failed"}
        assert reasons == {"be_quick has ended already.", "There is no such call."}
        assert [event.kind for event in run.all(Noticed)][-2:] == ["stop", "stop"]


@pytest.mark.explore
@pytest.mark.slow
async def test_a_command_of_claude_code_is_stopped_and_one_that_waits_for_a_person_is_denied(
    serve: ServeModel, mark: str
) -> None:
    script = [scene(bash(LONG), bash("touch other"), say("I go on."))]
    async with serve(script) as model, watch(Worker) as run:
        await run.until(Connected)
        run.prompt("go")
        for number in (1, 2):
            asked = await run.until(PermissionAsked, number)
            if number == 1:
                run.send(AnswerPermission(asked.request, "once"))
                await until_running(mark, "sleep(601)")
            run.send(Interrupt(asked.call))  # of a command the CLI says only after seconds how it can be stopped
            await run.until(CallStopping, number * 2)
        ended = await run.until(TurnEnded)
        assert not [words for words in marked(mark).values() if "sleep(601)" in words]
    first, second = (event.call for event in run.all(ToolCalled))
    assert stops(run) == [(first, "asked"), (first, "stopped"), (second, "asked"), (second, "stopped")]
    assert (ended.outcome, run.text().splitlines()[-1]) == ("done", "I go on.")
    assert [state_of(run, first), state_of(run, second)] == ["cut", "denied"]
    assert len(model.requests) == 3


class Delegator(Talker):
    allowed_tools = ("Task", f"Bash({LONG})")


@pytest.mark.slow
async def test_a_subagent_of_claude_code_is_stopped_in_a_turn_and_beside_it_and_its_parent_goes_on(
    serve: ServeModel, mark: str
) -> None:
    task: dict[str, Any] = {"description": "d", "prompt": "BELOW", "subagent_type": "general-purpose"}
    script = [
        scene(bash(LONG), say("never said"), prompt="^BELOW$"),
        scene(call("Agent", **task, run_in_background=False), say("I go on."), prompt="^go$"),
        scene(call("Agent", **task, run_in_background=True), say("I go on, too."), say("Noted."), prompt="^beside$"),
    ]
    async with serve(script), watch(Delegator) as run:
        run.allows_everything = True
        await run.until(Connected)
        for number, prompt in ((1, "go"), (2, "beside")):
            run.prompt(prompt)
            await run.until(ToolCalled, number, where=lambda event: event.name == "Agent")
            await until_running(mark, "sleep(601)")
            if prompt == "beside":
                await run.until(TurnEnded, number)
            agents = [event.call for event in run.all(ToolCalled) if event.name == "Agent"]
            run.send(Interrupt(agents[-1]))
            await run.until(CallStopping, number * 2)
            if prompt == "go":
                assert (await run.until(TurnEnded)).outcome == "done"
    assert stops(run) == [(agent, state) for agent in agents for state in ("asked", "stopped")]
    assert "I go on." in run.text()
    assert "I go on, too." in run.text()
    for agent in agents:
        assert "never said" not in run.text(parent=agent)
        ended = [event for event in run.all(TaskProgressed) if event.state in ("stopped", "killed")]
        assert agent in {event.call for event in ended}
