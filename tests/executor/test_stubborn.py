"""Stopping those who do not want to be stopped, or who need a moment for it."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from maverick_tui.exceptions import NetworkError
from maverick_tui.executor import (
    AgentExecutor,
    CancelToken,
    ContentChunk,
    Request,
    Response,
    TerminateReason,
    tool,
)
from maverick_tui.executor.calls import Verdict
from maverick_tui.executor.model.messages import Delta
from tests.executor.support import (
    Model,
    call,
    calls,
    check_events,
    define,
    nothing_left,
    says,
    watch,
)


@tool
async def sleep() -> str:
    """Sleeps long."""
    await asyncio.sleep(30)
    return "awake"


class Hangs(Exception):
    """Stands for a call that never ends."""


@pytest.mark.parametrize("in_tool", [False, True])
async def test_what_does_not_end_when_told_to_is_abandoned_and_no_longer_heard(in_tool: bool) -> None:
    """A client or a tool that swallows the cancellation, and then goes on as if nothing had happened."""
    begun, release, is_done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn(_request: Request) -> Response:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        is_done.set()
        return calls(call("deaf"), text="Nobody hears this.")

    @tool
    async def deaf() -> str:
        """Does not listen."""
        await stubborn(model.requests[0])
        return "Nobody hears this."

    model = Model(calls(call("deaf")) if in_tool else stubborn, says("Nor this."))
    cancel, events = CancelToken(), list[Any]()
    run = asyncio.create_task(AgentExecutor(model, [deaf]).execute(define(), cancel=cancel, on_activity=events.append))
    await begun.wait()
    cancel.cancel()
    async with asyncio.timeout(60):  # without ours it would never end
        result = await run
    told = list(events)
    check_events(told)
    release.set()
    await is_done.wait()
    await asyncio.sleep(0.02)
    assert events == told, "nothing comes after the end"
    assert len(model.requests) == 1
    assert "Nobody" not in "".join(message.content for message in result.messages)


async def test_a_question_that_swallows_the_cancellation_runs_no_tool() -> None:
    begun, release, ran = asyncio.Event(), asyncio.Event(), list[str]()

    async def approve(_tool: Any, _call: Any) -> Verdict:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return Verdict()

    @tool
    async def act() -> None:
        """Does something."""
        ran.append("act")

    cancel = CancelToken()
    run = asyncio.create_task(watch(Model(calls(call("act"))), tools=[act], approve=approve, cancel=cancel))
    await begun.wait()
    cancel.cancel()
    await run
    release.set()
    await asyncio.sleep(0.02)
    assert ran == []


async def test_a_failure_on_the_way_out_is_no_error_of_the_run() -> None:
    async def clumsy(_request: Request) -> Response:
        asyncio.get_running_loop().call_soon(cancel.cancel)
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise NetworkError("The socket is gone.") from None
        raise Hangs

    cancel = CancelToken()
    watched = await watch(Model(clumsy), cancel=cancel)
    assert watched.result.terminate_reason is TerminateReason.CANCELLED


async def test_every_tool_has_ended_when_the_execution_has() -> None:
    ended: list[str] = []

    @tool
    async def tidy(name: str) -> None:
        """Cleans up when it is cancelled."""
        if name == "slowly":  # the last to begin
            asyncio.get_running_loop().call_soon(cancel.cancel)
        try:
            await asyncio.sleep(30)
        finally:
            for _ in range(3 if name == "slowly" else 0):
                await asyncio.sleep(0)
            ended.append(name)

    cancel = CancelToken()
    wanted = [call("tidy", "a", name="fast"), call("tidy", "b", name="slowly")]
    await watch(Model(calls(*wanted)), tools=[tidy], cancel=cancel)
    assert ended == ["fast", "slowly"]


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelling_the_task_ends_everything_and_the_events(times: int) -> None:
    events: list[Any] = []
    async with nothing_left():
        run = asyncio.create_task(
            AgentExecutor(Model(calls(call("sleep"))), [sleep]).execute(define(), on_activity=events.append)
        )
        while not any(event.type == "tool_call_start" for event in events):
            await asyncio.sleep(0)
        for _ in range(times):
            run.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await run
    check_events(events)
    assert [event.type for event in events][-2:] == ["tool_call_end", "turn_end"]


async def test_a_client_that_answers_in_spite_of_a_timeout_is_not_asked_again() -> None:
    async def late(_request: Request) -> Response:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return says("This is no JSON, so it would have to be repaired.")
        raise Hangs

    model = Model(late, says("Nobody asks for this."))
    watched = await watch(model, define(run={"timeout_ms": 100}, output={"schema": {"type": "object"}}))
    assert watched.result.terminate_reason is TerminateReason.TIMEOUT
    assert len(model.requests) == 1


async def test_a_client_that_goes_on_after_its_answer_is_not_heard() -> None:
    @tool
    async def remind() -> str:
        """Lets the client of the first turn speak in the second."""
        listen = model.requests[0].listen
        assert listen is not None
        listen(Delta("text", "Nobody hears this."))
        return "ok"

    model = Model(calls(call("remind", "a")), calls(call("remind", "b")), says("Done."))
    chunks = [event for event in (await watch(model, tools=[remind])).events if isinstance(event, ContentChunk)]
    assert [chunk.content for chunk in chunks][-1] == "Done."
    assert len(chunks) == 2, "only in its own turn"


async def test_a_failure_that_comes_too_late_is_nobodys_business(caplog: pytest.LogCaptureFixture) -> None:
    release = asyncio.Event()

    async def stubborn(_request: Request) -> Response:
        asyncio.get_running_loop().call_soon(cancel.cancel)
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        raise NetworkError("It broke long ago.")

    cancel = CancelToken()
    async with nothing_left():
        watched = await watch(Model(stubborn), define(run={"retry": {"max_retries": 0}}), cancel=cancel)
        release.set()
    gc.collect()
    await asyncio.sleep(0)
    assert watched.result.terminate_reason is TerminateReason.CANCELLED
    assert "never retrieved" not in caplog.text
