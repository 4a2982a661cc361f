"""ToolServers: the MCP servers of one agent, and which of their tools it may use."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from maverick_tui.exceptions import ConfigError, InvalidToolError
from maverick_tui.executor import time_limit
from maverick_tui.executor.mcp.connection import ServerConnection, first_of
from maverick_tui.executor.tools import Tool, ToolContext, ToolError
from maverick_tui.masking.redact import beginning
from maverick_tui.shown import located

OPENING_SECONDS = 30.0

log = logging.getLogger(__name__)


class ToolServers:
    """The servers of one agent, and the tools it may use: `mcp__server__tool`, or `mcp__server__*` for all.

    As an async context it gives the tools, and ends the servers when it is left.
    """

    def __init__(
        self,
        servers: Mapping[str, Any],
        *,
        wanted: Collection[str],
        cwd: Path | None = None,
        opening_seconds: float = OPENING_SECONDS,
    ) -> None:
        """A server is a map as in `.mcp.json`, or an object of this program; only those of wanted tools start."""
        self._wanted = frozenset(wanted)
        self._connections = [
            ServerConnection(name, server, cwd, opening_seconds)
            for name, server in servers.items()
            if any(entry == f"mcp__{name}" or entry.startswith(f"mcp__{name}__") for entry in self._wanted)
        ]

    async def open(self) -> list[Tool]:
        """Start the servers in parallel; returns their tools. If one cannot be used, none is left running."""
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

    def _chosen(self, listed: list[tuple[str, Any, ServerConnection]]) -> list[Tool]:
        """The tools that are wanted; each of them must be listed."""
        for entry in self._wanted - {name for name, _, _ in listed}:
            server = next((one for one in self._connections if entry.startswith(f"mcp__{one.name}__")), None)
            if server is not None and entry != f"mcp__{server.name}__*":
                raise InvalidToolError(entry, [name for name, _, one in listed if one is server])
        tools: dict[str, Tool] = {}
        for name, tool, one in listed:
            if self._wanted.isdisjoint((name, f"mcp__{one.name}", f"mcp__{one.name}__*")):
                continue
            if name in tools or len(name) > 128:
                log.warning("The tool %r of the MCP server %r has a name that cannot be used", tool.name, one.name)
                continue
            tools[name] = ServerTool(name, tool, one.call)
        return list(tools.values())


def _full_name(server: str, tool: str) -> str:
    """The name for the model, whose API allows fewer characters than MCP."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"mcp__{server}__{tool}")


class ServerTool:
    """A tool of an MCP server: checks the arguments against its own schema, and gives the result as text."""

    is_read_only = False
    """Whatever the server claims: it need not tell the truth about itself."""

    def __init__(self, name: str, listed: Any, call: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
        """`listed` is the tool as the server has described it; `call` sends a call there."""
        self.name = name
        self.description: str = listed.description or ""
        self.parameters: dict[str, Any] = {"type": "object", **listed.input_schema}
        self._own_name: str = listed.name
        self._call = call
        self._validator = _validator(name, self.parameters)

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> str:
        """Call it; what it reports as an error is a `ToolError`."""
        if wrong := self._wrong(arguments):
            raise ToolError(f"The arguments of {self.name} are wrong: {wrong}.")
        result = await self._call(self._own_name, arguments)
        text = result_text(result)
        if result.is_error:
            raise ToolError(text or f"{self.name} failed without saying why.")
        return text

    def _wrong(self, arguments: dict[str, Any]) -> str:
        from referencing.exceptions import Unresolvable

        try:
            with time_limit.at_most(time_limit.SECONDS):
                found = list(self._validator.iter_errors(arguments))
        except time_limit.TookTooLongError as error:
            raise ToolError(f"{self.name} cannot be called: it takes too long to check its arguments.") from error
        except Unresolvable as error:
            raise ToolError(
                f"{self.name} cannot be called: its schema refers to {error}, which is elsewhere."
            ) from error
        errors = sorted(found, key=lambda error: [str(at) for at in error.path])
        return "; ".join(located(wrong.path, beginning(wrong.message, 200)) for wrong in errors[:5])


def _validator(name: str, schema: dict[str, Any]) -> Any:
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ConfigError(
            f"The tool {name!r} has parameters that are not a JSON schema: {beginning(error.message, 200)}.",
            hint="Correct the server, or leave the tool out.",
        ) from error
    # An empty registry, since the default one fetches what a schema refers to.
    return kind(schema, registry=Registry())


def result_text(result: Any) -> str:
    """What a tool answered; a picture can only be mentioned."""
    parts = [_block(block) for block in result.content]
    if not any(block.type == "text" for block in result.content) and result.structured_content is not None:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return "\n".join(part for part in parts if part)


def _block(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]"
        case "resource_link":
            return f"[link: {block.uri}]"
        case "resource" if hasattr(block.resource, "text"):
            return str(block.resource.text)
        case "resource":
            return f"[resource: {block.resource.uri}]"
        case other:
            return f"[{other}]"
