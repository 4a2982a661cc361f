"""Answers requests that cannot be read. MCP's library passes over them, so that whoever has asked would wait for good:
JSON may spell half a character (`"\\ud800"`), which no text can have.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from maverick_tui.bounded import from_json

if TYPE_CHECKING:
    from mcp import types
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

_HALVES = re.compile("[\ud800-\udfff]")


@asynccontextmanager
async def answering_unread(
    incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]
) -> AsyncIterator[ReadStream[SessionMessage | Exception]]:
    """The messages among what comes in, while all else is answered."""
    import anyio

    passed_on, messages = anyio.create_memory_object_stream["SessionMessage | Exception"](0)

    async def pass_on() -> None:
        from mcp.shared.message import SessionMessage

        async with passed_on:
            async for item in incoming:
                if not isinstance(item, Exception):
                    await passed_on.send(item)
                elif answer := _answer(item):
                    await outgoing.send(SessionMessage(answer))

    async with anyio.create_task_group() as group:
        group.start_soon(pass_on)
        yield messages
        group.cancel_scope.cancel()


def _answer(error: Exception) -> types.JSONRPCError | None:
    """What whoever has sent this is told; nothing where no answer is waited for."""
    from mcp import types
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    found = error.errors()
    is_json = found[0]["type"] != "json_invalid"
    request = next(_requests_in([one["input"] for one in found]), {})
    if "id" not in request and (is_json or "method" in request or not str(found[0]["input"]).strip()):
        return None
    code = types.INVALID_REQUEST if is_json else types.PARSE_ERROR
    why = types.ErrorData(code=code, message=f"The request cannot be read: {found[0]['msg']}.")
    return types.JSONRPCError(jsonrpc="2.0", id=_sayable(request.get("id")), error=why)


def _requests_in(given: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    """What was sent, as far as it is JSON: of what has no meaning, each reading tells which part it could not take."""
    for one in given:
        try:
            read = from_json(one) if isinstance(one, str) else one
        except ValueError:
            continue
        if isinstance(read, Mapping) and "method" in read:
            yield read


def _sayable(asked: object) -> int | str | None:
    """By what a client knows its request; None if it cannot be said, as half a character cannot."""
    if isinstance(asked, str):
        return None if _HALVES.search(asked) else asked
    return asked if isinstance(asked, int) and not isinstance(asked, bool) else None
