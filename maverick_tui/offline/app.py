"""The Messages API as an ASGI application that plays a script."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import socket
import struct
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from maverick_tui.offline.player import AskedPrompt, ChosenAnswer, Player, read_prompt
from maverick_tui.offline.script import (
    Answer,
    AnyFault,
    ContentTypeFault,
    DropFault,
    ErrorEventFault,
    HttpFault,
    MalformedFault,
    MissingStopFault,
    SlowHeadersFault,
    StallFault,
    StreamFault,
    TextStep,
)
from maverick_tui.offline.stream import ScriptedReply, Struck, encode, estimate, prepare, until_struck

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

SLICE = 16_384
"""Bytes that are sent at once where nothing asks for a pause."""

DROP_DELAY = 0.3
"""Seconds between the last bytes and a drop: a client that gets both at once may throw the bytes away."""

MAX_REQUESTS = 1_000
"""The most requests that are kept for whoever looks at them."""

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_PAGE = b"<!doctype html><title>Sign in</title><p>This is not the page you were looking for.</p>"


class Refused(Exception):
    """A request that the real endpoint would refuse, too."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class MessagesApp:
    """Answers `/v1/messages` and `/v1/messages/count_tokens`; everything else is 404."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.requests: list[dict[str, Any]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        body = await _read(receive)
        try:
            if scope["method"] in ("GET", "HEAD") and scope["path"] == "/":
                await _send_json(send, 200, {"status": "offline model"})
            elif scope["path"] == "/v1/messages/count_tokens":
                _parse(scope, body)
                await _send_json(send, 200, {"input_tokens": estimate(len(body))})
            elif scope["path"] == "/v1/messages":
                asked = read_prompt(request := _parse(scope, body), _headers(scope), len(body))
                await self._answer(request, asked, receive, send)
            else:
                raise Refused(404, f"there is nothing at {scope['path']}")
        except Refused as refused:
            await _send_error(send, refused.status, str(refused))

    async def _answer(self, request: dict[str, Any], asked: AskedPrompt, receive: Receive, send: Send) -> None:
        if len(self.requests) < MAX_REQUESTS:
            self.requests.append(request)
        choice = self.player.choose(asked) or self._missing(asked)
        gone = asyncio.create_task(_until_gone(receive))
        try:
            reply = prepare(choice.answer, asked, str(request["model"]), self.player.script.pace)
            if await _strike_head(choice.fault, send, gone):
                return
            if request.get("stream"):
                await self._stream(reply, choice.fault, send, gone)
            else:
                await _send_whole(reply, choice.fault, send, gone)
        finally:
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await gone

    def _missing(self, asked: AskedPrompt) -> ChosenAnswer:
        text = f"The script has no answer for prompt {asked.turn}, step {asked.step + 1}."
        if self.player.script.strict:
            raise Refused(400, f"{text} It is strict, so this is a failure.")
        return ChosenAnswer(Answer(steps=(TextStep(text=text),)))

    async def _stream(self, reply: ScriptedReply, fault: AnyFault | None, send: Send, gone: asyncio.Task[None]) -> None:
        await _send_head(send, 200, "text/event-stream; charset=utf-8")
        loop = asyncio.get_running_loop()
        due, waiting, size = loop.time(), list[bytes](), 0
        stream_fault = fault if isinstance(fault, StreamFault) else None
        for event in until_struck(reply.events(), stream_fault):
            if isinstance(event, Struck):
                await _send_part(send, b"".join(waiting))
                assert stream_fault is not None
                await _strike(stream_fault, send, gone)
                return
            if event.wait:
                await _send_part(send, b"".join(waiting))
                waiting, size = [], 0
                due = max(due, loop.time() - 1.0) + event.wait  # a stream that fell behind does not catch up for ever
                if await _is_gone_before(gone, due - loop.time()):
                    return
            waiting.append(event.data)
            size += len(event.data)
            if size > SLICE:
                await _send_part(send, b"".join(waiting))
                waiting, size = [], 0
                if gone.done():
                    return
        await _send_part(send, b"".join(waiting), is_last=True)


async def _strike_head(fault: AnyFault | None, send: Send, gone: asyncio.Task[None]) -> bool:
    """Faults that come before the stream or instead of it; returns whether the response is over."""
    match fault:
        case HttpFault():
            await _send_error(send, fault.status, fault.message, fault.type, {**_reset(fault), **fault.headers})
            return True
        case ContentTypeFault():
            await _send_head(send, 200, fault.content_type)
            await _send_part(send, _PAGE, is_last=True)
            return True
        case SlowHeadersFault():
            return await _is_gone_before(gone, fault.seconds)
    return False


def _reset(fault: HttpFault) -> dict[str, str]:
    """The headers by which an endpoint tells when the limit of an account resets: in whole seconds."""
    if fault.resets_in is None:
        return {}
    return {
        "retry-after": str(math.ceil(fault.resets_in)),
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(math.ceil(time.time() + fault.resets_in)),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }


async def _strike(fault: StreamFault, send: Send, gone: asyncio.Task[None]) -> None:
    match fault:
        case DropFault():
            await asyncio.sleep(DROP_DELAY)
            _drop(send, fault.how)
        case StallFault():
            await _is_gone_before(gone, fault.seconds)
            _drop(send, "fin")
        case MalformedFault():
            await _send_part(send, b'event: content_block_delta\ndata: {"type": "content_block_delta", broken\n\n')
            await _send_part(send, b"", is_last=True)
        case ErrorEventFault():
            error = {"type": fault.type, "message": fault.message}
            await _send_part(send, encode("error", error=error), is_last=True)
        case MissingStopFault():
            await _send_part(send, b"", is_last=True)


async def _send_whole(reply: ScriptedReply, fault: AnyFault | None, send: Send, gone: asyncio.Task[None]) -> None:
    """The answer in one piece; what would break a stream breaks it as a whole."""
    match fault:
        case DropFault():
            _drop(send, fault.how)
        case StallFault():
            await _is_gone_before(gone, fault.seconds)
            _drop(send, "fin")
        case ErrorEventFault():
            await _send_error(send, 529, fault.message, fault.type)
        case MalformedFault() | MissingStopFault():
            await _send_head(send, 200, "application/json")
            await _send_part(send, json.dumps(reply.message()).encode()[:-20], is_last=True)
        case _:
            waits = sum(event.wait for event in reply.events())
            if not await _is_gone_before(gone, waits):
                await _send_json(send, 200, reply.message())


# -- the request -------------------------------------------------------------------------------------------------------


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _parse(scope: Scope, body: bytes) -> dict[str, Any]:
    """The request, checked as the endpoint would."""
    headers = _headers(scope)
    if scope["method"] != "POST":
        raise Refused(405, f"{scope['method']} is not allowed here")
    if not headers.get("x-api-key") and not headers.get("authorization"):
        raise Refused(401, "x-api-key header is required")
    if not headers.get("anthropic-version"):
        raise Refused(400, "anthropic-version: header is required")
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"The request body is not valid JSON: {error}") from error
    if not isinstance(request, dict):
        raise Refused(400, "The request body is not an object")
    for name, kind in (("model", str), ("messages", list)):
        if not request.get(name):
            raise Refused(400, f"{name}: Field required")
        if not isinstance(request[name], kind):
            raise Refused(400, f"{name}: Input should be a valid {'string' if kind is str else 'list'}")
    return request


async def _read(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return b"".join(parts)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _is_gone_before(gone: asyncio.Task[None], seconds: float) -> bool:
    """Wait; returns whether the client went away meanwhile."""
    if seconds > 0:
        await asyncio.wait({gone}, timeout=seconds)
    return gone.done()


# -- the response ------------------------------------------------------------------------------------------------------


async def _send_head(send: Send, status: int, content_type: str, headers: dict[str, str] | None = None) -> None:
    pairs = {"content-type": content_type, "cache-control": "no-cache", **(headers or {})}
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})


async def _send_part(send: Send, data: bytes, *, is_last: bool = False) -> None:
    if data or is_last:
        await send({"type": "http.response.body", "body": data, "more_body": not is_last})


async def _send_json(send: Send, status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    body = json.dumps(data).encode()
    await _send_head(send, status, "application/json", {"content-length": str(len(body)), **(headers or {})})
    await _send_part(send, body, is_last=True)


async def _send_error(
    send: Send, status: int, message: str, kind: str = "", headers: dict[str, str] | None = None
) -> None:
    error = {"type": kind or _ERROR_TYPES.get(status, "api_error"), "message": message}
    await _send_json(send, status, {"type": "error", "error": error}, headers)


def _drop(send: Send, how: str) -> None:
    """End the connection in the middle of a response, which ASGI cannot express: uvicorn's own transport does it."""
    transport: asyncio.Transport = send.__self__.transport  # type: ignore[attr-defined]
    if how == "rst":
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()
