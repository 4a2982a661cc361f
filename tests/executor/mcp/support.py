"""MCP servers as programs, opened and called in a few words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.tools import ToolContext, ToolRegistry
from tests.support import plain_mcp

SUPPORT = Path(plain_mcp.__file__).parent
STDIO = '''
    import os, subprocess, sys, time
    from mcp.server import MCPServer
    from mcp_types import ToolAnnotations

    server = MCPServer("calculator")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    @server.tool(structured_output=False)
    def variable(name: str) -> str:
        """What it was given in its environment."""
        return os.environ.get(name, "nothing")

    @server.tool()
    def fail() -> str:
        """Has no luck."""
        from mcp.server.mcpserver.exceptions import ToolError
        raise ToolError("out of luck")

    @server.tool()
    def die() -> str:
        """Ends the server."""
        print("the disk is full, said", os.environ.get("PIN"), file=sys.stderr, flush=True)
        os._exit(3)

    @server.tool()
    def leave_child() -> str:
        """Starts something that does not end by itself."""
        return str(subprocess.Popen(["sleep", "1000"]).pid)

    @server.tool()
    async def sleep() -> str:
        """Takes its time."""
        import anyio
        await anyio.sleep(1000)
        return "never"

    server.run()
'''


# The same without the second that it takes to import the library: for what the library has no part in.
PLAIN = STDIO.replace(
    "from mcp.server import MCPServer", f"sys.path.insert(0, {str(SUPPORT)!r}); from plain_mcp import MCPServer"
)
PLAIN = PLAIN.replace("from mcp_types import ToolAnnotations\n", "").replace(
    "annotations=ToolAnnotations(read_only_hint=True)", ""
)


Called = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def opened(server: Any, *wanted: str, seconds: float = 30.0) -> AsyncIterator[Called]:
    async with ToolServers({"s": server}, wanted=wanted or ["mcp__s__*"], opening_seconds=seconds) as found:
        tools = ToolRegistry(found)

        async def call(name: str, /, **arguments: Any) -> Any:
            return await tools.get(f"mcp__s__{name}").execute(arguments, ToolContext())

        yield call


async def failure(server: Any, *, seconds: float = 30.0) -> ConfigError:
    servers = ToolServers({"s": server}, wanted=["mcp__s"], opening_seconds=seconds)
    with pytest.raises(ConfigError) as caught:
        await servers.open()
    assert "MCP server 's' " in caught.value.message
    return caught.value
