"""`stream()`: the events of an execution as an iterator, also when it is left early."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.executor import Activity, AgentExecutor, CancelToken, Request, Response, TerminateReason, tool
from tests.executor.support import (
    Model,
    call,
    calls,
    check_events,
    define,
    nothing_left,
    says,
    streaming,
)


@tool
async def look() -> str:
    """Looks."""
    return "seen"


async def hang(_request: Request) -> Response:
    await asyncio.sleep(30)
    raise AssertionError


def executor(*steps: Any) -> AgentExecutor:
    return AgentExecutor(Model(*steps), [look])


async def until_idle() -> None:
    """Let everything run that can."""
    for _ in range(10):
        await asyncio.sleep(0.005)


@pytest.mark.req("003-FR3-order", "003-FR3-chunks")
async def test_the_same_events_come_as_they_happen_and_the_result_is_there_at_the_end() -> None:
    also: list[Activity] = []
    steps = [calls(call("look")), streaming(says("It is so."), "It", " is", " so.")]
    async with nothing_left():
        stream = executor(*steps).stream(define(), on_activity=also.append)
        with pytest.raises(AgentError, match="has not ended"):
            _ = stream.result
        events = [event async for event in stream]
    assert events == also
    check_events(events)
    assert [event.type for event in events].count("content_chunk") == 3
    assert stream.result.output == "It is so."
    assert [event async for event in stream] == [], "it has ended once"


async def test_an_event_can_be_read_before_the_next_one_happens() -> None:
    stream = executor(hang).stream(define())
    first = await anext(stream)
    assert first.type == "turn_start"
    await stream.aclose()


async def test_it_does_not_begin_before_it_is_read() -> None:
    model = Model(says("ok"))
    stream = AgentExecutor(model).stream(define())
    await until_idle()
    assert model.requests == []
    await stream.aclose()
    assert [event async for event in stream] == [], "closed is closed"
    assert model.requests == []


async def test_wrong_inputs_are_raised_to_the_reader() -> None:
    stream = executor().stream(define("Be ${mood}.", inputs={"inputs": {"mood": {}}}))
    with pytest.raises(ConfigError):
        await anext(stream)
    await stream.aclose()


async def test_a_failure_is_an_event_and_a_result() -> None:
    stream = executor(AgentError("It failed.")).stream(define())
    assert [event.type async for event in stream] == ["turn_start", "error", "turn_end"]
    assert str(stream.result.error).startswith("It failed.")


async def test_closing_ends_the_execution_and_what_was_told_can_still_be_read() -> None:
    async with nothing_left():
        stream = executor(hang).stream(define())
        await anext(stream)
        await stream.aclose()
        await stream.aclose()
        assert [event.type async for event in stream] == ["error", "turn_end"]


async def test_a_stream_that_is_closed_early_keeps_text_history_and_cost() -> None:
    cancel, hold = CancelToken(), asyncio.Event()
    steps = [calls(call("look"), usage=(100, 10)), streaming(says("never", usage=(200, 1)), "It is", hold=hold)]
    async with nothing_left(), executor(*steps).stream(define(), cancel=cancel) as stream:
        async for event in stream:
            if event.type == "content_chunk":
                break
    result = stream.result
    assert (result.success, result.terminate_reason) == (False, TerminateReason.CANCELLED)
    assert "its stream was closed" in str(result.error)
    assert result.raw_content == "It is"
    assert [message.content for message in result.messages] == ["Do it.", "", "seen", "It is"]
    assert result.metrics.usage.all_input == 300
    assert result.metrics.cost_usd
    assert not cancel.is_cancelled, "others may run by the same token"


async def test_leaving_its_context_ends_the_execution() -> None:
    async with nothing_left(), executor(hang).stream(define()) as stream:
        async for _event in stream:
            break


async def test_closing_releases_a_reader_that_waits() -> None:
    async with nothing_left():
        stream = executor(hang).stream(define())
        await anext(stream)
        reading = asyncio.create_task(_read(stream))
        await asyncio.sleep(0.01)
        await stream.aclose()
        assert await reading == ["error", "turn_end"]


async def _read(stream: Any) -> list[str]:
    return [event.type async for event in stream]


async def test_an_iterator_that_was_left_ends_the_execution() -> None:
    """Nobody can read it any more, so nobody wants to pay for it."""
    async with nothing_left():
        async for event in executor(hang).stream(define()):
            assert event.type == "turn_start"
            break
        gc.collect()


async def test_a_reader_that_is_cancelled_can_go_on_reading() -> None:
    stream = executor(hang).stream(define())
    await anext(stream)
    with pytest.raises(asyncio.TimeoutError):
        async with asyncio.timeout(0.01):
            await anext(stream)
    await stream.aclose()
    assert (await anext(stream)).type == "error"


async def test_a_token_ends_it_with_a_result() -> None:
    cancel = CancelToken()
    stream = executor(hang).stream(define(), cancel=cancel)
    await anext(stream)
    cancel.cancel()
    assert await _read(stream) == ["error", "turn_end"]
    assert stream.result.terminate_reason is TerminateReason.CANCELLED


async def test_several_executions_of_one_executor_do_not_mix() -> None:
    class Echo:
        model = "claude-sonnet-4-5"

        async def run(self, request: Request) -> Response:
            await asyncio.sleep(0)
            return says(request.messages[-1].content)

    both = AgentExecutor(Echo())
    results = await asyncio.gather(*(both.execute(define(""), inputs={"prompt": f"p{n}"}) for n in range(10)))
    assert [result.output for result in results] == [f"p{n}" for n in range(10)]
    assert len({result.trace_id for result in results}) == 10
