"""What an agent's own code asks apart from its run, without a CLI: `attacks/test_asked_apart.py` has the ways to it."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from maverick_tui import AgentContext, AgentResult, AgentUsage, MaverickConfig
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.events.kinds import ModeChanged, Noticed, PermissionAsked, ToolCalled, ToolFinished, TurnEnded
from maverick_tui.executor import tool
from maverick_tui.git import making
from maverick_tui.runs.commands import AnswerPermission, Interrupt, SetMode
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Direct
from tests.support.model import call, say, scene

WRITTEN: list[str] = []


@tool
def write_down(text: str) -> str:
    """Writes something down."""
    WRITTEN.append(text)
    return "written"


@pytest.fixture(autouse=True)
def _nothing_written() -> None:
    WRITTEN.clear()


class Scribe(Direct):
    name = "scribe"
    own_tools = (write_down,)


class Lead(Scribe):
    """Has a scribe write here, and then elsewhere."""

    name = "lead"

    async def execute(self, context: AgentContext) -> AgentResult:
        await Scribe().run("HERE", context)
        return await Scribe().run("ELSEWHERE", replace(context, cwd=context.cwd.parent))


SCENES = [
    scene(call("write_down", text="a"), call("write_down", text="a"), say("ok"), prompt="^HERE"),
    scene(call("write_down", text="a"), say("ok"), prompt="ELSEWHERE"),
]


class Asking(Direct):
    """Has another one asked, by no settings in particular."""

    async def execute(self, context: AgentContext) -> AgentResult:
        async for _message in Scribe().query("HERE"):
            pass
        return await Scribe().run("AGAIN", await AgentContext.from_cwd_async(context.cwd))


async def test_what_is_asked_by_no_settings_goes_by_those_of_the_run(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    making.init(Path.cwd(), "main")
    async with serve([scene(say("one"), say("two"))]) as server:
        config = MaverickConfig.load(env={"ANTHROPIC_BASE_URL": os.environ["ANTHROPIC_BASE_URL"]})
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        async with watch(Asking, config=config) as run:
            run.prompt("go")
            ended = await run.until(TurnEnded)
            assert ended.outcome == "done", ended.failure
        assert len(server.requests) == 2


async def test_what_is_allowed_for_the_run_counts_in_its_folder_alone(serve: ServeModel) -> None:
    async with serve(SCENES), watch(Lead) as run:
        run.prompt("go")
        here = await run.until(PermissionAsked)
        assert (here.agent, here.tool, here.rules) == ("scribe", "write_down", ()), "a rule would be for the lead"
        run.send(AnswerPermission(here.request, "run"))
        elsewhere = await run.until(PermissionAsked, 2)
        assert WRITTEN == ["a", "a"]
        assert f"scribe works in {Path.cwd().parent}." in elsewhere.reason
        assert elsewhere.grants == ()
        run.send(AnswerPermission(elsewhere.request, "deny", reason="not there"))
        assert (await run.until(TurnEnded)).outcome == "done"
    assert WRITTEN == ["a", "a"]
    assert [event.is_error for event in run.all(ToolFinished)] == [False, False, True]
    assert all(event.parent for event in run.all(ToolCalled)), "they are no calls of the run's own agent"
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert [entry.state for entry in store.entries if isinstance(entry, ToolEntry)] == ["done", "done", "denied"]
    assert run.text() == "ok", "what is said apart is told by what is returned alone"
    assert [event.text for event in run.all(Noticed) if event.kind == "aside"] == [
        "scribe is asked apart from this run.",
        f"scribe is asked apart from this run in {Path.cwd().parent}.",
    ]


async def test_it_plans_where_the_run_does(serve: ServeModel) -> None:
    async with serve(SCENES), watch(Lead) as run:
        run.send(SetMode("plan"))
        await run.until(ModeChanged)
        assert (await run.ask("go")).outcome == "done"
    assert WRITTEN == []
    assert ["planning" in event.output for event in run.all(ToolFinished)] == [True, True, True]


async def test_nobody_is_asked_where_nobody_attends(serve: ServeModel) -> None:
    async with serve(SCENES), watch(Lead, is_attended=False) as run:
        assert (await run.ask("go")).outcome == "done"
    assert run.all(PermissionAsked) == []
    assert run.all(ToolCalled) == []
    assert WRITTEN == ["a", "a", "a"], "its tools cover it"


async def test_a_listener_of_its_own_that_asks_nobody_lets_it_only_read(serve: ServeModel) -> None:
    class Sly(Lead):
        async def execute(self, context: AgentContext) -> AgentResult:
            async with Scribe().open_session(context, SdkListener()) as session:
                answered = await session.ask("HERE")
            return await super().run(answered.text, context)

    async with serve([SCENES[0], scene(say("bye"))]), watch(Sly) as run:
        assert (await run.ask("go")).outcome == "done"
    assert WRITTEN == []


async def test_an_interrupt_reaches_what_an_author_has_begun_in_a_thread(serve: ServeModel) -> None:
    ended = threading.Event()

    class Threading(Lead):
        async def execute(self, context: AgentContext) -> AgentResult:
            def help_out() -> AgentResult:
                try:
                    return asyncio.run(Scribe().run("HERE", context))
                finally:
                    ended.set()

            return await asyncio.to_thread(help_out)

    async with serve(SCENES), watch(Threading) as run:
        run.prompt("go")
        first = await run.until(PermissionAsked)
        run.send(Interrupt())
        assert (await run.until(TurnEnded)).outcome == "interrupted"
        run.send(AnswerPermission(first.request, "run"))
        await asyncio.to_thread(ended.wait)
    assert WRITTEN == []


async def test_a_thread_that_outlasts_execute_asks_too(serve: ServeModel) -> None:
    def help_out(context: AgentContext) -> None:
        returned.wait()
        asyncio.run(Scribe().run("HERE", context))

    class Leaving(Lead):
        async def execute(self, context: AgentContext) -> AgentResult:
            threads.append(threading.Thread(target=help_out, args=(context,)))
            threads[0].start()
            return AgentResult.success_result("done", AgentUsage(0, 0, 0.0, 0))

    returned, threads = threading.Event(), list[threading.Thread]()
    async with serve(SCENES), watch(Leaving) as run:
        assert (await run.ask("go")).outcome == "done"
        returned.set()
        for number in (1, 2):
            run.send(AnswerPermission((await run.until(PermissionAsked, number)).request, "deny"))
        await asyncio.to_thread(threads[0].join)
    assert WRITTEN == []
