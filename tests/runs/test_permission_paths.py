"""Every way on which a question goes, on both engines; those of the real CLI alone are in test_local_permissions.py.

| path                        | real CLI                         | engine `api`             |
| allow, deny with a reason   | test_local_permissions           | test_api_engine          |
| edited arguments, a rule    | test_local_permissions           | test_api_engine          |
| allowed for the run         | test_local_permissions           | here                     |
| the agent's own question    | test_local_permissions           | it has no such tool      |
| a plan                      | here                             | it has no such tool      |
| interrupt while it asks     | test_local_permissions           | here                     |
| several at once             | here, by subagents               | here                     |
| of two runs at once         | here                             | here                     |
| two readers                 | tests/host/test_readers.py, tests/ui/inbox/test_elsewhere.py    |
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from maverick_tui import MaverickAgent
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.events.kinds import (
    ModeChanged,
    PermissionAsked,
    PermissionSettled,
    ToolFinished,
    TurnEnded,
)
from maverick_tui.events.marks import marks_of
from maverick_tui.executor import tool
from maverick_tui.executor.tools import FunctionTool
from maverick_tui.modes import MEANINGS
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.runs import questions
from maverick_tui.runs.commands import AnswerPermission, Interrupt, SetMode
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene
from tests.support.sampling import sampled


@tool
async def make_folder(name: str) -> str:
    """Make a folder."""
    Path(name).mkdir()
    return f"made {name}"


class Handyman(Talker):
    """Asks by the real CLI."""

    allowed_tools = ("Bash", "Task", "ExitPlanMode")
    permission_mode = "default"


class Direct(Talker):
    """Asks by our own loop."""

    engine = "api"
    own_tools: Sequence[FunctionTool] = (make_folder,)


def own(*names: str) -> Answer:
    return Answer(steps=tuple(ToolStep(tool="make_folder", input={"name": name}) for name in names))


async def test_a_plan_is_shown_refused_with_words_and_then_allowed_and_a_question_tells_which_part_of_it_asks(
    serve: ServeModel,
) -> None:
    plans = [call("ExitPlanMode", plan="# Tear it down"), call("ExitPlanMode", plan="# Build it up")]

    class Planner(Handyman):
        permission_mode = "plan"

    works = [bash("mkdir built"), bash("ls && mkdir /outside"), say("done")]
    async with serve([*plans, *works]), watch(Planner) as run:
        run.prompt("plan")
        first = await run.until(PermissionAsked)
        assert (first.tool, first.grants, first.rules) == ("ExitPlanMode", (), ()), "an answer holds for one plan"
        run.send(AnswerPermission(first.request, "deny", reason="keep the cellar"))
        second = await run.until(PermissionAsked, 2)
        assert second.tool == "ExitPlanMode"
        run.send(AnswerPermission(second.request, "once"))
        third = await run.until(PermissionAsked, 3)
        assert third.tool == "Bash", "the work is asked about as ever"
        run.send(AnswerPermission(third.request, "once"))
        fourth = await run.until(PermissionAsked, 4)
        run.send(AnswerPermission(fourth.request, "deny"))
        assert (await run.until(TurnEnded)).outcome == "done"
    marked = [(part.text, part.why) for part in marks_of(fourth.marks, fourth.arguments)]
    assert marked == [("&&", ""), ("mkdir", "not known to only read"), ("/outside", "outside of this folder")]
    assert "keep the cellar" in run.all(ToolFinished)[0].output
    assert run.all(ModeChanged)[-1].mode == "default"
    assert Path("built").is_dir()


async def test_what_is_allowed_for_the_run_is_asked_about_once(serve: ServeModel) -> None:
    async with serve([own("a"), own("a2"), say("done")]), watch(Direct) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        assert len(asked.grants) == 2
        run.send(AnswerPermission(asked.request, "run", grant=1))
        await run.until(TurnEnded)
    assert len(run.all(PermissionAsked)) == 1
    assert [settled.by_rule for settled in run.all(PermissionSettled)] == ["", asked.grants[1]]
    assert [Path(name).is_dir() for name in ("a", "a2")] == [True, True]


async def test_what_is_allowed_answers_what_waits_for_it_in_other_runs_too(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "LOOK_EVERY", 0.02)
    async with serve([own("a", "b"), say("done")]), watch(Direct) as one:
        one.prompt("go")
        first = await one.until(PermissionAsked, 2)
        one.send(AnswerPermission(first.request, "run", grant=1))
        await one.until(TurnEnded)
        assert [settled.by_rule for settled in one.all(PermissionSettled)] == ["", first.grants[1]]
    async with serve([own("c", "d"), say("done")]), watch(Direct) as one, watch(Direct) as two:
        one.prompt("go")
        first = await one.until(PermissionAsked, 2)
        two.prompt("go")
        await two.until(PermissionAsked, 2)
        one.send(AnswerPermission(first.request, "deny"))
        user_file().parent.mkdir(parents=True)
        user_file().write_text(f'allow = ["{first.rules[-1]}"]')
        await one.until(TurnEnded)
        await two.until(TurnEnded)
    by_rule = f"allow {first.rules[-1]} in {user_file()}"
    assert [settled.by_rule for settled in one.all(PermissionSettled)] == ["", by_rule]
    assert [settled.by_rule for settled in two.all(PermissionSettled)] == [by_rule, by_rule]


async def test_several_questions_at_once_are_each_answered_for_themselves(serve: ServeModel) -> None:
    async with serve([own("a", "b", "c"), say("done")]), watch(Direct) as run:
        run.prompt("go")
        await run.until(PermissionAsked, 3)
        by_name = {asked.arguments["name"]: asked for asked in run.all(PermissionAsked)}
        first, second, third = (by_name[name] for name in "abc")
        run.send(AnswerPermission(third.request, "once"))
        run.send(AnswerPermission(first.request, "deny", reason="not this one"))
        run.send(AnswerPermission(second.request, "once", arguments={"name": "B"}))
        await run.until(TurnEnded)
    assert sorted(path.name for path in Path().iterdir() if path.is_dir()) == ["B", "c"]
    outputs = {finished.call: finished.output for finished in run.all(ToolFinished)}
    assert "not this one" in outputs[first.call]


@pytest.mark.explore  # calls of one answer do, above; subagents of the CLI are in `test_local.py`
async def test_subagents_of_the_cli_ask_side_by_side(serve: ServeModel) -> None:
    tasks = [
        {"description": name, "prompt": f"make {name}", "subagent_type": "general-purpose", "run_in_background": False}
        for name in ("a", "b")
    ]
    both = Answer(steps=tuple(ToolStep(tool="Agent", input=task) for task in tasks))
    making = [scene(bash(f"mkdir {name}"), say(f"made {name}"), prompt=f"make {name}$") for name in ("a", "b")]
    async with serve([scene(both, say("done"), prompt="delegate$"), *making]), watch(Handyman) as run:
        run.prompt("delegate")
        await run.until(PermissionAsked, 2)
        assert run.all(PermissionSettled) == [], "both wait at once"
        by_command = {asked.arguments["command"]: asked for asked in run.all(PermissionAsked)}
        run.send(AnswerPermission(by_command["mkdir b"].request, "once"))
        run.send(AnswerPermission(by_command["mkdir a"].request, "deny"))
        await run.until(TurnEnded)
    assert [Path(name).exists() for name in ("a", "b")] == [False, True]


async def test_an_interrupt_closes_every_question_that_is_open(serve: ServeModel) -> None:
    async with serve([own("a", "b"), say("never said")]), watch(Direct) as run:
        run.prompt("go")
        asked = [await run.until(PermissionAsked, number) for number in (1, 2)]
        run.send(Interrupt())
        assert (await run.until(TurnEnded)).outcome == "interrupted"
        settled = {event.request: event.decision for event in run.all(PermissionSettled)}
        assert settled == dict.fromkeys((one.request for one in asked), "withdrawn")
        run.send(AnswerPermission(asked[0].request, "once"))  # too late
    assert not Path("a").exists()


@pytest.mark.parametrize("agent", sampled([Direct, Handyman], 2))
async def test_questions_of_two_runs_at_once_do_not_meet(serve: ServeModel, agent: type[MaverickAgent]) -> None:
    def making(name: str) -> Answer:
        return own(name) if agent is Direct else bash(f"mkdir {name}")

    script = [scene(making(name), say("done"), prompt=f"{name}$") for name in ("left", "right")]
    async with serve(script), watch(agent) as left, watch(agent) as right:

        async def asked(run: Watched, name: str) -> PermissionAsked:
            run.prompt(f"make {name}")
            return await run.until(PermissionAsked)

        one, other = await asyncio.gather(asked(left, "left"), asked(right, "right"))
        assert one.request != other.request
        left.send(AnswerPermission(other.request, "once"))  # it was asked by the other one
        right.send(AnswerPermission(other.request, "once"))
        await right.until(TurnEnded)
        assert left.all(PermissionSettled) == [], "it still waits"
        left.send(AnswerPermission(one.request, "deny"))
        await left.until(TurnEnded)
    assert [Path(name).exists() for name in ("left", "right")] == [False, True]


@pytest.mark.parametrize(
    ("own", "chosen", "then"),
    sampled(
        [
            ("default", ["acceptEdits", "plan"], "default"),
            ("acceptEdits", ["default", "plan"], "default"),
            ("acceptEdits", ["plan"], "acceptEdits"),
            ("plan", [], "default"),
        ],
        4,
    ),
)
async def test_a_plan_is_carried_out_in_the_mode_before_it_and_in_none_that_was_passed_by(
    own: str, chosen: list[str], then: str, serve: ServeModel
) -> None:
    class Planner(Handyman):
        allowed_tools = ("Read", "Write", "ExitPlanMode")
        permission_mode = own

    written = call("Write", file_path=str(Path("built").resolve()), content="x")
    async with serve([call("ExitPlanMode", plan="# Build it"), written, say("done")]), watch(Planner) as run:
        for mode in chosen:
            run.send(SetMode(mode))
        run.prompt("plan")
        plan = await run.until(PermissionAsked)
        assert plan.reason == f"It is carried out in mode {then}: {MEANINGS[then]}."
        run.send(AnswerPermission(plan.request, "once"))
        if then == "default":
            asked = await run.until(PermissionAsked, 2)
            assert asked.tool == "Write"
            run.send(AnswerPermission(asked.request, "once"))
        assert (await run.until(TurnEnded)).outcome == "done"
    assert run.all(ModeChanged)[-1].mode == then
    assert len(run.all(PermissionAsked)) == (2 if then == "default" else 1)
    assert Path("built").read_text() == "x"


@pytest.mark.explore
async def test_a_mode_that_is_passed_by_as_a_turn_begins_is_not_the_one_before_the_plan(serve: ServeModel) -> None:
    class Planner(Handyman):
        allowed_tools = ("Read", "Write", "ExitPlanMode")

    answers = [scene(say("hello"), prompt="^first$"), scene(call("ExitPlanMode", plan="# Build it"), say("done"))]
    async with serve(answers), watch(Planner) as run:
        await run.ask("first")
        run.send(SetMode("acceptEdits"))
        await run.until(ModeChanged)
        run.send(SetMode("plan"))
        run.prompt("plan")
        plan = await run.until(PermissionAsked)
        assert plan.reason.startswith("It is carried out in mode default")
        run.send(AnswerPermission(plan.request, "once"))
        assert (await run.until(TurnEnded, 2)).outcome == "done"
    assert run.all(ModeChanged)[-1].mode == "default"
