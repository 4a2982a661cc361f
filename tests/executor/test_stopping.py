"""Cancel and timeout: they end everything at once, whatever it is busy with, and what was said is kept."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from maverick_tui.exceptions import NetworkError, TimeoutError
from maverick_tui.executor import (
    AgentExecutor,
    CancelToken,
    Message,
    Request,
    Response,
    Role,
    TerminateReason,
    ToolCallFinished,
    ToolContext,
    TurnEnded,
    Usage,
    tool,
)
from maverick_tui.executor.calls import CUT_OFF
from maverick_tui.executor.model.messages import Delta
from tests.executor.support import (
    Model,
    Watched,
    call,
    calls,
    cancel_when,
    check_events,
    define,
    nothing_left,
    says,
    watch,
    within,
)


@tool
async def sleep() -> str:
    """Sleeps long."""
    await asyncio.sleep(30)
    return "awake"


@tool
def nap() -> str:
    """Blocks its thread a moment."""
    time.sleep(0.3)
    return "awake"


class Hangs(Exception):
    """Stands for a call that never ends."""


async def hang(_request: Request) -> Response:
    await asyncio.sleep(30)
    raise Hangs


async def half(request: Request) -> Response:
    assert request.listen is not None
    request.listen(Delta("start", usage=Usage(10, 1)))
    request.listen(Delta("text", "Half"))
    request.listen(Delta("text", " an"))
    return await hang(request)


PHASES: dict[str, tuple[list[Any], list[Any]]] = {
    "before anything came": ([hang], []),
    "in the middle of an answer": ([half], []),
    "in a tool": ([calls(call("sleep"), text="Half an")], [sleep]),
    "in a tool that blocks": ([calls(call("nap"), text="Half an")], [nap]),
    "in a back-off": ([NetworkError("It is down.")], []),
}
LAST_SIGN = {
    "before anything came": "turn_start",
    "in the middle of an answer": "content_chunk",
    "in a tool": "tool_call_start",
    "in a tool that blocks": "tool_call_start",
    "in a back-off": "error",
}
SLOW_RETRY = {"base_delay": 30.0, "max_delay": 30.0}


async def stop_in(phase: str, *, timeout_ms: float | None = None) -> tuple[Watched, float]:
    """Run into the phase and stop there; what came of it, and the seconds that the end took."""
    steps, tools = PHASES[phase]
    cancel, at = CancelToken(), 0.0
    events: list[Any] = []

    async def stop() -> None:
        nonlocal at
        while not any(event.type == LAST_SIGN[phase] for event in events):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        at = time.perf_counter()
        cancel.cancel("the user has had enough")

    stopping = asyncio.create_task(stop()) if timeout_ms is None else None
    definition = define(run={"retry": SLOW_RETRY, "timeout_ms": timeout_ms})
    began = time.perf_counter()
    result = await AgentExecutor(Model(*steps), tools).execute(definition, cancel=cancel, on_activity=events.append)
    took = time.perf_counter() - (at or began)
    if stopping is not None:
        await stopping
    check_events(events)
    return Watched(result, events), took


@pytest.mark.req("003-FR2-abort", "002-R6-prompt")
@pytest.mark.parametrize("phase", PHASES)
async def test_cancel_ends_it_within_50_ms(phase: str) -> None:
    async with nothing_left():
        attempts = await within(0.05, lambda: stop_in(phase))
    for watched in attempts:
        result = watched.result
        assert result.terminate_reason is TerminateReason.CANCELLED
        assert not result.success
        assert "the user has had enough" in str(result.error)
        assert watched.kinds[-2:] == ["error", "turn_end"]


@pytest.mark.req("003-FR2-timeout", "003-EH-timeout", "002-R4-timeout", "002-R6-ctx")
@pytest.mark.parametrize("phase", PHASES)
async def test_a_timeout_ends_it_at_once_with_the_partial_result(phase: str) -> None:
    async with nothing_left():
        attempts = await within(0.1 + 0.05, lambda: stop_in(phase, timeout_ms=100))
    for watched in attempts:
        result = watched.result
        assert result.terminate_reason is TerminateReason.TIMEOUT
        assert isinstance(result.error, TimeoutError)
        assert result.error.kind == "timeout"
        assert "after 0.1 s" in result.error.message
        assert result.raw_content == ("Half an" if "answer" in phase or "tool" in phase else "")


async def test_what_was_said_and_done_before_is_kept() -> None:
    cancel, ends = CancelToken(), list[ToolCallFinished]()

    @tool
    async def fast() -> str:
        """Is done at once."""
        return "done"

    stopping = asyncio.create_task(cancel_when(lambda: bool(ends), cancel))
    model = Model(calls(call("fast"), call("sleep"), text="Both.", usage=(20, 9)))
    result = await AgentExecutor(model, [fast, sleep]).execute(
        define(), cancel=cancel, on_activity=lambda e: ends.append(e) if isinstance(e, ToolCallFinished) else None
    )
    await stopping
    assert result.raw_content == "Both."
    assert result.metrics.usage == Usage(20, 9)
    assert result.messages[2:] == (
        Message.result("id-fast", "done"),
        Message.result("id-sleep", CUT_OFF, is_error=True),
    )
    assert [(end.tool_call_id, end.is_error) for end in ends] == [("id-fast", False), ("id-sleep", True)]


async def test_a_turn_that_was_cut_in_its_tools_tells_what_its_answer_has_cost() -> None:
    watched, _ = await stop_in("in a tool")
    assert [event.usage for event in watched.events if isinstance(event, TurnEnded)] == [Usage(10, 5)]


async def test_the_conversation_can_go_on_after_a_cancel() -> None:
    for phase in PHASES:
        watched, _ = await stop_in(phase)
        model = Model(says("Going on."))
        again = await watch(model, define(""), inputs={"prompt": "Go on."}, history=watched.result.messages)
        assert again.result.success
        assert model.requests[0].messages[-1] == Message.user("Go on.")


async def test_cancelled_before_it_begins_it_asks_nothing() -> None:
    cancel, model = CancelToken(), Model()
    cancel.cancel()
    cancel.cancel("too late to be the reason")
    watched = await watch(model, cancel=cancel)
    assert watched.result.terminate_reason is TerminateReason.CANCELLED
    assert cancel.reason == "it was cancelled"
    assert model.requests == []
    assert watched.kinds == ["error"]


async def test_a_thread_may_cancel_several_executions_at_once() -> None:
    cancel = CancelToken()
    runs = [asyncio.create_task(watch(Model(hang), cancel=cancel)) for _ in range(3)]
    await asyncio.sleep(0.01)
    thread = threading.Thread(target=cancel.cancel, args=("from afar",))
    thread.start()
    for watched in await asyncio.gather(*runs):
        assert "from afar" in str(watched.result.error)
    thread.join()
    assert await cancel.wait() == "from afar"


async def test_listeners_of_a_token_are_told_once_and_can_be_taken_away() -> None:
    token, told = CancelToken(), list[str]()
    forget = token.listen(lambda: told.append("a"))
    token.listen(lambda: told.append("b"))
    forget()
    forget()
    waiting = asyncio.create_task(token.wait())
    await asyncio.sleep(0)
    assert (token.is_cancelled, token.reason) == (False, "")
    token.cancel("enough")
    token.cancel("again")
    token.listen(lambda: told.append("c"))
    assert told == ["b", "c"]
    assert await waiting == "enough"


async def test_a_tool_sees_that_it_is_to_stop() -> None:
    cancel, begun, seen = CancelToken(), threading.Event(), threading.Event()

    @tool
    def polite(context: ToolContext) -> str:
        """Looks at the token."""
        begun.set()
        while not context.cancel.is_cancelled:
            time.sleep(0.001)
        seen.set()
        return "stopped"

    async with nothing_left():
        run = asyncio.create_task(watch(Model(calls(call("polite"))), tools=[polite], cancel=cancel))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        cancel.cancel()
        await run
        assert await asyncio.to_thread(seen.wait, 5)


async def test_a_late_cancel_does_not_undo_a_success() -> None:
    cancel = CancelToken()
    watched = await watch(Model(says("Done.")), cancel=cancel)
    cancel.cancel()
    assert watched.result.success
    assert watched.result.messages[-1].role is Role.ASSISTANT
