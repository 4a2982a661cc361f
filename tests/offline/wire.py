"""An HTTP client that does nothing by itself: what it sends is what a test says, what it shows is what came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from maverick_tui.offline.script import Script

KEY = {"x-api-key": "offline", "anthropic-version": "2023-06-01"}


@dataclass
class Response:
    """A response as far as it has come."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    is_whole: bool = False

    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of a stream; their names and their types are the same."""
        assert self.headers["content-type"].startswith("text/event-stream"), self.headers
        return list(parse_events(self.body))

    @property
    def text(self) -> str:
        return "".join(
            event["delta"].get("text", "") for event in self.events if event["type"] == "content_block_delta"
        )


def parse_events(body: bytes) -> list[dict[str, Any]]:
    """The events that came whole."""
    *whole, _rest = body.split(b"\n\n")
    found = []
    for lines in whole:
        name, data = lines.split(b"\n")
        event = json.loads(data.removeprefix(b"data: "))
        assert name == f"event: {event['type']}".encode()
        found.append(event)
    return found


def question(prompt: Any = "hello", *more: dict[str, Any], stream: bool = True, **fields: Any) -> dict[str, Any]:
    """A request with this prompt, and messages that follow it."""
    return {
        "model": "some-model",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": prompt}, *more],
        "stream": stream,
        **fields,
    }


def called(label: str, result: Any, number: int = 1) -> tuple[dict[str, Any], dict[str, Any]]:
    """What follows a prompt when a tool was called and has answered."""
    call = f"toolu_{label}_{number:012x}"
    return (
        {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "Read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": result}]},
    )


@dataclass
class Connection:
    """One connection; requests go one after the other."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    _host: str = field(default="")

    async def send(
        self,
        body: dict[str, Any] | bytes | None = None,
        *,
        method: str = "POST",
        path: str = "/v1/messages",
        headers: dict[str, str] | None = None,
    ) -> None:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}", f"content-length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in (KEY if headers is None else headers).items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + data)
        await self.writer.drain()

    async def head(self) -> Response:
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Response(int(first.split(" ")[1]), headers)

    async def chunks(self, response: Response) -> AsyncIterator[bytes]:
        """The parts of the body as they come; a connection that ends in between leaves it incomplete."""
        try:
            if "content-length" in response.headers:
                yield await self.reader.readexactly(int(response.headers["content-length"]))
            else:
                while size := int(await self.reader.readuntil(b"\r\n"), 16):
                    yield (await self.reader.readexactly(size + 2))[:-2]
                await self.reader.readexactly(2)
            response.is_whole = True
        except asyncio.IncompleteReadError:
            return

    async def rest(self, response: Response) -> Response:
        async for chunk in self.chunks(response):
            response.body += chunk
        return response

    async def ask(self, body: dict[str, Any] | bytes | None = None, **options: Any) -> Response:
        await self.send(body, **options)
        return await self.rest(await self.head())


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[Connection]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        yield Connection(reader, writer, parts.netloc)
    finally:
        writer.transport.abort()


async def ask(url: str, body: dict[str, Any] | bytes | None = None, **options: Any) -> Response:
    """One request on a connection of its own."""
    async with connect(url) as connection:
        return await connection.ask(body, **options)


def script(*answers: Any, **fields: Any) -> Script:
    return Script.model_validate({"scenes": [{"answers": list(answers)}], **fields})


def failing(**fault: Any) -> Script:
    return script({"steps": ["never, or not all of it"], "fault": fault})
