"""The connection to one MCP server: a process, an endpoint, or an object of this program."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import AgentError, ConfigError, MaverickError
from maverick_tui.executor.mcp.library_log import LIBRARY_LOG
from maverick_tui.executor.mcp.process import ServerProcess
from maverick_tui.executor.settings import wrong_with_proxies, wrong_with_url
from maverick_tui.masking.redact import conceal, redact, without
from maverick_tui.masking.settings import given_to_server, server_secrets
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from mcp import Client

CLOSING_SECONDS = 10.0
IDLE_SECONDS = 24 * 3600.0
"""How long an endpoint may be silent: it is not for the connection to say how long a tool may take."""
MOST_TOOLS = 1_000

log = logging.getLogger(__name__)


class ServerConnection:
    """One server and its client, which lives in a task of its own: it must be left where it was entered."""

    def __init__(self, name: str, server: Any, cwd: Path | None, seconds: float) -> None:
        self.name = name
        self._server = server
        self._cwd = cwd
        self._seconds = seconds
        self._process: ServerProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._tools: list[Any] = []
        self._opened, self._closing = asyncio.Event(), asyncio.Event()

    async def open(self) -> list[Any]:
        """Connect, within the given time; returns the tools that the server lists."""
        self._task = asyncio.create_task(self._hold(), name=f"mcp-{self.name}")
        opened = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait({self._task, opened}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        if self._opened.is_set():
            return self._tools
        error = first_of(self._task.exception()) if self._task.done() else None
        if isinstance(error, MaverickError):
            raise error
        why = await self._why(f"it did not answer within {self._seconds:g} s" if error is None else _words(error))
        raise ConfigError(f"The MCP server {self.name!r} cannot be used: {why}.", hint=self._advice()) from error

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What the server answers; if it cannot, an `AgentError`."""
        if self._client is None or self._task is None:
            raise AgentError(f"The MCP server {self.name!r} is closed.", kind="tool", hint="Open it first.")
        call = asyncio.create_task(self._client.call_tool(tool, arguments))
        try:
            await asyncio.wait({call, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                return call.result()
            raise ConnectionError("the connection has ended")
        except Exception as error:  # whatever the server does becomes an answer to the model
            said = _words(first_of(error))
            why = await self._why(said) if self._has_ended else self._masked(said)[:300].rstrip(".")
            raise AgentError(
                f"The MCP server {self.name!r} could not run {tool!r}: {why}.",
                kind="tool",
                hint="Do without this tool, or say that it is not available.",
            ) from error
        finally:
            call.cancel()

    async def close(self) -> None:
        """Leave the client, which ends the process; what does not end in time is cancelled."""
        self._client = None
        task = self._task
        if task is None:
            return
        self._closing.set()
        if not self._opened.is_set():
            task.cancel()
        try:
            if not (await asyncio.wait({task}, timeout=CLOSING_SECONDS))[0]:
                task.cancel()
                await asyncio.wait({task}, timeout=CLOSING_SECONDS)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            log.debug("The MCP server %s ended with %s", self.name, _words(first_of(error)))

    async def _hold(self) -> None:
        """Connect by the old handshake, which every server knows but those that are too new for it, which say so."""
        await in_thread(importlib.import_module, "mcp")  # takes most of a second, which others can use
        from mcp import MCPError
        from mcp_types import UNSUPPORTED_PROTOCOL_VERSION

        try:
            await self._serve("legacy")
        except Exception as error:
            first = first_of(error)
            if not isinstance(first, MCPError) or first.code != UNSUPPORTED_PROTOCOL_VERSION:
                raise
            await self._serve("auto")

    async def _serve(self, mode: str) -> None:
        from mcp import Client

        LIBRARY_LOG.begin()
        async with self._reached() as server, Client(server, mode=mode) as client:
            # A server's schema for its own results says nothing that we need, and may take for ever to match.
            setattr(client.session, "validate_tool_result", _as_it_is)  # noqa: B010 - it is a method
            cursor = None
            while len(self._tools) < MOST_TOOLS:
                page = await client.list_tools(cursor=cursor)
                self._tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
            self._client = client
            self._opened.set()
            await self._closing.wait()

    @asynccontextmanager
    async def _reached(self) -> AsyncIterator[Any]:
        """What a client can be made from."""
        server = self._server
        if not isinstance(server, Mapping) or "instance" in server:
            yield _served_object(self.name, server["instance"] if isinstance(server, Mapping) else server)
            return
        _check(self.name, server)
        conceal(server_secrets(server))
        match server.get("type") or ("http" if "url" in server else "stdio"):
            case "stdio":
                self._process = ServerProcess(
                    _needed(self.name, server, "command"), server.get("args") or (), server.get("env") or {}, self._cwd
                )
                yield self._process.connected()
            case "sse":
                from mcp.client.sse import sse_client

                from maverick_tui.executor.mcp.far import bounded_client

                url = _address(self.name, server)
                yield sse_client(
                    url,
                    headers=server.get("headers"),
                    timeout=30.0,
                    sse_read_timeout=IDLE_SECONDS,
                    httpx_client_factory=bounded_client,
                )
            case "http" | "streamable-http":
                import httpx2
                from mcp.client.streamable_http import streamable_http_client

                from maverick_tui.executor.mcp.far import bounded_client

                url, timeout = _address(self.name, server), httpx2.Timeout(30.0, read=IDLE_SECONDS)
                async with bounded_client(server.get("headers"), timeout, streams=("GET", "POST")) as http:
                    yield streamable_http_client(url, http_client=http)
            case other:
                raise ConfigError(
                    f"The MCP server {self.name!r} has the type {other!r}.", hint="Choose stdio, http or sse."
                )

    @property
    def _has_ended(self) -> bool:
        return self._process is not None and self._process.has_ended

    async def _why(self, said: str) -> str:
        """What was said, and what is known about the process."""
        ended = await self._process.how_it_ended(self._masked) if self._process is not None else ""
        said = self._masked(said)[:300].rstrip(".")
        return f"{said} ({ended})" if ended else said

    def _advice(self) -> str:
        server = self._server
        if not isinstance(server, Mapping) or "instance" in server:
            return "Check the code of that server."
        if "url" in server:
            return "Check its url and headers, and whether it is running."
        command = self._masked(str(server.get("command")))
        return f"Run {command!r} with its arguments in a shell to see what is wrong with it."

    def _masked(self, text: str) -> str:
        """Without what the server was given in secret: variables, headers, and options that are named like secrets."""
        return redact(without(text, given_to_server(self._server)))


async def _as_it_is(_tool: str, _result: Any) -> None:
    """Take the result of a tool as it is."""


def _served_object(name: str, server: Any) -> Any:
    """The server of this program, if it is one."""
    from mcp.server import MCPServer, Server

    if isinstance(server, Server | MCPServer):
        return server
    raise ConfigError(
        f"The MCP server {name!r} is not a server: its type is {type(server).__name__}.",
        hint="Give a map with command or url, or a server of the mcp package.",
    )


def _check(name: str, server: Mapping[str, Any]) -> None:
    """Refuse settings of the wrong shape: those that an author's own program gives have not been checked."""
    args = server.get("args") or []
    if not isinstance(args, list | tuple) or not all(isinstance(one, str) for one in args):
        raise ConfigError(f"args of the MCP server {name!r} must be a list of strings.", hint="Correct its args.")
    for key in ("env", "headers"):
        pairs = server.get(key) or {}
        if not isinstance(pairs, Mapping) or not all(isinstance(one, str) for pair in pairs.items() for one in pair):
            raise ConfigError(f"{key} of the MCP server {name!r} must be a map of strings.", hint=f"Correct its {key}.")


def _needed(name: str, server: Mapping[str, Any], key: str) -> str:
    """A setting that must be there."""
    value = server.get(key)
    if isinstance(value, str) and value.strip():
        return value
    raise ConfigError(f"The MCP server {name!r} has no {key}.", hint=f"Give its {key}.")


def _address(name: str, server: Mapping[str, Any]) -> str:
    """Its address; a bad one is reported here, since the HTTP library would quote a password in it."""
    url = _needed(name, server, "url")
    if wrong := wrong_with_url(url):
        raise ConfigError(f"The MCP server {name!r} has an invalid url: {wrong}.", hint="Correct its url.")
    variable, wrong = wrong_with_proxies()
    if wrong:
        raise ConfigError(
            f"The MCP server {name!r} cannot be reached: {variable} cannot be used: {wrong}.",
            hint=f"Correct {variable}, or unset it.",
        )
    return url


def first_of(error: BaseException | None) -> BaseException:
    """The error itself, taken out of the groups that it was wrapped in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error or ConnectionError("the connection has ended")


def _words(error: BaseException) -> str:
    """The error in one line: the further lines of some errors repeat what the server has sent."""
    first = next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, FileNotFoundError | PermissionError):
        return f"{error.filename} cannot be run: {error.strerror}"
    return first or type(error).__name__
