"""The Messages API over HTTP: a client for it, what is posted, and the events that come back.

Not through the vendor's SDK: to import that takes two seconds, more than anything else that a run on this engine does
by itself, for what stands here in a few lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from maverick_tui import __version__
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.model.failures import StatusError, UnansweredError
from maverick_tui.executor.strict_json import read_strictly
from maverick_tui.inert import one_line

if TYPE_CHECKING:
    import ssl

    from httpx2 import AsyncClient, Response

VENDOR = "https://api.anthropic.com"
API_VERSION = "2026-10-21"
"""What the answers look like; the keys of this one are sent as tokens are."""
CONNECT_TIMEOUT = 20.0
MOST_OF_EVENT = 8 << 20
"""Bytes of one event, or of what is answered as a whole: text of a book's length. A longer one has no end, perhaps."""
MOST_OF_EVENTS = 256 << 20
"""Bytes of all that an answer consists of: a million tokens, each in an event of its own."""

_LONGEST_PLACE = 200
"""Characters that are told of where an endpoint sends requests on to."""


def make_client(address: str, key: str, headers: Mapping[str, str], idle: float) -> AsyncClient:
    """A client for this endpoint. It takes a while the first time: it imports, and reads all certificates."""
    import httpx2

    own = httpx2.Headers(
        {
            "accept": "application/json",
            "content-type": "application/json",
            "user-agent": f"maverick-tui/{__version__}",
            "authorization": f"Bearer {key}",
            "anthropic-version": API_VERSION,
        }
    )
    own.update(headers)
    return httpx2.AsyncClient(
        base_url=address or VENDOR,
        headers=own,
        timeout=httpx2.Timeout(idle, connect=min(CONNECT_TIMEOUT, idle)),
        limits=httpx2.Limits(max_connections=1_000, max_keepalive_connections=100),
        follow_redirects=False,  # they would carry the conversation elsewhere, and a gateway's key in a header
        verify=_certificates(),
    )


async def ask(client: AsyncClient, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Any:
    """What is answered, as a whole."""
    async with _posted(client, path, body, headers) as response:
        return read_strictly((await _whole(response)).decode())


async def ask_for_events(
    client: AsyncClient, path: str, body: dict[str, Any], headers: Mapping[str, str]
) -> AsyncGenerator[Any, None]:
    """What is answered, event by event; whoever reads closes this, which ends the answer."""
    async with _posted(client, path, body, headers) as response:
        name, data, size, whole = "", list[str](), 0, 0
        async for line in _lines(response):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
                size += len(value) + 1
                _require(size <= MOST_OF_EVENT, "an event has no end")
            elif not line:
                text, whole, size = "\n".join(data), whole + size, 0
                _require(whole <= MOST_OF_EVENTS, "it has no end")
                if name == "error":
                    raise StatusError(response.status_code, text, response.headers)
                if name and name != "ping" and text:
                    yield read_strictly(text)
                name, data = "", []


@asynccontextmanager
async def _posted(
    client: AsyncClient, path: str, body: dict[str, Any], headers: Mapping[str, str]
) -> AsyncIterator[Response]:
    import httpx2

    request = client.build_request("POST", path, content=_as_sent(body), headers=dict(headers))
    try:
        response = await client.send(request, stream=True)
    except httpx2.HTTPError as error:
        raise UnansweredError from error
    try:
        if response.has_redirect_location:
            place = one_line(response.headers["location"].partition("?")[0][:_LONGEST_PLACE])
            raise AgentError(
                f"The endpoint sends requests on to {place}; they are not sent there.",
                kind="invalid",
                hint="If that is the right place, have ANTHROPIC_BASE_URL say so, without /v1/messages.",
            )
        if not response.is_success:
            try:
                said = (await _whole(response)).decode(errors="replace")
            except _EndlessError:  # what it begins with may end within a secret
                said = ""
            raise StatusError(response.status_code, said, response.headers)
        yield response
    finally:
        await response.aclose()


def _as_sent(body: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise AgentError(
            f"The model was not asked: the conversation has something in it that cannot be sent ({error}).",
            kind="invalid",
            hint="Begin a new conversation.",
        ) from error
    return text.encode(errors="replace")


async def _lines(response: Response) -> AsyncIterator[str]:
    """Its lines. They are told apart before they are decoded: in a text there are more characters that end lines."""
    rest = bytearray()
    async for chunk in response.aiter_bytes():
        was_ended = rest.endswith(b"\r")  # after \r there may still come \n
        rest += chunk
        if not was_ended and b"\n" not in chunk and b"\r" not in chunk:
            _require(len(rest) <= MOST_OF_EVENT, "a line has no end")
            continue
        lines = rest.splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else bytearray()
        for line in lines:
            yield line.rstrip(b"\r\n").decode()
    if rest:
        yield rest.rstrip(b"\r").decode()


class _EndlessError(ValueError):
    """What is answered is longer than anything that is meant."""


def _require(is_met: bool, wrong: str) -> None:
    if not is_met:
        raise _EndlessError(wrong)


async def _whole(response: Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        _require(len(content) <= MOST_OF_EVENT, "it has no end")
    return bytes(content)


def _certificates() -> ssl.SSLContext:
    return _certificates_of(*(os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@cache
def _certificates_of(_file: str, _folder: str) -> ssl.SSLContext:
    """What is trusted where the environment names these: to read it takes 50 ms, so that all clients share it."""
    import httpx2

    return httpx2.create_ssl_context()
