"""What goes over the wire: the lines of a stream however they arrive, who is given the key, and what is no answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx2
import pytest

from maverick_tui.exceptions import AgentError
from maverick_tui.executor import AgentConfig, Message, Request, RetryPolicy, create_agent
from maverick_tui.executor.model.endpoint import ask, ask_for_events, make_client
from maverick_tui.executor.model.failures import StatusError, ours

EVENTS = [{"type": "one", "text": "a\u2028b\x0b\x85 ö"}, {"type": "two", "lines": [1, 2]}]
STREAM = (
    ": a comment",
    "event: one",
    f"data: {json.dumps(EVENTS[0], ensure_ascii=False)}",
    "",
    "event: ping",
    "data: {}",
    "",
    "data: nobody says what this is",
    "",
    "event:two",
    'data:{"type": "two",',
    "id: 7",
    'data: "lines": [1, 2]}',
    "",
    "event: cut off",
    "data: 1",
)


async def events_of(chunks: list[bytes]) -> list[Any]:
    async def body() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    answer = httpx2.MockTransport(lambda _request: httpx2.Response(200, content=body()))
    async with (
        httpx2.AsyncClient(transport=answer, base_url="http://127.0.0.1:9") as client,
        aclosing(ask_for_events(client, "/v1/messages", {}, {})) as events,
    ):
        return [event async for event in events]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_a_stream_is_the_same_however_it_is_cut_and_its_lines_end(end: str) -> None:
    whole = end.join(STREAM).encode()
    for size in (len(whole), 7, 2, 1):
        chunks = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert await events_of(chunks) == EVENTS, size


@pytest.mark.parametrize(
    "unit",
    [b"a" * 65_536, b"data: aaaaaaaa\n" * 4_096, b'event: x\ndata: "' + b"0" * 65_536 + b'"\n\n', b"\rdata: b" * 9_000],
    ids=["line", "event", "events", "returns"],
)
async def test_an_answer_without_end_is_given_up_and_none_of_it_piles_up(
    unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.executor.model.endpoint.MOST_OF_EVENT", 1 << 20)
    monkeypatch.setattr("maverick_tui.executor.model.endpoint.MOST_OF_EVENTS", 1 << 20)
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'event: x\ndata: ""\n\nevent: x\ndata: ' if unit[:1] == b"a" else b"event: x\n"
        while sent < 10 << 20:
            yield unit
            sent += len(unit)

    for status in (200, 400):
        sent = 0
        answer = httpx2.MockTransport(lambda _request, status=status: httpx2.Response(status, content=body()))
        async with httpx2.AsyncClient(transport=answer, base_url="http://127.0.0.1:9") as client:
            with pytest.raises(StatusError if status == 400 else ValueError, match=r"no (end|reason)"):
                await ask(client, "/v1/messages", {}, {})
            assert sent <= 6 << 20
            sent = 0
            with pytest.raises(StatusError if status == 400 else ValueError, match=r"no (end|reason)"):
                _ = [event async for event in ask_for_events(client, "/v1/messages", {}, {})]
            assert sent <= 6 << 20


@asynccontextmanager
async def endpoint(answer: str) -> AsyncIterator[tuple[str, list[str]]]:
    """Its address, and the head of each request that comes; it answers all of them alike."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"HTTP/1.1 {answer}\r\nconnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


async def failed(url: str) -> str:
    config = AgentConfig.checked(base_url=url, api_key="not-a-real-key", retry=RetryPolicy(max_retries=0))
    agent: Any = create_agent(config)
    async with agent:
        with pytest.raises(AgentError) as caught:
            await agent.run(Request((Message.user("hello"),)))
    return str(caught.value)


async def test_an_endpoint_that_sends_us_elsewhere_is_not_followed_and_what_it_says_besides_is_not_read() -> None:
    async with (
        endpoint("404 Not Found") as (there, asked),
        endpoint(f"307 Temporary Redirect\r\nlocation: {there}/v1/messages?key=1\r\ncontent-length: 99999999") as (
            here,
            first,
        ),
    ):
        assert f"sends requests on to {there}/v1/messages;" in await failed(here)
    assert "authorization: bearer not-a-real-key" in first[0].lower()
    assert not asked


async def test_the_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint("502 Bad Gateway") as (proxy, asked):
        monkeypatch.setenv("http_proxy", proxy)
        assert "HTTP 502" in await failed("http://model.example/gateway/")
    assert asked[0].startswith("POST http://model.example/gateway/v1/messages ")


async def test_what_cannot_be_sent_is_no_answer_that_cannot_be_read() -> None:
    async with make_client("http://127.0.0.1:9", "k", {}, 1.0) as client:
        with pytest.raises(AgentError, match="The model was not asked") as raised:
            await ask(client, "/v1/messages", {"a": float("inf")}, {})
    assert raised.value.kind == "invalid"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('{"error": {"type": "x", "message": "Too long."}}', "Too long."),
        ('{"error": "a word"}', '{"error": "a word"}'),
        ('{"error": {"message": ["no text"]}}', "['no text']"),
        ("[]", "[]"),
        (" upstream is away\n", "upstream is away"),
        ("", "no reason given"),
        ("[" * 100_000, "[[["),
    ],
)
def test_the_reason_is_told_in_whatever_form_it_comes(said: str, told: str) -> None:
    assert told.rstrip(".") in ours(StatusError(400, said, {})).message
