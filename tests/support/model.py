"""A model that says what a test wants: the Messages API on loopback, small and scripted."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

_ids = itertools.count(1)


@dataclass(frozen=True)
class Text:
    text: str
    size: int = 8


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Cut:
    """The connection ends here; `reset` with RST instead of FIN."""

    reset: bool = False


@dataclass(frozen=True)
class End:
    """The response ends here, in good order, though the message is not complete."""


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, in place of an event."""

    data: bytes


@dataclass(frozen=True)
class Reply:
    """One answer. `steps` stand between the events: a Pause, a Cut or Raw bytes after so many of them."""

    blocks: Sequence[Text | ToolCall] = ()
    usage: tuple[int, int] = (10, 5)
    after: int | None = None
    step: Pause | Cut | End | Raw | None = None

    def events(self, model: str) -> Iterable[bytes | Pause | Cut | End]:
        for index, event in enumerate(self._events(model)):
            if index == self.after and self.step is not None:
                yield self.step.data if isinstance(self.step, Raw) else self.step
            yield event
        if self.after is not None and self.step is not None and self.after > index:
            yield self.step.data if isinstance(self.step, Raw) else self.step

    def message(self, model: str) -> dict[str, Any]:
        return {
            "id": f"msg_{next(_ids)}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {
                "input_tokens": self.usage[0],
                "output_tokens": 1,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }

    def whole(self, model: str) -> dict[str, Any]:
        """The answer to a request that does not want a stream; text only."""
        content = [{"type": "text", "text": block.text} for block in self.blocks if isinstance(block, Text)]
        usage = {"input_tokens": self.usage[0], "output_tokens": self.usage[1]}
        return {**self.message(model), "content": content, "stop_reason": "end_turn", "usage": usage}

    def _events(self, model: str) -> Iterable[bytes]:
        yield event("message_start", message=self.message(model))
        for index, block in enumerate(self.blocks):
            if isinstance(block, Text):
                start: dict[str, Any] = {"type": "text", "text": ""}
                pieces = [block.text[i : i + block.size] for i in range(0, len(block.text), block.size)]
                deltas: list[dict[str, Any]] = [{"type": "text_delta", "text": piece} for piece in pieces]
            else:
                start = {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": block.name, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block.arguments)}]
            yield event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield event("content_block_delta", index=index, delta=delta)
            yield event("content_block_stop", index=index)
        stop = "tool_use" if any(isinstance(block, ToolCall) for block in self.blocks) else "end_turn"
        yield event(
            "message_delta",
            delta={"stop_reason": stop, "stop_sequence": None},
            usage={"output_tokens": self.usage[1]},
        )
        yield event("message_stop")


@dataclass(frozen=True)
class HttpError:
    status: int
    type: str = "api_error"
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """No answer at all, not even a status line."""

    seconds: float = 60.0


Answer = Reply | HttpError | Silence | Cut
Script = Callable[[dict[str, Any]], Answer]


def event(name: str, **data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def say(text: str, **options: Any) -> Reply:
    return Reply([Text(text)], **options)


def last_prompt(request: dict[str, Any]) -> str:
    """The newest message of the user, as JSON: the CLI may add entries of its own behind it."""
    return next(json.dumps(m["content"]) for m in reversed(request["messages"]) if m["role"] == "user")


class ScriptedModel:
    """Serves `answer(request)` for each request; a list of answers is used up in order, its last one for ever."""

    def __init__(self, answer: Script | Sequence[Answer] | Answer) -> None:
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._answer = answer
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> ScriptedModel:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._serve_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head[0].split()[1]
        if "/v1/messages" not in path or not body:
            return await self._send(writer, 200, {})
        request: dict[str, Any] = json.loads(body)
        if "count_tokens" in path:
            return await self._send(writer, 200, {"input_tokens": 100})
        self.requests.append(request)
        answer = self._next(request)
        match answer:
            case Silence():
                await asyncio.sleep(answer.seconds)
                return False
            case Cut():
                self._cut(writer, answer)
                return False
            case HttpError():
                error = {"type": "error", "error": {"type": answer.type, "message": answer.message}}
                return await self._send(writer, answer.status, error, answer.headers)
        if not request.get("stream"):
            return await self._send(writer, 200, answer.whole(request["model"]))
        return await self._stream(writer, answer, request["model"])

    def _next(self, request: dict[str, Any]) -> Answer:
        if callable(self._answer):
            return self._answer(request)
        if isinstance(self._answer, Sequence):
            return self._answer[min(len(self.requests), len(self._answer)) - 1]
        return self._answer

    async def _stream(self, writer: asyncio.StreamWriter, reply: Reply, model: str) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for item in reply.events(model):
            if isinstance(item, Pause):
                await writer.drain()
                await asyncio.sleep(item.seconds)
            elif isinstance(item, End):
                break
            elif isinstance(item, Cut):
                await writer.drain()
                await asyncio.sleep(0.05)
                self._cut(writer, item)
                return False
            else:
                writer.write(b"%x\r\n%s\r\n" % (len(item), item))
                await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    @staticmethod
    async def _send(
        writer: asyncio.StreamWriter, status: int, data: dict[str, Any], headers: dict[str, str] | None = None
    ) -> bool:
        body = json.dumps(data).encode()
        lines = [f"HTTP/1.1 {status} -", "content-type: application/json", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        return True

    @staticmethod
    def _cut(writer: asyncio.StreamWriter, cut: Cut) -> None:
        if cut.reset:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()
