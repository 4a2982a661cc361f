"""Questions of a run: asked, answered, remembered, and withdrawn. The real CLI asks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maverick_tui import MaverickConfig
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.runs.commands import AnswerPermission, Interrupt
from maverick_tui.runs.events import (
    InterruptRequested,
    PermissionAsked,
    PermissionSettled,
    ToolBegan,
    ToolCalled,
    ToolFinished,
    TurnEnded,
)
from tests.conftest import ServeModel
from tests.runs.story import told, tool
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene, turns


class Handyman(Talker):
    allowed_tools = ("Read", "Write", "Bash", "AskUserQuestion")
    permission_mode = "default"


async def test_once_deny_and_a_reason(serve: ServeModel) -> None:
    calls = [bash(f"mkdir {name}") for name in ("once", "denied", "reasoned")]
    async with serve([*calls, say("done")]), watch(Handyman) as run:
        run.prompt("work")
        first = await run.until(PermissionAsked)
        run.send(AnswerPermission(first.request, "once"))
        assert isinstance(run.events[-1], PermissionSettled), "in the same call"
        run.send(AnswerPermission(first.request, "deny"))  # too late
        second = await run.until(PermissionAsked, 2)
        run.send(AnswerPermission(second.request, "deny"))
        third = await run.until(PermissionAsked, 3)
        run.send(AnswerPermission(third.request, "deny", reason="use make instead"))
        ended = await run.until(TurnEnded)
    assert ended.outcome == "done"
    assert (first.tool, first.arguments["command"], first.agent) == ("Bash", "mkdir once", "handyman")
    assert [event.decision for event in run.all(PermissionSettled)] == ["once", "deny", "deny"]
    assert Path("once").is_dir()
    assert not Path("denied").exists()
    results = run.all(ToolFinished)
    assert [result.is_error for result in results] == [False, True, True]
    assert "use make instead" in results[2].output


async def test_calls_that_were_not_asked_about_yet_wait_and_do_not_run(serve: ServeModel) -> None:
    three = Answer(steps=tuple(ToolStep(tool="Bash", input={"command": f"mkdir {name}"}) for name in "abc"))
    async with serve([three, bash("ls"), say("done")]), watch(Handyman) as run:
        run.prompt("work")
        await run.until(ToolCalled, 3)
        question = await run.until(PermissionAsked)
        store = told(*run.events)
        run.send(AnswerPermission(question.request, "once"))
        for number in (2, 3):
            run.send(AnswerPermission((await run.until(PermissionAsked, number)).request, "once"))
        await run.until(TurnEnded)
    calls = run.all(ToolCalled)
    assert [tool(store, one.call).state for one in calls[:3]] == ["asking", "waiting", "waiting"]
    assert [event.call for event in run.all(ToolBegan)] == [calls[3].call], "only what runs unasked says so itself"
    assert [tool(told(*run.events), one.call).state for one in calls] == ["done"] * 4


async def test_a_grant_for_the_run_reaches_as_far_as_it_says(serve: ServeModel) -> None:
    commands = ["yarn run a", "yarn run b --silent", "yarn run c; touch c.txt", "yarn install"]
    async with serve([*map(bash, commands), say("done")]), watch(Handyman) as run:
        run.prompt("work")
        first = await run.until(PermissionAsked)
        assert first.grants == ("Bash: yarn run a", "Bash: yarn run …", "every Bash command")
        run.send(AnswerPermission(first.request, "run", grant=1))
        for number in (2, 3):
            question = await run.until(PermissionAsked, number)
            run.send(AnswerPermission(question.request, "deny"))
        await run.until(TurnEnded)
    assert [question.arguments["command"] for question in run.all(PermissionAsked)] == [commands[0], *commands[2:]]
    by_rule = [event for event in run.all(PermissionSettled) if event.by_rule]
    assert [(event.decision, event.by_rule) for event in by_rule] == [("run", "Bash: yarn run …")]


async def test_a_grant_for_files_ends_at_the_folder_and_at_hidden_ones(serve: ServeModel, tmp_path: Path) -> None:
    places = ["a.txt", "sub/b.txt", ".git/hooks/pre-commit", str(tmp_path / "outside.txt")]
    writes = [call("Write", file_path=str(Path(place).absolute()), content="x") for place in places]
    async with serve([*writes, say("done")]), watch(Handyman) as run:
        run.prompt("work")
        first = await run.until(PermissionAsked)
        assert first.grants == ("Write of a.txt", "Write in this folder")
        run.send(AnswerPermission(first.request, "run", grant=1))
        for number, grants in ((2, ()), (3, (f"Write of {places[3]}",))):
            question = await run.until(PermissionAsked, number)
            assert question.grants == grants
            run.send(AnswerPermission(question.request, "deny"))
        await run.until(TurnEnded)
    assert Path("a.txt").exists()
    assert Path("sub/b.txt").exists()
    assert not Path(places[3]).exists()


async def test_a_question_of_the_agent_is_answered_and_closing_withdraws_another(serve: ServeModel) -> None:
    options = [{"label": label, "description": label} for label in ("red", "blue")]
    question: dict[str, Any] = {"question": "Which?", "header": "Colour", "multiSelect": False, "options": options}
    script = [
        scene(call("AskUserQuestion", questions=[question]), say("done"), turn=1),
        scene(bash("mkdir a"), say("never said"), turn=2),
    ]
    async with serve(script), watch(Handyman) as run:
        run.prompt("ask")
        asked = await run.until(PermissionAsked)
        assert asked.grants == (), "an answer holds for one question"
        run.send(AnswerPermission(asked.request, "run", answers={"Which?": "blue"}))
        await run.until(TurnEnded)
        run.prompt("work")
        await run.until(PermissionAsked, 2)
    assert [event.decision for event in run.all(PermissionSettled)] == ["once", "withdrawn"]
    assert "blue" in run.all(ToolFinished)[0].output
    assert [turn.outcome for turn in run.all(TurnEnded)] == ["done", "interrupted"]
    assert not Path("a").exists()


async def test_an_interrupt_withdraws_the_question(serve: ServeModel) -> None:
    asking = Answer(steps=tuple(ToolStep(tool="Bash", input={"command": f"mkdir {name}"}) for name in "ab"))
    async with serve(turns(asking, say("between"), asking, say("next"))), watch(Handyman) as run:
        for number in (1, 3):
            asked = len(run.all(PermissionAsked))
            run.prompt("work")
            await run.until(PermissionAsked, asked + 1)
            run.send(Interrupt())
            settled, requested = run.events[-1], run.events[-2]
            assert isinstance(requested, InterruptRequested)
            assert isinstance(settled, PermissionSettled)
            assert settled.decision == "withdrawn"
            assert (await run.until(TurnEnded, number)).outcome == "interrupted"
            assert (await run.ask("go on")).outcome == "done"
    assert not Path("a").exists()
    assert not Path("b").exists()


async def test_nobody_is_asked_in_mode_dont_ask(serve: ServeModel) -> None:
    class Quiet(Handyman):
        permission_mode = "dontAsk"

    async with serve([bash("mkdir a"), say("done")]), watch(Quiet, config=MaverickConfig.load()) as run:
        ended = await run.ask("work")
    assert ended.outcome == "done"
    assert not run.all(PermissionAsked)
    assert run.all(ToolFinished)[0].is_error
