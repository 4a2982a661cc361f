"""MCP servers that do not start, do not answer or do not end: each is said, and none is left behind."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import textwrap
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.executor.mcp import process as server_process
from maverick_tui.executor.mcp.far import bounded_client
from maverick_tui.executor.mcp.library_log import LOGGERS, MOST_LOGGED
from maverick_tui.executor.mcp.servers import ToolServers
from tests.executor.mcp.support import PLAIN, failure, opened
from tests.runs.watching import PATIENCE
from tests.support.processes import PAUSE, marked, wait_until_gone
from tests.support.sampling import sampled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left")


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
        ({"type": "http", "url": "no url at all"}, "has an invalid url: it contains spaces"),
        ({"url": "https://me:hunter2/x@host/mcp"}, "has an invalid url: it is not an address."),
        ({"type": "sse", "url": "https://me:hunter2/x@host/sse"}, "has an invalid url: it is not an address."),
        ({"type": "sdk", "name": "x", "instance": object()}, "is not a server: its type is object"),
        (42, "is not a server: its type is int"),
        ({"command": sys.executable, "args": 7}, "must be a list of strings"),
        ({"command": sys.executable, "env": {"A": 1}}, "must be a map of strings"),
    ],
)
async def test_a_server_that_cannot_be_started_is_said(mark: str, server: Any, message: str) -> None:
    error = await failure(server)
    assert message in error.message
    assert "hunter2" not in str(error)
    assert error.hint not in ("", ConfigError.hint_by_default)
    assert (error.cause is not None) is ("cannot be used: " in error.message)


@pytest.mark.parametrize("type", ["http", "sse"])
async def test_a_proxy_that_cannot_be_used_is_said(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hunter2#x@127.0.0.1:9")
    error = await failure({"type": type, "url": "http://127.0.0.1:9/mcp"})
    assert "HTTPS_PROXY cannot be used" in error.message
    assert "hunter" not in str(error)
    assert error.hint == "Correct HTTPS_PROXY, or unset it."


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
    for seconds in (1, 10, 100):
        error = await failure(script("print('Welcome!', flush=True); import time; time.sleep(1000)"), seconds=seconds)
        if "Welcome" in error.message:  # else the machine was too slow for it to say anything
            break
    assert "its output is not an MCP message: 'Welcome!'" in error.message
    assert capfd.readouterr() == ("", "")


async def test_a_program_that_writes_without_end_is_no_server(mark: str) -> None:
    error = await failure({"command": "yes", "args": ["no"]})
    assert error.message.endswith("Connection closed (its output is not an MCP message: 'no').")
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
        async with asyncio.timeout(PATIENCE):
            while child not in marked(mark):  # while a program is loaded, it has no environment
                await asyncio.sleep(PAUSE)
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


@pytest.mark.parametrize("delay", sampled([0.0, 0.1, 0.6], 2))
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
        from maverick_tui.executor.mcp.servers import ToolServers
        assert asyncio.run(ToolServers({}, wanted=["Read"]).open()) == []
        assert not {"mcp", "mcp_types", "jsonschema", "httpx2"} & sys.modules.keys()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


ENDLESS = {
    "JSON": ("200 OK\r\ncontent-type: application/json", b"[1, " * 20_000),
    "an event": ("200 OK\r\ncontent-type: text/event-stream", b"data: aaaaaaaaaaaaa\r\n" * 3_000),
    "compressed": ("200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip", zlib.compress(b"a" * 10**6)),
}


@pytest.mark.parametrize(("method", "streams"), [("DELETE", ("GET", "POST")), ("POST", ("GET",))])
async def test_events_that_are_read_as_a_whole_have_an_end(
    method: str, streams: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.executor.mcp.far.MOST_AT_ONCE", 1 << 10)
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 1_000:
            yield b": a comment\n\n" * 9
            sent += 1

    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body())

    async with bounded_client(streams=streams) as client:
        client._transport = httpx2.MockTransport(answer)
        assert (await client.get("http://127.0.0.1:9")).is_success, "here events are read one by one"
        sent = 0
        with pytest.raises(httpx2.ReadError, match="no end"):
            await client.request(method, "http://127.0.0.1:9")
    assert sent < 20


@pytest.mark.parametrize("case", ENDLESS)
async def test_a_server_elsewhere_that_answers_without_end_is_given_up(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.executor.mcp.far.MOST_AT_ONCE", 1 << 20)
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        head, unit = ENDLESS[case]
        await reader.readuntil(b"\r\n\r\n")
        with suppress(ConnectionError):
            writer.write(f"HTTP/1.1 {head}\r\nconnection: close\r\n\r\n".encode())
            while sent < 100 << 20:
                writer.write(unit)
                await writer.drain()
                sent += len(unit)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        with pytest.raises(ConfigError, match="cannot be used"):
            await ToolServers({"far": {"type": "http", "url": url}}, wanted={"mcp__far__*"}).open()
    assert sent < 16 << 20


ODD = PLAIN.replace(
    "    server.run()",
    """
    @server.tool()
    def cut() -> str:
        return "an emoji: \\ud83d"

    @server.tool()
    def deep() -> str:
        for number in range(20):
            print(f'{{"jsonrpc": "2.0", "id": {number}, "result": ' + "[" * 300 + "]" * 300 + "}", flush=True)
        time.sleep(1000)

    server.run()""",
)


async def test_an_answer_with_half_a_character_is_heard_and_one_that_cannot_be_read_is_said(
    mark: str, script: Any
) -> None:
    async with opened(script(ODD)) as call, asyncio.timeout(PATIENCE):
        assert await call("cut") == "an emoji: \ufffd"
        with pytest.raises(AgentError, match="its answer cannot be read"):
            await call("deep")


NOTIFIES = """
    import json, sys

    def say(**told):
        print(json.dumps({"jsonrpc": "2.0", **told}), flush=True)

    for line in sys.stdin:
        said = json.loads(line)
        if said.get("method") == "initialize":
            wanted = said["params"]["protocolVersion"]
            about = {"name": "n", "version": "1"}
            say(id=said["id"], result={"protocolVersion": wanted, "capabilities": {"tools": {}}, "serverInfo": about})
        elif said.get("method") == "tools/list":
            for _ in range(60):
                say(method="notifications/progress", params={"progressToken": 1, "progress": 1, "total": "much"})
            say(id=said["id"], result={"tools": []})
"""


async def test_what_it_notifies_wrongly_comes_to_no_terminal_and_fills_no_log(
    mark: str, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed, kept = list[logging.LogRecord](), list[logging.LogRecord]()
    monkeypatch.setattr(logging, "lastResort", _Taking(printed))
    for name in LOGGERS:  # as in a program that has not opened a server yet
        monkeypatch.setattr(logging.getLogger(name), "handlers", [])
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    async with opened(script(NOTIFIES)):
        pass
    logging.getLogger().addHandler(_Taking(kept))
    async with opened(script(NOTIFIES)):
        pass
    assert not [record for record in printed if record.name.split(".")[0] in LOGGERS]
    assert len(kept) == MOST_LOGGED


class _Taking(logging.Handler):
    def __init__(self, taken: list[logging.LogRecord]) -> None:
        super().__init__(logging.WARNING)
        self._taken = taken

    def emit(self, record: logging.LogRecord) -> None:
        self._taken.append(record)
