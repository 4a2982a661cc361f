"""Prompts that wait are changed, moved, dropped and sent now, into the running turn where the engine takes that."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs.commands import AnswerPermission, EditPrompt, Interrupt, MovePrompt, SteerPrompt
from maverick_tui.runs.local import NOT_STEERED
from maverick_tui.runs.past import past_of
from maverick_tui.runs.prompter import Prompter
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Direct, Talker
from tests.support.model import call, last_prompt, say, scene


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


@pytest.mark.parametrize("agent", [Cli, Api])
async def test_words_reach_the_agent_in_the_middle_of_its_turn(
    agent: type[Talker], serve: ServeModel, home: Path
) -> None:
    (home / ".ssh").mkdir()
    key = home / ".ssh" / "config"
    key.write_text("nothing")
    read = call("Read", file_path=str(key))
    scenes = [scene(read, say("Heard."), prompt="one"), scene(say("Third."), prompt="three")]
    async with serve(scenes) as model, watch(agent) as run:
        run.prompt("one")
        asked = await run.until(ev.PermissionAsked)
        three, two = run.prompt("three"), run.prompt("two: stop there")
        run.send(SteerPrompt(two))
        assert run.all(ev.QueueChanged)[-1] == ev.QueueChanged(run.events[-1].at, (two, three), (), (two,))
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(ev.TurnEnded, 2)
    (steered,) = run.all(ev.PromptSteered)
    assert (steered.turn, steered.prompt_id, steered.text) == (1, two, "two: stop there")
    assert [event.text for event in run.all(ev.TurnStarted)] == ["one", "three"], "it was no turn of its own"
    first, second, *_ = [str(request["messages"]) for request in model.requests if request.get("messages")]
    assert "two: stop there" not in first
    assert "two: stop there" in second, "with the results of the call"
    assert "while you are at work" in second


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
