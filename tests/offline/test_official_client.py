"""The official SDK against the offline model.

Runs ask it by the CLI, and engine api by HTTP, which other tests show. To import this client takes two seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from maverick_tui.offline.server import OfflineServer
from tests.offline.wire import failing, script

if TYPE_CHECKING:  # it takes seconds, in each process that collects the tests
    import anthropic
    from anthropic.types import MessageParam, ToolParam

pytestmark = pytest.mark.explore

T = TypeVar("T")

HELLO: list[MessageParam] = [{"role": "user", "content": "hello"}]
WEATHER: ToolParam = {
    "name": "weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
ANSWERS: list[Any] = [
    {
        "steps": [
            {"thinking": "I do not know."},
            "Let me see.",
            {"tool": "weather", "id": "sky", "input": {"city": "Köln"}},
        ],
        "usage": {"input": 10, "output": 20, "cache_read": 3, "cache_write": 4},
    },
    "It is ${sky}.",
]


async def sync(url: str, use: Callable[[anthropic.Anthropic], T], **options: Any) -> T:
    """What the synchronous client makes of it, in a thread: the server is in this one."""
    import anthropic

    def run() -> T:
        with anthropic.Anthropic(api_key="offline", base_url=url, max_retries=0, **options) as client:
            return use(client)

    return await asyncio.to_thread(run)


def client_of(url: str, **options: Any) -> anthropic.AsyncAnthropic:
    import anthropic

    return anthropic.AsyncAnthropic(
        api_key="offline", base_url=url, **{"max_retries": 0, "_strict_response_validation": True, **options}
    )


def check_first(message: anthropic.types.Message) -> str:
    """The first answer, however it came; gives the id of the call."""
    thinking, text, tool = message.content
    assert thinking.type == "thinking"
    assert thinking.thinking == "I do not know."
    assert thinking.signature
    assert text.type == "text"
    assert text.text == "Let me see."
    assert tool.type == "tool_use"
    assert (tool.name, tool.input) == ("weather", {"city": "Köln"})
    assert message.stop_reason == "tool_use"
    assert message.model == "some-model"
    usage = message.usage
    assert (usage.input_tokens, usage.output_tokens) == (10, 20)
    assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (3, 4)
    return tool.id


def after(message: anthropic.types.Message, call: str) -> list[MessageParam]:
    return [
        *HELLO,
        {"role": "assistant", "content": message.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "sunny"}]},
    ]


async def test_messages_in_one_piece() -> None:
    async with OfflineServer(script(*ANSWERS, strict=True)) as server:
        async with client_of(server.url) as client:
            first = await client.messages.create(model="some-model", max_tokens=100, messages=HELLO, tools=[WEATHER])
            messages = after(first, check_first(first))
            second = await client.messages.create(model="some-model", max_tokens=100, messages=messages)
        same = await sync(
            server.url, lambda c: c.messages.create(model="some-model", max_tokens=100, messages=messages)
        )
    assert [block.type == "text" and block.text for block in second.content] == ["It is sunny."]
    assert second.stop_reason == "end_turn"
    assert second.content == same.content


async def test_messages_as_a_stream() -> None:
    async with OfflineServer(script(*ANSWERS)) as server, client_of(server.url) as client:
        async with client.messages.stream(model="some-model", max_tokens=100, messages=HELLO) as stream:
            kinds = [event.type async for event in stream]
            first = await stream.get_final_message()
        messages = after(first, check_first(first))
        async with client.messages.stream(model="some-model", max_tokens=100, messages=messages) as stream:
            text = [piece async for piece in stream.text_stream]
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3
    assert {"thinking", "signature", "text", "input_json"} <= set(kinds)
    assert "".join(text) == "It is sunny."
    assert len(text) > 1


async def test_messages_as_a_stream_for_the_synchronous_client() -> None:
    def final(client: anthropic.Anthropic) -> anthropic.types.Message:
        with client.messages.stream(model="some-model", max_tokens=100, messages=HELLO) as stream:
            return stream.get_final_message()

    def raw(client: anthropic.Anthropic) -> list[str]:
        with client.messages.create(model="some-model", max_tokens=100, messages=HELLO, stream=True) as events:
            return [event.type for event in events]

    async with OfflineServer(script(*ANSWERS)) as server:
        check_first(await sync(server.url, final))
        kinds = await sync(server.url, raw)
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]


async def test_a_paced_stream() -> None:
    paced = script("one two three", pace={"tokens_per_second": 50, "first_token": 0.05})
    async with OfflineServer(paced) as server, client_of(server.url) as client:
        async with client.messages.stream(model="some-model", max_tokens=100, messages=HELLO) as stream:
            text = [piece async for piece in stream.text_stream]
        whole = await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)
    assert text == ["one", " two", " three"]
    assert whole.content[0].type == "text"
    assert whole.content[0].text == "one two three"


async def test_tokens_are_counted() -> None:
    words: list[MessageParam] = [{"role": "user", "content": "word " * 400}]
    async with OfflineServer(script("hello", strict=True)) as server, client_of(server.url) as client:
        count = await client.messages.count_tokens(model="some-model", messages=words)
        message = await client.messages.create(model="some-model", max_tokens=100, messages=words)
        same = await sync(server.url, lambda c: c.messages.count_tokens(model="some-model", messages=words))
        more = await client.messages.count_tokens(model="some-model", messages=words, system="word " * 400)
    assert count.input_tokens == same.input_tokens == pytest.approx(500, rel=0.1)
    assert message.usage.input_tokens == pytest.approx(count.input_tokens, rel=0.1)
    assert more.input_tokens - count.input_tokens == pytest.approx(500, rel=0.1)


STATUSES = {
    400: ("BadRequestError", "invalid_request_error"),
    401: ("AuthenticationError", "authentication_error"),
    403: ("PermissionDeniedError", "permission_error"),
    404: ("NotFoundError", "not_found_error"),
    413: ("RequestTooLargeError", "request_too_large"),
    429: ("RateLimitError", "rate_limit_error"),
    500: ("InternalServerError", "api_error"),
    529: ("OverloadedError", "overloaded_error"),
}


@pytest.mark.parametrize("status", list(STATUSES))
async def test_an_http_fault_is_the_error_of_its_status(status: int) -> None:
    import anthropic

    name, kind = STATUSES[status]
    expected: type[anthropic.APIStatusError] = getattr(anthropic, name)
    fault = failing(kind="http", status=status, message="so be it", headers={"Retry-After": "7", "x-why": "test"})
    async with OfflineServer(fault) as server, client_of(server.url) as client:
        with pytest.raises(expected) as whole:
            await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)
        with pytest.raises(expected) as streamed:
            async with client.messages.stream(model="some-model", max_tokens=100, messages=HELLO):
                pytest.fail("there is no stream")
        with pytest.raises(expected):
            await sync(server.url, lambda c: c.messages.create(model="some-model", max_tokens=100, messages=HELLO))
    for error in (whole.value, streamed.value):
        assert error.status_code == status
        assert error.body == {"type": "error", "error": {"type": kind, "message": "so be it"}}
        assert error.response.headers["retry-after"] == "7"
        assert error.response.headers["x-why"] == "test"


async def test_the_sdk_retries_a_fault_that_passes() -> None:
    fault = {"kind": "http", "status": 429, "headers": {"retry-after-ms": "1"}, "times": 2}
    async with OfflineServer(script({"steps": ["at last"], "fault": fault})) as server:
        async with client_of(server.url, max_retries=2) as client:
            message = await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)
        assert len(server.app.requests) == 3
    assert message.content[0].type == "text"
    assert message.content[0].text == "at last"


STREAM_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "dropped": ({"kind": "drop", "how": "fin", "at": "text"}, "APIConnectionError"),
    "reset": ({"kind": "drop", "how": "rst", "at": "text"}, "APIConnectionError"),
    "error event": ({"kind": "error_event", "at": "text"}, "APIStatusError"),
    "malformed JSON": ({"kind": "malformed", "at": "text"}, "ValueError"),
    "stall": ({"kind": "stall", "at": "text"}, "APITimeoutError"),
}


@pytest.mark.parametrize("name", STREAM_FAULTS)
async def test_a_fault_inside_a_stream(name: str) -> None:
    fault, expected = STREAM_FAULTS[name]
    text: list[str] = []
    async with OfflineServer(failing(**fault)) as server, client_of(server.url, timeout=2.0) as client:
        with pytest.raises(Exception) as raised:  # noqa: PT011  # which one is what is asked below
            async with client.messages.stream(model="some-model", max_tokens=100, messages=HELLO) as stream:
                text.extend([piece async for piece in stream.text_stream])
    names = {kind.__name__ for kind in type(raised.value).__mro__}
    wanted = {expected, *({"ReadTimeout"} if name == "stall" else {"RemoteProtocolError", "ReadError"})}
    assert names & wanted, raised.value


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_what_came_before_the_fault_is_there(how: str) -> None:
    text: list[str] = []

    async def read(stream: anthropic.AsyncStream[anthropic.types.RawMessageStreamEvent]) -> None:
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                text.append(event.delta.text)  # noqa: PERF401

    async with OfflineServer(failing(kind="drop", how=how, at="text")) as server, client_of(server.url) as client:
        stream = await client.messages.create(model="some-model", max_tokens=100, messages=HELLO, stream=True)
        with pytest.raises(Exception):  # noqa: B017, PT011  # the SDK lets its HTTP library's own error through
            await read(stream)
    assert "".join(text) == "never, or not"


@pytest.mark.parametrize("kind", ["drop", "malformed", "missing_stop", "error_event", "content_type"])
async def test_a_fault_of_an_answer_in_one_piece(kind: str) -> None:
    import anthropic

    async with OfflineServer(failing(kind=kind)) as server:
        async with client_of(server.url) as client:
            with pytest.raises((anthropic.APIError, ValueError)) as raised:
                await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)
        assert len(server.app.requests) == 1
    if kind == "error_event":
        assert isinstance(raised.value, anthropic.OverloadedError)
    if kind == "drop":
        assert isinstance(raised.value, anthropic.APIConnectionError)


async def test_slow_headers_are_a_timeout() -> None:
    import anthropic

    slow = failing(kind="slow_headers", seconds=600)
    async with OfflineServer(slow) as server, client_of(server.url, timeout=0.3) as client:
        with pytest.raises(anthropic.APITimeoutError):
            await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)


async def test_headers_that_are_a_little_slow() -> None:
    slow = script({"steps": ["here I am"], "fault": {"kind": "slow_headers", "seconds": 0.05}})
    async with OfflineServer(slow) as server, client_of(server.url) as client:
        message = await client.messages.create(model="some-model", max_tokens=100, messages=HELLO)
    assert message.content[0].type == "text"
    assert message.content[0].text == "here I am"
