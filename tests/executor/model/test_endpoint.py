"""The loop and the real client against the scripted API: what goes wrong on the wire, and stopping in each phase."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from maverick_tui.exceptions import AgentError, MalformedResponseError, NetworkError, TimeoutError
from maverick_tui.executor import (
    AgentConfig,
    AgentDefinition,
    AgentExecutor,
    CancelToken,
    ErrorOccurred,
    Request,
    RetryPolicy,
    TerminateReason,
    create_agent,
    tool,
)
from maverick_tui.executor import Message as Said
from maverick_tui.offline.script import (
    Answer,
    ContentTypeFault,
    ErrorEventFault,
    HttpFault,
    MalformedFault,
    MissingStopFault,
    Pace,
    Script,
    SlowHeadersFault,
    TextStep,
)
from maverick_tui.offline.server import OfflineServer
from tests.executor.support import Watched, define, nothing_left, watch, within
from tests.support.model import as_script, call, drop, fail, say, stall

KEY = "not-a-real-key"
SENTENCE = "One two three four five six seven eight nine ten."
RETRY = {"base_delay": 0.01, "jitter": 0.0}


@tool
async def wait() -> str:
    """Waits for a long time."""
    await asyncio.sleep(30)
    return "never"


@tool
async def ready() -> str:
    """Is ready at once."""
    return "yes"


@asynccontextmanager
async def asked(source: Any, **config: Any) -> AsyncIterator[tuple[Any, OfflineServer]]:
    """A client of a scripted endpoint; when both are over nothing is left of them."""
    script = source if isinstance(source, Script) else as_script(source)
    async with nothing_left(), OfflineServer(script) as server:
        agent = create_agent(AgentConfig.checked(base_url=server.url, api_key=KEY, **config))
        async with agent, nothing_left():  # type: ignore[attr-defined]
            yield agent, server
            await agent.aclose()  # type: ignore[attr-defined]


async def play(source: Any, definition: AgentDefinition | None = None, **config: Any) -> tuple[Watched, OfflineServer]:
    async with asked(source, **config) as (agent, server):
        return await watch(agent, definition or define(run={"retry": RETRY}), [wait, ready]), server


def retries(watched: Watched) -> list[ErrorOccurred]:
    return [event for event in watched.events if isinstance(event, ErrorOccurred) and event.retry_in is not None]


@pytest.mark.req("002-R5-retry", "003-NFR2-llm")
async def test_429_is_tried_again_after_as_long_as_the_endpoint_wants() -> None:
    fault = HttpFault(kind="http", status=429, headers={"retry-after": "0.15"}, times=1)
    began = time.monotonic()
    watched, server = await play(say("Now.", fault=fault))
    assert time.monotonic() - began >= 0.15
    assert watched.result.success
    [told] = retries(watched)
    assert (told.retry_in, told.error.kind, told.error.status) == (0.15, "rate_limit", 429)  # type: ignore[attr-defined]
    assert len(server.app.requests) == 2


async def test_an_endpoint_that_wants_too_much_patience_has_failed() -> None:
    watched, server = await play(fail(429, headers={"retry-after": "3600"}))
    assert watched.result.error is not None
    assert watched.result.error.kind == "rate_limit"
    assert len(server.app.requests) == 1


@pytest.mark.parametrize("status", [529, 503, 500])
async def test_an_overloaded_endpoint_is_asked_again(status: int) -> None:
    watched, server = await play(say("Now.", fault=HttpFault(kind="http", status=status, times=2)))
    assert (watched.result.success, watched.result.output) == (True, "Now.")
    assert [event.retry_in for event in retries(watched)] == [0.01, 0.02], "twice as long each time"
    assert len(server.app.requests) == 3


async def test_500_until_it_gives_up_has_an_event_for_each_retry() -> None:
    watched, server = await play(fail(500, message="no luck"))
    assert watched.result.terminate_reason is TerminateReason.ERROR
    error = watched.result.error
    assert isinstance(error, NetworkError)
    assert error.status == 500
    assert "no luck" in error.message
    assert len(retries(watched)) == 3
    assert watched.kinds == ["turn_start", "error", "error", "error", "error", "turn_end"]
    assert len(server.app.requests) == 4


@pytest.mark.req("002-R8-kinds", "002-R8-use")
@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (400, "invalid", "refused again"),
        (401, "invalid", "ANTHROPIC_API_KEY"),
        (403, "invalid", "ANTHROPIC_API_KEY"),
        (404, "invalid", "model's name"),
        (413, "invalid", "refused again"),
    ],
)
async def test_what_will_be_refused_again_is_not_tried_again(status: int, kind: str, hint: str) -> None:
    watched, server = await play(fail(status, message=f"The key {KEY} is not liked"))
    error = watched.result.error
    assert error is not None
    assert error.kind == kind
    assert hint in error.hint
    assert len(server.app.requests) == 1
    assert KEY not in str(error), "an endpoint may repeat the key, we do not"
    assert error.cause is not None


BROKEN: dict[str, tuple[Any, type[AgentError], int]] = {
    "dropped": (drop(at="text"), NetworkError, 4),
    "reset": (drop(at="text", how="rst"), NetworkError, 4),
    "ended early": (MissingStopFault(kind="missing_stop"), NetworkError, 4),
    "an error in the stream": (ErrorEventFault(kind="error_event"), NetworkError, 4),
    "malformed": (MalformedFault(kind="malformed"), MalformedResponseError, 1),
    "stalled": (stall(at="text"), TimeoutError, 1),
    "no answer": (SlowHeadersFault(kind="slow_headers", seconds=30), TimeoutError, 1),
    "a page of a portal": (ContentTypeFault(kind="content_type"), NetworkError, 4),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_what_breaks_on_the_way(name: str) -> None:
    fault, kind, requests = BROKEN[name]
    definition = define(run={"retry": {"base_delay": 0.0}})
    idle = 0.2 if kind is TimeoutError else 5.0
    watched, server = await play(say(SENTENCE, fault=fault), definition, idle_timeout=idle)
    result = watched.result
    assert type(result.error) is kind, result.error
    assert result.error.hint
    assert len(server.app.requests) == requests
    reason = TerminateReason.TIMEOUT if kind is TimeoutError else TerminateReason.ERROR
    assert result.terminate_reason is reason
    assert SENTENCE.startswith(result.raw_content)
    assert bool(result.raw_content) == (name not in ("no answer", "a page of a portal"))


@pytest.mark.parametrize("name", ["dropped", "an error in the stream"])
async def test_a_broken_answer_is_void_when_the_next_attempt_succeeds(name: str) -> None:
    fault = BROKEN[name][0].model_copy(update={"times": 1})
    watched, _ = await play(say(SENTENCE, fault=fault))
    assert watched.result.raw_content == SENTENCE
    assert watched.result.metrics.invocations == 1
    assert watched.result.metrics.retries == 1
    assert len(watched.result.messages) == 2


async def test_a_call_that_takes_too_long_is_a_timeout() -> None:
    slow = say(SENTENCE, pace=Pace(tokens_per_second=5))
    for definition, config in (
        (define(run={"per_request": {"timeout_ms": 150}}), {}),
        (define(), {"request_timeout": 0.15}),
    ):
        watched, _ = await play(slow, definition, **config)
        assert watched.result.terminate_reason is TerminateReason.TIMEOUT
        assert "within 0.15 s" in str(watched.result.error)


async def test_nobody_there_is_a_network_error() -> None:
    async with asyncio.timeout(10), nothing_left():
        agent: Any = create_agent(AgentConfig.checked(base_url="http://127.0.0.1:9", api_key=KEY))
        watched = await watch(agent, define(run={"retry": {"max_retries": 1, "base_delay": 0.0}}))
        await agent.aclose()
    assert isinstance(watched.result.error, NetworkError)
    assert "out of reach" in watched.result.error.message


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


RUBBISH = {
    "a list": b"event: message_start\ndata: []\n\n",
    "a number": b"event: message_start\ndata: 5\n\n",
    "null": b"event: message_start\ndata: null\n\n",
    "no message": event("message_start"),
    "a message that is none": event("message_start", message=[]),
    "a delta without a block": event("content_block_delta", index=0, delta={"type": "text_delta", "text": "x"}),
    "an index that is none": event("content_block_start", index="x", content_block={"type": "text"}),
    "a call without an id": event("content_block_start", index=0, content_block={"type": "tool_use"}),
    "a delta that is none": event("message_delta", delta=[]),
    "nothing in it": event("message_stop"),
}


@asynccontextmanager
async def raw_endpoint(body: bytes | None) -> AsyncIterator[str]:
    """Sends this to whoever comes; or accepts, and never says a word."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if body is None:
                await reader.read()
            else:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + body)
                await writer.drain()
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("name", RUBBISH)
async def test_answers_that_make_no_sense_are_told_as_such(name: str) -> None:
    async with asyncio.timeout(10), nothing_left(), raw_endpoint(RUBBISH[name]) as url:
        agent: Any = create_agent(AgentConfig.checked(base_url=url, api_key=KEY, retry=RetryPolicy(max_retries=0)))
        async with agent:
            with pytest.raises(MalformedResponseError) as caught:
                await agent.run(Request((Said.user("hello"),)))
    assert caught.value.kind == "agent"


# -- stopping ----------------------------------------------------------------------------------------------------------

SLOW = Answer(steps=(TextStep(text=SENTENCE * 20),), pace=Pace(tokens_per_second=20, burst=1))
PHASES: dict[str, tuple[Any, str]] = {
    "connect": (None, "turn_start"),
    "waiting for the head": (say("x", fault=SlowHeadersFault(kind="slow_headers", seconds=30)), "turn_start"),
    "stream": (SLOW, "content_chunk"),
    "stall": (say(SENTENCE, fault=stall(at="text")), "content_chunk"),
    "tool": ([call("wait")], "tool_call_start"),
    "back-off": (fail(529, headers={"retry-after": "30"}), "error"),
}


async def stop_in(agent: Any, sign: str) -> tuple[None, float]:
    """Cancel it when it has shown the sign, a moment later; how long the end took."""
    cancel, seen = CancelToken(), asyncio.Event()
    run = asyncio.create_task(_run(agent, cancel, seen, sign))
    await seen.wait()
    await asyncio.sleep(0.05)
    began = asyncio.get_running_loop().time()
    cancel.cancel()
    result = await run
    took = asyncio.get_running_loop().time() - began
    assert result.terminate_reason is TerminateReason.CANCELLED
    return None, took


async def _run(agent: Any, cancel: CancelToken, seen: asyncio.Event, sign: str) -> Any:
    def look(event: Any) -> None:
        if event.type == sign:
            seen.set()

    return await AgentExecutor(agent, [wait]).execute(define(), cancel=cancel, on_activity=look)


@pytest.mark.req("002-R6-prompt", "003-FR2-abort")
@pytest.mark.parametrize("phase", PHASES)
async def test_cancel_in_each_phase_returns_within_50_ms_and_leaves_nothing(phase: str) -> None:
    source, sign = PHASES[phase]
    async with asyncio.timeout(120):
        if source is None:
            async with nothing_left(), raw_endpoint(None) as url:
                agent: Any = create_agent(AgentConfig.checked(base_url=url, api_key=KEY))
                async with nothing_left():
                    await within(0.05, lambda: stop_in(agent, sign))
                await agent.aclose()
        else:
            async with asked(source) as (agent, _server):
                await within(0.05, lambda: stop_in(agent, sign))


async def test_the_same_client_serves_after_it_was_cancelled() -> None:
    async with asked([call("wait"), say("Here.")]) as (agent, _server):
        await stop_in(agent, "tool_call_start")
        response = await agent.run(Request((Said.user("hello"),)))
        assert response.tool_calls


WHOLE = b"".join(
    (
        event("message_start", message={"id": "m", "model": "x", "usage": {"input_tokens": 3, "output_tokens": 1}}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Here."}),
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2}),
        event("message_stop"),
    )
)


def test_an_agent_can_be_used_in_one_event_loop_after_the_other() -> None:
    agent: Any = create_agent(AgentConfig.checked(api_key=KEY))

    async def once() -> str:
        async with raw_endpoint(WHOLE) as url:  # it closes each connection
            agent.config = agent.config.model_copy(update={"base_url": url})
            response = await agent.run(Request((Said.user("hello"),)))
            return str(response.content)

    assert [asyncio.run(once()), asyncio.run(once())] == ["Here.", "Here."]
    asyncio.run(agent.aclose())


@pytest.mark.parametrize("reason", ["pause_turn", "out_of_breath"])
async def test_an_answer_that_ended_for_another_reason_is_not_complete_but_kept(reason: str) -> None:
    async with raw_endpoint(WHOLE.replace(b"end_turn", reason.encode())) as url:
        agent: Any = create_agent(AgentConfig.checked(api_key=KEY, base_url=url))
        async with agent:
            result = (await watch(agent)).result
    assert (result.success, result.terminate_reason) == (False, TerminateReason.ERROR)
    assert reason in str(result.error)
    assert (result.raw_content, result.metrics.usage.total, result.metrics.retries) == ("Here.", 5, 0)
