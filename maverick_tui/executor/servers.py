"""Tools from MCP servers: processes, endpoints, or objects of this program."""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import AgentError, ConfigError, InvalidToolError, MaverickError
from maverick_tui.executor.server_process import ServerProcess
from maverick_tui.executor.server_settings import address, check, needed, served_object
from maverick_tui.executor.server_tool import ServerTool
from maverick_tui.executor.threads import in_thread
from maverick_tui.executor.tools import Tool
from maverick_tui.masking.redact import conceal, redact, without
from maverick_tui.masking.settings import given_to_server, server_secrets

if TYPE_CHECKING:
    from mcp import Client

OPENING_SECONDS = 30.0
CLOSING_SECONDS = 10.0
IDLE_SECONDS = 24 * 3600.0
"""How long an endpoint may be silent: how long a tool may take is not the connection's to say."""
MOST_TOOLS = 1_000

log = logging.getLogger("maverick_tui.executor.servers")


class ToolServers:
    """The servers of one agent, and their tools that it may use: `mcp__server__tool`, or `mcp__server__*` for all.

    Used as an async context it gives the tools, and ends the servers when it is left.
    """

    def __init__(
        self,
        servers: Mapping[str, Any],
        *,
        wanted: Collection[str],
        cwd: Path | None = None,
        opening_seconds: float = OPENING_SECONDS,
    ) -> None:
        """A server is a map as in `.mcp.json`, or one of this program. One that no wanted tool is from stays closed."""
        self._wanted = frozenset(wanted)
        self._connections = [
            _Connection(name, server, cwd, opening_seconds)
            for name, server in servers.items()
            if any(entry == f"mcp__{name}" or entry.startswith(f"mcp__{name}__") for entry in self._wanted)
        ]

    async def open(self) -> list[Tool]:
        """Start the servers side by side; their tools. If one cannot be used, none is left running."""
        try:
            async with asyncio.TaskGroup() as group:
                opening = [group.create_task(one.open()) for one in self._connections]
            listed = [
                (_full_name(one.name, tool.name), tool, one)
                for one, task in zip(self._connections, opening, strict=True)
                for tool in task.result()
            ]
            return self._chosen(listed)
        except BaseException as error:
            await self.close()
            if isinstance(error, BaseExceptionGroup):
                first = _first(error)
                raise first from first.__cause__
            raise

    async def close(self) -> None:
        """End them all; may be called more than once."""
        await asyncio.gather(*(one.close() for one in self._connections))

    async def __aenter__(self) -> list[Tool]:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _chosen(self, listed: list[tuple[str, Any, _Connection]]) -> list[Tool]:
        """Those that are wanted, and all that is wanted must be among them."""
        for entry in self._wanted - {name for name, _, _ in listed}:
            server = next((one for one in self._connections if entry.startswith(f"mcp__{one.name}__")), None)
            if server is not None and entry != f"mcp__{server.name}__*":
                raise InvalidToolError(entry, [name for name, _, one in listed if one is server])
        tools: dict[str, Tool] = {}
        for name, tool, one in listed:
            if self._wanted.isdisjoint((name, f"mcp__{one.name}", f"mcp__{one.name}__*")):
                continue
            if name in tools or len(name) > 128:
                log.warning("The tool %r of the MCP server %r has no name that can be used", tool.name, one.name)
                continue
            tools[name] = ServerTool(name, tool, one.call)
        return list(tools.values())


class _Connection:
    """One server and its client, which lives in a task of its own: it has to be left where it was entered."""

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
        """Connect; the tools that the server lists. It may take so long, and no longer."""
        self._task = asyncio.create_task(self._hold(), name=f"mcp-{self.name}")
        opened = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait({self._task, opened}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        if self._opened.is_set():
            return self._tools
        error = _first(self._task.exception()) if self._task.done() else None
        if isinstance(error, MaverickError):
            raise error
        why = await self._why(f"it did not answer within {self._seconds:g} s" if error is None else _words(error))
        raise ConfigError(f"The MCP server {self.name!r} cannot be used: {why}.", hint=self._advice()) from error

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What the server answers; that it cannot is an `AgentError`."""
        if self._client is None or self._task is None:
            raise AgentError(f"The MCP server {self.name!r} is closed.", kind="tool", hint="Open it first.")
        call = asyncio.create_task(self._client.call_tool(tool, arguments))
        try:
            await asyncio.wait({call, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                return call.result()
            raise ConnectionError("the connection has ended")
        except Exception as error:  # whatever the server does becomes an answer to the model
            said = _words(_first(error))
            why = await self._why(said) if self._has_ended else self._masked(said)[:300].rstrip(".")
            raise AgentError(
                f"The MCP server {self.name!r} could not run {tool!r}: {why}.",
                kind="tool",
                hint="Do without this tool, or say that it is not available.",
            ) from error
        finally:
            call.cancel()

    async def close(self) -> None:
        """Leave the client, which ends a process; what does not end in time is cancelled."""
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
            log.debug("The MCP server %s ended with %s", self.name, _words(_first(error)))

    async def _hold(self) -> None:
        """Every server knows the handshake of old but those that are too new for it, which say so."""
        await in_thread(importlib.import_module, "mcp")  # takes most of a second, in which others have work to do
        from mcp import MCPError
        from mcp_types import UNSUPPORTED_PROTOCOL_VERSION

        try:
            await self._serve("legacy")
        except Exception as error:
            first = _first(error)
            if not isinstance(first, MCPError) or first.code != UNSUPPORTED_PROTOCOL_VERSION:
                raise
            await self._serve("auto")

    async def _serve(self, mode: str) -> None:
        from mcp import Client

        # What it logs where nobody has asked for logs would be written over the screen.
        if not (library := logging.getLogger("mcp")).handlers:
            library.addHandler(logging.NullHandler())
        async with self._reached() as server, Client(server, mode=mode) as client:
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
        """What a client can be made of."""
        server = self._server
        if not isinstance(server, Mapping) or "instance" in server:
            yield served_object(self.name, server["instance"] if isinstance(server, Mapping) else server)
            return
        check(self.name, server)
        conceal(server_secrets(server))
        match server.get("type") or ("http" if "url" in server else "stdio"):
            case "stdio":
                self._process = ServerProcess(
                    needed(self.name, server, "command"), server.get("args") or (), server.get("env") or {}, self._cwd
                )
                yield self._process.connected()
            case "sse":
                from mcp.client.sse import sse_client

                url = address(self.name, server)
                yield sse_client(url, headers=server.get("headers"), timeout=30.0, sse_read_timeout=IDLE_SECONDS)
            case "http" | "streamable-http":
                import httpx2
                from mcp.client.streamable_http import streamable_http_client

                timeout = httpx2.Timeout(30.0, read=IDLE_SECONDS)
                async with httpx2.AsyncClient(headers=server.get("headers"), timeout=timeout) as http:
                    yield streamable_http_client(address(self.name, server), http_client=http)
            case other:
                raise ConfigError(
                    f"The MCP server {self.name!r} has the type {other!r}.", hint="Choose stdio, http or sse."
                )

    @property
    def _has_ended(self) -> bool:
        return self._process is not None and self._process.has_ended

    async def _why(self, said: str) -> str:
        """What was said, and what there is to know of the process."""
        ended = await self._process.how_it_ended(self._masked) if self._process is not None else ""
        said = self._masked(said)[:300].rstrip(".")
        return f"{said} ({ended})" if ended else said

    def _advice(self) -> str:
        server = self._server
        if not isinstance(server, Mapping) or "instance" in server:
            return "Look at the code of that server."
        if "url" in server:
            return "Check its url and headers, and whether it is running."
        command = self._masked(str(server.get("command")))
        return f"Run {command!r} with its arguments in a shell to see what is wrong with it."

    def _masked(self, text: str) -> str:
        """Without what the server was given in secret: its variables, its headers, and options that are named so."""
        return redact(without(text, given_to_server(self._server)))


def _full_name(server: str, tool: str) -> str:
    """The name for the model, whose API takes fewer characters than MCP does."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"mcp__{server}__{tool}")


def _first(error: BaseException | None) -> BaseException:
    """The error itself, out of the groups that it was wrapped in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error or ConnectionError("the connection has ended")


def _words(error: BaseException) -> str:
    """In one line; the lines after the first of some errors repeat what the server has sent."""
    first = next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, FileNotFoundError | PermissionError):
        return f"{error.filename} cannot be run: {error.strerror}"
    return first or type(error).__name__
