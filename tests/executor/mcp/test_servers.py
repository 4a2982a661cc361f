"""Tools of MCP servers: processes, endpoints and objects, which tools are wanted, and their results."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import create_sdk_mcp_server
from claude_agent_sdk import tool as sdk_tool
from mcp.server import MCPServer, Server
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from maverick_tui import keeper
from maverick_tui.exceptions import AgentError, ConfigError, InvalidToolError
from maverick_tui.executor import time_limit
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.tools import ToolContext, ToolError
from tests.executor.mcp.support import PLAIN, STDIO, failure, opened
from tests.support.processes import kill_marked, marked
from tests.support.sampling import sampled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left")


# -- servers that work -----------------------------------------------------------------------------------------------


async def test_a_process_serves_and_ends(mark: str, script: Any) -> None:
    servers = ToolServers({"calc": script(STDIO)}, wanted=["Read", "mcp__calc__add", "mcp__calc__fail"])
    add, fail = await servers.open()
    assert (add.name, add.description) == ("mcp__calc__add", "Add two numbers.")
    assert add.parameters["required"] == ["a"]
    assert not any(getattr(tool, "is_read_only", None) for tool in (add, fail)), "a server's own word does not count"
    assert await add.execute({"a": 40, "b": 2}, ToolContext()) == "42"
    assert await asyncio.gather(*(add.execute({"a": n}, ToolContext()) for n in range(20))) == [
        str(n + 1) for n in range(20)
    ]
    with pytest.raises(ToolError, match="out of luck"):
        await fail.execute({}, ToolContext())
    with pytest.raises(ToolError, match="arguments of mcp__calc__add are wrong: a: 'x' is not of type 'integer'"):
        await add.execute({"a": "x"}, ToolContext())
    assert sum("keeper.py" not in command for command in marked(mark).values()) == 1
    await servers.close()
    await servers.close()
    assert marked(mark) == {}
    with pytest.raises(AgentError, match="The MCP server 'calc' is closed") as caught:
        await add.execute({"a": 1}, ToolContext())
    assert caught.value.kind == "tool"


async def test_ending_what_killed_keepers_have_left_holds_up_nobody(
    mark: str, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, others_go_on = threading.Event(), threading.Event()
    waited: list[bool] = []

    def end_marked(_mark: str) -> None:
        begun.set()
        waited.append(others_go_on.wait(20))

    async def go_on() -> None:
        while not begun.is_set():
            await asyncio.sleep(0.01)
        others_go_on.set()

    monkeypatch.setattr(keeper, "end_marked", end_marked)
    servers = ToolServers({"calc": script(PLAIN)}, wanted=["mcp__calc__add"])
    await servers.open()
    other = asyncio.create_task(go_on())
    kill_marked(mark)
    await servers.close()
    await other
    assert waited == [True]


async def test_a_process_is_given_its_variables_but_not_the_key(
    mark: str, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-for-servers")
    monkeypatch.setenv("PROXY", "from-the-shell")
    async with opened(script(PLAIN, OWN="given")) as call:
        assert await call("variable", name="OWN") == "given"
        assert await call("variable", name="PROXY") == "from-the-shell"
        assert await call("variable", name="ANTHROPIC_API_KEY") == "nothing"


async def test_it_starts_in_the_projects_folder(mark: str, script: Any, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    servers = ToolServers(
        {"s": script(PLAIN.replace("os.environ.get(name, ", "os.getcwd() or ("))},
        wanted=["mcp__s__variable"],
        cwd=folder,
    )
    (tool,) = await servers.open()
    assert await tool.execute({"name": ""}, ToolContext()) == str(folder)
    await servers.close()


async def test_objects_of_this_program_serve() -> None:
    ours = MCPServer("ours")

    @ours.tool(annotations=ToolAnnotations(read_only_hint=True))
    def shout(text: str) -> str:
        """Loud."""
        return text.upper()

    @sdk_tool("double", "Twice as much", {"x": int})
    async def double(arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["x"] > 100:
            return {"content": [{"type": "text", "text": "too much"}], "is_error": True}
        return {"content": [{"type": "text", "text": str(2 * arguments["x"])}]}

    both = {"ours": ours, "sdk": create_sdk_mcp_server("sdk", tools=[double])}
    servers = ToolServers(both, wanted=["mcp__ours", "mcp__sdk__*"])
    one, two = await servers.open()
    assert (one.name, two.name) == ("mcp__ours__shout", "mcp__sdk__double")
    assert await one.execute({"text": "hey"}, ToolContext()) == "HEY"
    assert await two.execute({"x": 21}, ToolContext()) == "42"
    with pytest.raises(ToolError, match=r"^too much$"):
        await two.execute({"x": 1000}, ToolContext())
    await servers.close()


ENDPOINT = """
    import sys
    import uvicorn
    from mcp.server import MCPServer

    server = MCPServer("far")

    @server.tool()
    def ping() -> str:
        return "pong"

    app = server.sse_app() if sys.argv[2] == "sse" else server.streamable_http_app()

    async def guarded(scope, receive, send):
        if scope["type"] == "http" and (b"authorization", b"Bearer far-away-token") not in scope["headers"]:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
        await app(scope, receive, send)

    uvicorn.run(guarded, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


@contextmanager
def endpoint(script: Any, kind: str) -> Iterator[tuple[dict[str, Any], subprocess.Popen[bytes]]]:
    """A server on loopback that wants a token; its settings, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, *script(ENDPOINT, str(port), kind)["args"]])
    try:
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        url = f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}"
        yield {"type": kind, "url": url, "headers": {"Authorization": "Bearer far-away-token"}}, process
    finally:
        process.kill()
        process.wait()


@pytest.mark.explore
@pytest.mark.parametrize("kind", sampled(["http", "sse"], 2))
async def test_endpoints_serve_whoever_has_the_token_until_they_are_gone(mark: str, script: Any, kind: str) -> None:
    with endpoint(script, kind) as (server, process):
        error = await failure({**server, "headers": {"Authorization": "Bearer a-wrong-token"}})
        assert "a-wrong-token" not in str(error)
        assert error.hint == "Check its url and headers, and whether it is running."
        async with opened(server) as call:
            assert await call("ping") == "pong"
            process.kill()
            process.wait()
            async with asyncio.timeout(10):
                with pytest.raises(AgentError, match="The MCP server 's' could not run 'ping': ") as caught:
                    await call("ping")
            assert caught.value.kind == "tool"
            assert "far-away-token" not in str(caught.value)


# -- what is wanted --------------------------------------------------------------------------------------------------


def described(*tools: ListedTool, result: CallToolResult | None = None) -> Server[Any]:
    async def listing(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=list(tools))

    async def calling(_context: Any, _params: Any) -> CallToolResult:
        return result or CallToolResult(content=[])

    return Server("described", on_list_tools=listing, on_call_tool=calling)


async def test_a_server_that_nothing_is_wanted_of_is_not_started() -> None:
    servers = ToolServers({"s": {"command": "/does/not/exist"}}, wanted=["Read", "mcp__s2__*"])
    assert await servers.open() == []
    await servers.close()


async def test_a_wanted_tool_that_is_missing_is_said() -> None:
    server = described(ListedTool(name="search", input_schema={"type": "object"}))
    with pytest.raises(InvalidToolError, match="Did you mean 'mcp__s__search'") as caught:
        await ToolServers({"s": server}, wanted=["mcp__s__serach"]).open()
    assert caught.value.available_tools == ["mcp__s__search"]


async def test_names_fit_the_api() -> None:
    names = ["files/read.all", "files_read.all", "x" * 200]
    server = described(*(ListedTool(name=name, input_schema={"type": "object"}) for name in names))
    servers = ToolServers({"s": server}, wanted=["mcp__s__*"])
    assert [tool.name for tool in await servers.open()] == ["mcp__s__files_read_all"]
    await servers.close()


async def test_parameters_that_are_no_schema_are_said() -> None:
    server = described(ListedTool(name="odd", input_schema={"type": "object", "properties": {"a": {"type": "odd"}}}))
    with pytest.raises(ConfigError, match="'mcp__s__odd' has parameters that are not a JSON schema"):
        await ToolServers({"s": server}, wanted=["mcp__s__odd"]).open()


async def test_a_schema_cannot_make_us_fetch_something() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}
    async with opened(described(ListedTool(name="odd", input_schema=schema))) as call:
        with pytest.raises(ToolError, match="its schema refers to"):
            await call("odd", a=1)


async def test_a_schema_cannot_hold_us_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "SECONDS", 0.05)
    schema = {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}
    async with opened(described(ListedTool(name="odd", input_schema=schema))) as call:
        with pytest.raises(ToolError, match="takes too long"):
            await call("odd", a="a" * 60 + "!")
    # What it returns is not held against its own schema.
    result = CallToolResult(content=[TextContent(text="told")], structured_content={"a": "a" * 22 + "!"})
    tool = ListedTool(name="odd", input_schema={"type": "object"}, output_schema=schema)
    async with opened(described(tool, result=result)) as call:
        assert await call("odd") == "told"


# -- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (CallToolResult(content=[TextContent(text="one"), TextContent(text="two")]), "one\ntwo"),
        (CallToolResult(content=[], structured_content={"ü": [1]}), '{"ü": [1]}'),
        (CallToolResult(content=[TextContent(text="1")], structured_content={"result": 1}), "1"),
        (CallToolResult(content=[ImageContent(data="AAAA", mime_type="image/png")]), "[image: image/png, 3 bytes]"),
        (CallToolResult(content=[AudioContent(data="AAAA", mime_type="audio/wav")]), "[audio: audio/wav, 3 bytes]"),
        (CallToolResult(content=[ResourceLink(name="x", uri="file:///x")]), "[link: file:///x]"),
        (
            CallToolResult(content=[EmbeddedResource(resource=TextResourceContents(uri="file:///x", text="inside"))]),
            "inside",
        ),
        (
            CallToolResult(content=[EmbeddedResource(resource=BlobResourceContents(uri="file:///x", blob="AAAA"))]),
            "[resource: file:///x]",
        ),
        (CallToolResult(content=[]), ""),
    ],
)
async def test_results_as_text(result: CallToolResult, text: str) -> None:
    async with opened(described(ListedTool(name="t", input_schema={"type": "object"}), result=result)) as call:
        assert await call("t") == text


async def test_an_error_without_words_is_one_all_the_same() -> None:
    result = CallToolResult(content=[], is_error=True)
    async with opened(described(ListedTool(name="t", input_schema={"type": "object"}), result=result)) as call:
        with pytest.raises(ToolError, match="mcp__s__t failed without saying why"):
            await call("t")
