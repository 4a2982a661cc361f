"""A person attends a run whose agent asks others by its own code: they do nothing that the person has not allowed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from claude_agent_sdk import create_sdk_mcp_server
from claude_agent_sdk import tool as sdk_tool

from maverick_tui import AgentContext, AgentResult, MaverickConfig
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.events.kinds import ModeChanged, PermissionAsked, SnapshotTaken, ToolFinished, TurnEnded
from maverick_tui.executor import tool
from maverick_tui.offline.script import Scene
from maverick_tui.runs.commands import AnswerPermission, SetMode
from tests.attacks.sandbox import MARKER, Sandbox, changes
from tests.conftest import ServeModel
from tests.runs.tracked import RUN, tracked
from tests.runs.watching import PATIENCE, Watched, watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene
from tests.support.sampling import sampled


class Helper(Talker):
    name = "helper"
    allowed_tools = ("Read", "Write", "Bash(touch:*)")


class Lead(Helper):
    name = "lead"

    async def execute(self, context: AgentContext) -> AgentResult:
        return await WAYS[context.extra["way"]](self, context)


async def in_session(_lead: Lead, context: AgentContext) -> AgentResult:
    async with Helper().session(context) as session:
        async for _ in session.query("HELPS"):
            pass
        assert session.last_usage is not None
        return AgentResult.success_result("done", session.last_usage)


async def in_bare_thread(_lead: Lead, context: AgentContext) -> AgentResult:
    """In one that has no context of ours, and an event loop of its own."""
    helping = asyncio.get_running_loop().run_in_executor(None, lambda: asyncio.run(Helper().run("HELPS", context)))
    return await helping


WAYS: dict[str, Callable[[Lead, AgentContext], Awaitable[AgentResult]]] = {
    "another agent": lambda _lead, context: Helper().run("HELPS", context),
    "a twin": lambda lead, context: type(lead)().run("HELPS", context),
    "a copy with inputs": lambda lead, context: lead.with_inputs({}).run("HELPS", context),
    "itself elsewhere": lambda lead, context: lead.run("HELPS", replace(context, cwd=context.cwd.parent / "outside")),
    "its execute": lambda _lead, context: Helper().execute(context),
    "a task": lambda _lead, context: asyncio.create_task(Helper().run("HELPS", context)),
    "a session": in_session,
    "a thread": lambda lead, context: asyncio.to_thread(lambda: asyncio.run(lead.run("HELPS", context))),
    "a thread of its own": in_bare_thread,
}


def writes(sandbox: Sandbox, name: str) -> str:
    return str(sandbox.project / f"{MARKER}{name}")


def helps(sandbox: Sandbox) -> list[Scene]:
    answers = [call("Write", file_path=writes(sandbox, "written"), content="x"), bash(f"touch {MARKER}touched")]
    return [scene(*answers, say("ok"), prompt="HELPS")]


async def refuse_all(run: Watched) -> None:
    async for event in run.run.events.reader():
        if isinstance(event, PermissionAsked):
            run.send(AnswerPermission(event.request, "deny"))


@pytest.mark.parametrize(
    ("way", "mode"),
    sampled([*((way, "default") for way in WAYS), *((way, "plan") for way in list(WAYS)[:4])], 13),
)
async def test_what_is_asked_apart_asks_the_person(sandbox: Sandbox, serve: ServeModel, way: str, mode: str) -> None:
    before = sandbox.state()
    async with serve(helps(sandbox)), watch(Lead, extra={"way": way}) as run:
        run.send(SetMode(mode))
        refusing = asyncio.create_task(refuse_all(run))
        assert (await run.ask("HELPS")).outcome == "done"
        refusing.cancel()
    asked, told = run.all(PermissionAsked), run.all(ToolFinished)
    assert [event.tool for event in asked] == ["Write", "Bash"]
    assert {event.agent for event in asked} <= {"lead", "helper"}
    assert [event.is_error for event in told] == [True, True]
    assert not [change for change in changes(before, sandbox.state()) if MARKER in change]


class Leaving(Talker):
    """Leaves a thread behind that asks a helper later, when its own CLI is gone."""

    name = "lead"
    later = threading.Event()

    async def execute(self, context: AgentContext) -> AgentResult:
        threading.Thread(target=self._go_on, args=(context,), daemon=True).start()
        return await self.run("go", context)

    def _go_on(self, context: AgentContext) -> None:
        self.later.wait(PATIENCE)
        with suppress(asyncio.CancelledError):  # the run has ended
            asyncio.run(Helper().run("HELPS", context))


async def test_what_a_thread_asks_while_the_run_rests_asks_the_person(sandbox: Sandbox, serve: ServeModel) -> None:
    before, config = sandbox.state(), MaverickConfig.load(idle_after=0.1)
    async with serve([*helps(sandbox), scene(say("ok"), prompt="go")]), watch(Leaving, config=config) as run:
        run.send(SetMode("default"))
        assert (await run.ask("go")).outcome == "done"
        connection = run.run._connection
        while connection.is_open:
            await asyncio.sleep(0.01)
        run.denies_everything = True
        Leaving.later.set()
        await run.until(ToolFinished, 2)
    assert [event.tool for event in run.all(PermissionAsked)] == ["Write", "Bash"]
    assert not [change for change in changes(before, sandbox.state()) if MARKER in change]


async def helped() -> str:
    return (await Helper().run("HELPS", AgentContext.from_cwd("."))).output


@tool(is_read_only=True)
async def delegate(task: str) -> str:
    """Has another agent do it."""
    return f"{task}: {await helped()}"


@tool(is_read_only=True)
def delegate_in_thread(task: str) -> str:
    """Has another agent do it."""
    return f"{task}: {asyncio.run(helped())}"


@sdk_tool("delegate", "Has another agent do it.", {"task": str})
async def delegate_by_server(_arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": await helped()}]}


class WithTools(Talker):
    name = "lead"
    engine = "api"
    own_tools = (delegate, delegate_in_thread)


class WithServer(Talker):
    name = "lead"
    allowed_tools = ("mcp__own__delegate",)
    mcp_servers = {"own": create_sdk_mcp_server("own", tools=[delegate_by_server])}


@pytest.mark.parametrize(
    ("lead", "asking", "mode"),
    sampled(
        [
            (WithTools, "delegate", "plan"),
            (WithTools, "delegate", "default"),
            (WithTools, "delegate_in_thread", "default"),
            (WithTools, "delegate_in_thread", "plan"),
            (WithServer, "mcp__own__delegate", "default"),
            (WithServer, "mcp__own__delegate", "plan"),
        ],
        6,
    ),
)
async def test_so_do_its_tools_and_servers_at_every_prompt(
    sandbox: Sandbox, serve: ServeModel, lead: type[Talker], asking: str, mode: str
) -> None:
    before = sandbox.state()
    leads = [scene(call(asking, task="t"), say("x"), prompt=prompt) for prompt in ("one", "two")]
    async with serve([*helps(sandbox), *leads]), watch(lead) as run:
        run.send(SetMode(mode))

        async def answer() -> None:
            async for event in run.run.events.reader():
                if isinstance(event, PermissionAsked):
                    run.send(AnswerPermission(event.request, "once" if event.tool == asking else "deny"))

        answering = asyncio.create_task(answer())
        for prompt in ("one", "two"):
            assert (await run.ask(prompt)).outcome == "done"
        answering.cancel()
    asked = [event.tool for event in run.all(PermissionAsked) if event.tool != asking]
    assert asked == ["Write", "Bash"] * 2
    assert not [change for change in changes(before, sandbox.state()) if MARKER in change]


async def test_who_begins_to_plan_is_asked_from_then_on_and_what_is_granted_is_kept_track_of(
    sandbox: Sandbox, serve: ServeModel
) -> None:
    first, second = (writes(sandbox, name) for name in ("first", "second"))
    answers = [call("Write", file_path=first, content="x"), bash("touch granted")]
    answers += [call("Write", file_path=second, content="x"), say("ok")]
    options = {"extra": {"way": "another agent"}, "config": tracked(), "run_id": RUN}
    async with serve([scene(*answers, prompt="HELPS")]), watch(Lead, **options) as run:
        run.prompt("HELPS")
        asked = await run.until(PermissionAsked)
        assert (asked.tool, asked.agent, asked.rules) == ("Bash", "helper", ()), "edits pass in mode acceptEdits"
        run.send(SetMode("plan"))
        await run.until(ModeChanged)
        run.send(AnswerPermission(asked.request, "once"))
        planning = await run.until(PermissionAsked, 2)
        assert planning.arguments["file_path"] == second
        run.send(AnswerPermission(planning.request, "deny"))
        await run.until(TurnEnded)
        await run.until(SnapshotTaken, where=lambda event: asked.call in event.calls)
    assert (sandbox.project / "granted").exists()
    assert [event.is_error for event in run.all(ToolFinished)] == [False, False, True]


@pytest.mark.parametrize("is_attended", sampled([True, False], 2))
async def test_what_is_denied_to_who_asks_is_denied_to_the_asked(
    sandbox: Sandbox, serve: ServeModel, is_attended: bool
) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f'[agents.lead]\ndeny = ["Bash(touch:*)", "Write({MARKER}*)"]\n')
    before = sandbox.state()
    options = {"extra": {"way": "another agent"}, "is_attended": is_attended}
    async with serve(helps(sandbox)) as model, watch(Lead, **options) as run:
        run.allows_everything = True
        assert (await run.ask("HELPS")).outcome == "done"
    assert run.all(PermissionAsked) == []
    assert not [change for change in changes(before, sandbox.state()) if MARKER in change]
    assert str(model.requests[-1]["messages"]).count("There is a rule against it") == 2
