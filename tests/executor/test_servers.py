"""Tools of MCP servers: real ones, broken ones, and that none of them is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
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
from maverick_tui.executor import server_process
from maverick_tui.executor.servers import ToolServers
from maverick_tui.executor.tools import ToolContext, ToolError, ToolRegistry
from tests.support import plain_mcp
from tests.support.processes import marked, wait_until_gone
from tests.support.sampling import sampled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left")

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


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A server of `.mcp.json` that runs this program."""

    def made(text: str, *args: str, **env: str) -> dict[str, Any]:
        path = tmp_path / "server.py"
        path.write_text(textwrap.dedent(text))
        return {"type": "stdio", "command": sys.executable, "args": [str(path), *args], "env": env}

    return made


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
    for pid in marked(mark):
        with suppress(ProcessLookupError):  # it may have ended with its keeper
            os.kill(pid, signal.SIGKILL)
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
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        url = f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}"
        yield {"type": kind, "url": url, "headers": {"Authorization": "Bearer far-away-token"}}, process
    finally:
        process.kill()
        process.wait()


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
    with pytest.raises(ConfigError, match="'mcp__s__odd' has parameters that are no JSON schema"):
        await ToolServers({"s": server}, wanted=["mcp__s__odd"]).open()


async def test_a_schema_cannot_make_us_fetch_something() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}
    async with opened(described(ListedTool(name="odd", input_schema=schema))) as call:
        with pytest.raises(ToolError, match="its schema refers to"):
            await call("odd", a=1)


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
        with pytest.raises(ToolError, match="mcp__s__t has failed, and does not say why"):
            await call("t")


# -- servers that do not work ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (
            {"type": "stdio", "command": "no-such-command-anywhere"},
            "no-such-command-anywhere cannot be run: No such file",
        ),
        ({"type": "stdio"}, "has no command"),
        ({"type": "http"}, "has no url"),
        ({"type": "carrier pigeon", "url": "x"}, "has the type 'carrier pigeon'"),
        ({"url": "http://127.0.0.1:9/mcp"}, "cannot be used: "),
        ({"type": "sse", "url": "http://127.0.0.1:9/sse"}, "cannot be used: "),
        ({"type": "http", "url": "no url at all"}, "has a url that is none: it has blanks"),
        ({"url": "https://me:hunter2/x@host/mcp"}, "has a url that is none: it is no address."),
        ({"type": "sse", "url": "https://me:hunter2/x@host/sse"}, "has a url that is none: it is no address."),
        ({"type": "sdk", "name": "x", "instance": object()}, "is none: its type is object"),
        (42, "is none: its type is int"),
        ({"command": sys.executable, "args": 7}, "must be a list of texts"),
        ({"command": sys.executable, "env": {"A": 1}}, "must be a map of texts"),
    ],
)
async def test_a_server_that_cannot_be_started_is_said(mark: str, server: Any, message: str) -> None:
    error = await failure(server)
    assert message in error.message
    assert "hunter2" not in str(error)
    assert error.hint not in ("", ConfigError.hint_by_default)
    assert (error.cause is not None) is ("cannot be used: " in error.message)


async def test_a_server_that_ends_at_once_leaves_its_last_words_without_secrets(mark: str, script: Any) -> None:
    text = """
        import os, sys
        print("cannot log in with", os.environ["PIN"], "and", sys.argv[2], "and", sys.argv[3], file=sys.stderr)
        sys.exit(7)
    """
    error = await failure(script(text, "--api-key", "from-the-arguments", "--token=with-equals", PIN="from-the-env"))
    assert "it ended with code 7; its last words: cannot log in with [secret] and [secret] and" in error.message
    for secret in ("from-the-arguments", "with-equals", "from-the-env"):
        assert secret not in str(error)
    assert "in a shell to see what is wrong" in error.hint


async def test_a_server_that_never_answers_is_given_up_and_ended(mark: str, script: Any) -> None:
    error = await failure(script("import time; time.sleep(1000)"), seconds=0.5)
    assert "it did not answer within 0.5 s" in error.message
    assert marked(mark) == {}


async def test_a_server_that_will_not_end_is_ended(mark: str, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process, "GRACE", 0.2)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
    await failure(script(stubborn), seconds=1)
    assert marked(mark) == {}


async def test_a_server_that_prints_rubbish_is_quoted(
    mark: str, script: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    error = await failure(script("print('Welcome!', flush=True); import time; time.sleep(1000)"), seconds=1)
    assert "its output is no message of MCP: 'Welcome!'" in error.message
    assert capfd.readouterr() == ("", "")


async def test_a_program_that_writes_without_end_is_no_server(mark: str) -> None:
    error = await failure({"command": "yes", "args": ["no"]})
    assert error.message.endswith("Connection closed (its output is no message of MCP: 'no').")
    assert marked(mark) == {}


async def test_a_greeting_before_the_first_message_does_no_harm(mark: str, script: Any) -> None:
    async with opened(script(f"print('Welcome!', flush=True)\n{textwrap.dedent(PLAIN)}")) as call:
        assert await call("add", a=1) == "2"


@pytest.mark.parametrize(
    "answer",
    ['{"jsonrpc": "2.0", "id": 1, "result": {"nonsense": true}}', '{"jsonrpc": "2.0", "id": 1, "result": [1]}', "[]"],
)
async def test_a_server_that_answers_nonsense_is_said(mark: str, script: Any, answer: str) -> None:
    text = f"import sys\nfor line in sys.stdin: print({answer!r}, flush=True)"
    error = await failure(script(text), seconds=2)
    assert error.message.startswith("The MCP server 's' cannot be used: ")
    assert "\n" not in error.message


async def test_a_line_without_an_end_is_not_kept(mark: str, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process, "MOST_LINE", 100_000)
    text = "import sys\nwhile True: sys.stdout.write('x' * 10_000)"
    error = await failure(script(text), seconds=5)
    assert "a line of more than 100,000 bytes" in error.message


async def test_a_server_that_dies_later_is_said_each_time(mark: str, script: Any) -> None:
    async with opened(script(PLAIN, PIN="secret-number")) as call:
        for tool in ("die", "fail"):
            with pytest.raises(AgentError) as caught:
                await call(tool)
            assert caught.value.kind == "tool"
            assert f"The MCP server 's' could not run '{tool}'" in caught.value.message
            assert "it ended with code 3; its last words: " in caught.value.message
            assert "the disk is full, said [secret]" in caught.value.message


async def test_what_a_server_has_started_ends_with_it(mark: str, script: Any) -> None:
    async with opened(script(PLAIN)) as call:
        child = int(await call("leave_child"))
        assert child in marked(mark)
    assert wait_until_gone(mark) == {}


async def test_a_call_that_is_given_up_harms_no_other(mark: str, script: Any) -> None:
    async with opened(script(PLAIN)) as call:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await call("sleep")
        assert await call("add", a=1) == "2"


async def test_if_one_cannot_be_used_the_others_are_ended(mark: str, script: Any) -> None:
    servers = ToolServers(
        {"good": script(PLAIN), "bad": {"command": "no-such-command"}}, wanted=["mcp__good__*", "mcp__bad__*"]
    )
    with pytest.raises(ConfigError, match="The MCP server 'bad' cannot be used"):
        await servers.open()
    assert marked(mark) == {}


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.6])
async def test_cancelled_while_opening_nothing_is_left(mark: str, script: Any, delay: float) -> None:
    servers = ToolServers({"s": script(PLAIN)}, wanted=["mcp__s__*"])
    opening = asyncio.create_task(servers.open())
    await asyncio.sleep(delay)
    opening.cancel()
    await asyncio.wait({opening})
    await servers.close()
    assert marked(mark) == {}


def test_a_program_that_ends_without_closing_leaves_nothing(mark: str, script: Any) -> None:
    async def careless() -> None:
        await ToolServers({"s": script(PLAIN)}, wanted=["mcp__s__*"]).open()

    asyncio.run(careless())


def test_without_servers_mcp_is_not_imported() -> None:
    program = """
        import asyncio, sys
        from maverick_tui.executor.servers import ToolServers
        assert asyncio.run(ToolServers({}, wanted=["Read"]).open()) == []
        assert not {"mcp", "mcp_types", "jsonschema", "httpx2"} & sys.modules.keys()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
