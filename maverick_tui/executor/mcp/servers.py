"""ToolServers: the MCP servers of one agent, and the tools of them that it may use."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from maverick_tui.exceptions import InvalidToolError
from maverick_tui.executor.mcp.connection import Connection, first_of
from maverick_tui.executor.mcp.tool import ServerTool
from maverick_tui.executor.tools import Tool

OPENING_SECONDS = 30.0

log = logging.getLogger(__name__)


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
            Connection(name, server, cwd, opening_seconds)
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
                first = first_of(error)
                raise first from first.__cause__
            raise

    async def close(self) -> None:
        """End them all; may be called more than once."""
        await asyncio.gather(*(one.close() for one in self._connections))

    async def __aenter__(self) -> list[Tool]:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _chosen(self, listed: list[tuple[str, Any, Connection]]) -> list[Tool]:
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


def _full_name(server: str, tool: str) -> str:
    """The name for the model, whose API takes fewer characters than MCP does."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"mcp__{server}__{tool}")
