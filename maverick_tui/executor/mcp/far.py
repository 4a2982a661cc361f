"""An HTTP client for MCP servers elsewhere: what one of them sends at once has an end. Imports httpx2."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from functools import partial
from typing import cast

import httpx2

MOST_AT_ONCE = 32 << 20
"""Bytes of one message of a server's, whose tools may return pictures. A longer one has no end, perhaps."""
_EVENTS = "text/event-stream"
_BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r\n")


def bounded_client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
    *,
    streams: Collection[str] = ("GET",),
) -> httpx2.AsyncClient:
    """A client that reads no message without end. A compressed one could have one all the same, so none may be.

    Whoever uses it reads answers to the methods `streams` event by event, if they come so, and all others as a whole.
    """
    return httpx2.AsyncClient(
        headers={**(headers or {}), "accept-encoding": "identity"},
        timeout=timeout if timeout is not None else httpx2.Timeout(30.0),
        auth=auth,
        event_hooks={"response": [partial(_bound, streams)]},
    )


async def _bound(streams: Collection[str], response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise httpx2.DecodingError("the answer is compressed, though nobody has asked for that")
    is_read_so = response.is_success and response.request.method in streams
    is_stream = is_read_so and response.headers.get("content-type", "").lower().startswith(_EVENTS)
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream), in_events=is_stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, *, in_events: bool) -> None:
        self._stream = stream
        self._in_events = in_events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, before = 0, b""
        async for chunk in self._stream:
            size, seen = size + len(chunk), before + chunk
            if self._in_events and any(blank in seen for blank in _BLANK_LINES):
                size = 0  # another event begins
            before = seen[-2:]
            if size > MOST_AT_ONCE:
                raise httpx2.ReadError("the answer has no end")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
