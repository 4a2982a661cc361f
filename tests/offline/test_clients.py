"""Clients that others wrote: the official SDK, raw HTTP, and the CLI started by hand."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import claude_agent_sdk
import pytest

from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.script import Script
from maverick_tui.offline.server import OfflineServer
from tests.offline.wire import KEY, ask, connect, question
from tests.support.sampling import sampled

if TYPE_CHECKING:  # it takes seconds, in each process that collects the tests
    import anthropic
    from anthropic.types import MessageParam, ToolParam

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


def script(*answers: Any, **fields: Any) -> Script:
    return Script.model_validate({"scenes": [{"answers": list(answers)}], **fields})


def failing(**fault: Any) -> Script:
    return script({"steps": ["never, or not all of it"], "fault": fault})


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


# -- the official SDK --------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("status", sampled(list(STATUSES), 3))
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


# -- raw HTTP ----------------------------------------------------------------------------------------------------------


REFUSED: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "no key": ({"headers": {"anthropic-version": "2023-06-01"}}, 401, "authentication_error", "x-api-key"),
    "an empty key": ({"headers": {**KEY, "x-api-key": ""}}, 401, "authentication_error", "x-api-key"),
    "no version": ({"headers": {"x-api-key": "k"}}, 400, "invalid_request_error", "anthropic-version"),
    "another path": ({"path": "/v1/complete"}, 404, "not_found_error", "/v1/complete"),
    "a path below": ({"path": "/v1/messages/x"}, 404, "not_found_error", "/v1/messages/x"),
    "GET": ({"method": "GET", "body": None}, 405, "", "GET"),
    "PUT": ({"method": "PUT"}, 405, "", "PUT"),
    "GET of the count": ({"method": "GET", "path": "/v1/messages/count_tokens", "body": None}, 405, "", "GET"),
    "POST to the root": ({"path": "/"}, 404, "not_found_error", "/"),
    "no body": ({"body": None}, 400, "invalid_request_error", "JSON"),
    "not JSON": ({"body": b"{nonsense"}, 400, "invalid_request_error", "JSON"),
    "not UTF-8": ({"body": b'{"model": "\xff"}'}, 400, "invalid_request_error", "JSON"),
    "nested too deep": ({"body": b"[" * 200_000}, 400, "invalid_request_error", "JSON"),
    "a list": ({"body": b"[]"}, 400, "invalid_request_error", "object"),
    "no model": ({"body": {"messages": [1]}}, 400, "invalid_request_error", "model: Field required"),
    "no messages": ({"body": {"model": "m"}}, 400, "invalid_request_error", "messages: Field required"),
    "no message": ({"body": {"model": "m", "messages": []}}, 400, "invalid_request_error", "messages"),
    "messages are a number": ({"body": {"model": "m", "messages": 5}}, 400, "invalid_request_error", "messages"),
    "messages are a word": ({"body": {"model": "m", "messages": "hi"}}, 400, "invalid_request_error", "messages"),
    "the model is a number": ({"body": question(model=5)}, 400, "invalid_request_error", "model"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_request_that_is_refused(name: str) -> None:
    options, status, kind, words = REFUSED[name]
    async with OfflineServer(script("hello", strict=False)) as server:
        response = await ask(server.url, **{"body": question(), **options})
        assert server.app.requests == []
        assert (await ask(server.url, question())).text == "hello", "the server goes on"
    assert response.status == status
    error = response.json()
    assert error["type"] == "error"
    assert words in error["error"]["message"]
    if kind:
        assert error["error"]["type"] == kind


async def test_a_bearer_token_is_as_good_as_a_key() -> None:
    async with OfflineServer(script("hello")) as server:
        headers = {"Authorization": "Bearer x", "Anthropic-Version": "2023-06-01", "anthropic-beta": "a,b"}
        assert (await ask(server.url, question(), headers=headers)).text == "hello"
        assert (await ask(server.url, question(), path="/v1/messages?beta=true")).text == "hello"


async def test_the_root_says_what_is_here() -> None:
    async with OfflineServer(script("hello")) as server, connect(server.url) as connection:
        response = await connection.ask(None, method="GET", path="/", headers={})
        assert (response.status, response.json()) == (200, {"status": "offline model"})
        await connection.send(None, method="HEAD", path="/", headers={})
        assert (await connection.head()).status == 200


ODD: list[Any] = [
    [5, None, "hi", ["x"]],
    [{"role": "user"}],
    [{"role": "user", "content": None}],
    [{"role": "user", "content": 5}],
    [{"role": "user", "content": [5, None, "x", {}, {"type": "text"}, {"type": "text", "text": None}]}],
    [{"role": ["user"], "content": "hi"}],
    [{"role": "user", "content": [{"type": "tool_result"}]}],
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": 5, "content": {"a": 1}}]}],
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_a_0", "content": [None]}]}],
    [{"role": "assistant", "content": "hi"}],
    [{"role": "user", "content": "\ud800 alone"}],
]


@pytest.mark.parametrize("messages", ODD)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
async def test_an_odd_request_gets_an_answer(messages: list[Any], path: str) -> None:
    """Whether such a message is refused or passed over: it is never the server that fails."""
    async with OfflineServer(script("hello ${a}")) as server:
        for system in (None, 5, [5, {"type": "text"}]):
            response = await ask(server.url, question(system=system, stream=False) | {"messages": messages}, path=path)
            assert response.status in (200, 400)
            assert response.json()


async def test_a_large_request() -> None:
    async with OfflineServer(script("hello")) as server:
        response = await ask(server.url, question("word " * 2_000_000))
    assert response.text == "hello"


# -- the CLI by hand ---------------------------------------------------------------------------------------------------

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


async def claude(server: OfflineServer, home: Path, *arguments: str) -> tuple[int | None, str, str]:
    """Run the bundled CLI as a user would, with nothing of theirs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
    process = await asyncio.create_subprocess_exec(
        CLAUDE,
        *arguments,
        env={**kept, "HOME": str(home), "CLAUDE_CODE_MAX_RETRIES": "0", **offline_environment(server.url, home)},
        cwd=home,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.explore  # so it does in most tests of sessions
async def test_the_cli_runs_tools_and_speaks_a_stream(home: Path, mark: str) -> None:
    bash = {"tool": "Bash", "id": "run", "input": {"command": "echo $((6 * 7))", "description": "compute"}}
    played = script(
        {"steps": [bash], "usage": {"input": 2, "output": 30}},
        {"steps": ["It is ${run}, naïve 🙂."], "usage": {"input": 10, "output": 4}},
        strict=True,
    )
    options = ("--output-format", "stream-json", "--verbose", "--include-partial-messages")
    async with OfflineServer(played) as server:
        code, out, err = await claude(server, home, "-p", "hello", "--allowedTools", "Bash", *options)
        assert len(server.app.requests) == 2
    assert (code, err) == (0, "")
    frames = [json.loads(line) for line in out.splitlines()]
    deltas = [f["event"]["delta"] for f in frames if f["type"] == "stream_event" and "delta" in f["event"]]
    assert [delta["text"] for delta in deltas if "text" in delta] == ["It", " is", " 42,", " naïve", " 🙂."]
    result = frames[-1]
    assert result["result"] == "It is 42, naïve 🙂."
    assert not result["is_error"]
    assert (result["usage"]["input_tokens"], result["usage"]["output_tokens"]) == (12, 34)
    assert {path.name for path in home.iterdir()} <= {".claude", "tmp"}, "all its files are where they should be"


@pytest.mark.explore  # what agents tell of a fault, through the same CLI, is in `test_faults.py`
async def test_the_cli_reports_a_fault(home: Path, mark: str) -> None:
    async with OfflineServer(failing(kind="http", status=401)) as server:
        code, out, _ = await claude(server, home, "-p", "hello", "--output-format", "json")
    result = json.loads(out)
    assert code == 1
    assert result["is_error"]
    assert result["api_error_status"] == 401
