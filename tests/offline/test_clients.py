"""Clients that others wrote: raw HTTP, and the CLI started by hand."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import claude_agent_sdk
import pytest

from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.server import OfflineServer
from tests.offline.wire import KEY, ask, connect, failing, question, script

# -- raw HTTP ----------------------------------------------------------------------------------------------------------


REFUSED: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "no key": ({"headers": {"anthropic-version": "2023-06-01"}}, 401, "authentication_error", "x-api-key"),
    "an empty key": ({"headers": {**KEY, "x-api-key": ""}}, 401, "authentication_error", "x-api-key"),
    "no version": ({"headers": {"x-api-key": "k"}}, 400, "invalid_request_error", "anthropic-version"),
    "another path": ({"path": "/v1/complete"}, 404, "not_found_error", "/v1/complete"),
    "a path below": ({"path": "/v1/messages/x"}, 404, "not_found_error", "/v1/messages/x"),
    "GET": ({"method": "GET", "body": None}, 405, "", "GET"),
    "PUT": ({"method": "PUT"}, 405, "", "PUT"),
    "GET of the count": ({"method": "GET", "path": "/v1/messages/count_tokens", "body": None}, 405, "", "GET"),
    "POST to the root": ({"path": "/"}, 404, "not_found_error", "/"),
    "no body": ({"body": None}, 400, "invalid_request_error", "JSON"),
    "not JSON": ({"body": b"{nonsense"}, 400, "invalid_request_error", "JSON"),
    "not UTF-8": ({"body": b'{"model": "\xff"}'}, 400, "invalid_request_error", "JSON"),
    "nested too deep": ({"body": b"[" * 200_000}, 400, "invalid_request_error", "JSON"),
    "a list": ({"body": b"[]"}, 400, "invalid_request_error", "object"),
    "no model": ({"body": {"messages": [1]}}, 400, "invalid_request_error", "model: Field required"),
    "no messages": ({"body": {"model": "m"}}, 400, "invalid_request_error", "messages: Field required"),
    "no message": ({"body": {"model": "m", "messages": []}}, 400, "invalid_request_error", "messages"),
    "messages are a number": ({"body": {"model": "m", "messages": 5}}, 400, "invalid_request_error", "messages"),
    "messages are a word": ({"body": {"model": "m", "messages": "hi"}}, 400, "invalid_request_error", "messages"),
    "the model is a number": ({"body": question(model=5)}, 400, "invalid_request_error", "model"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_request_that_is_refused(name: str) -> None:
    options, status, kind, words = REFUSED[name]
    async with OfflineServer(script("hello", strict=False)) as server:
        response = await ask(server.url, **{"body": question(), **options})
        assert server.app.requests == []
        assert (await ask(server.url, question())).text == "hello", "the server goes on"
    assert response.status == status
    error = response.json()
    assert error["type"] == "error"
    assert words in error["error"]["message"]
    if kind:
        assert error["error"]["type"] == kind


async def test_a_bearer_token_is_as_good_as_a_key() -> None:
    async with OfflineServer(script("hello")) as server:
        headers = {"Authorization": "Bearer x", "Anthropic-Version": "2023-06-01", "anthropic-beta": "a,b"}
        assert (await ask(server.url, question(), headers=headers)).text == "hello"
        assert (await ask(server.url, question(), path="/v1/messages?beta=true")).text == "hello"


async def test_the_root_says_what_is_here() -> None:
    async with OfflineServer(script("hello")) as server, connect(server.url) as connection:
        response = await connection.ask(None, method="GET", path="/", headers={})
        assert (response.status, response.json()) == (200, {"status": "offline model"})
        await connection.send(None, method="HEAD", path="/", headers={})
        assert (await connection.head()).status == 200


ODD: list[Any] = [
    [5, None, "hi", ["x"]],
    [{"role": "user"}],
    [{"role": "user", "content": None}],
    [{"role": "user", "content": 5}],
    [{"role": "user", "content": [5, None, "x", {}, {"type": "text"}, {"type": "text", "text": None}]}],
    [{"role": ["user"], "content": "hi"}],
    [{"role": "user", "content": [{"type": "tool_result"}]}],
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": 5, "content": {"a": 1}}]}],
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_a_0", "content": [None]}]}],
    [{"role": "assistant", "content": "hi"}],
    [{"role": "user", "content": "\ud800 alone"}],
]


@pytest.mark.parametrize("messages", ODD)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
async def test_an_odd_request_gets_an_answer(messages: list[Any], path: str) -> None:
    """Whether such a message is refused or passed over: it is never the server that fails."""
    async with OfflineServer(script("hello ${a}")) as server:
        for system in (None, 5, [5, {"type": "text"}]):
            response = await ask(server.url, question(system=system, stream=False) | {"messages": messages}, path=path)
            assert response.status in (200, 400)
            assert response.json()


async def test_a_large_request() -> None:
    async with OfflineServer(script("hello")) as server:
        response = await ask(server.url, question("word " * 2_000_000))
    assert response.text == "hello"


# -- the CLI by hand ---------------------------------------------------------------------------------------------------

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


async def claude(server: OfflineServer, home: Path, *arguments: str) -> tuple[int | None, str, str]:
    """Run the bundled CLI as a user would, with nothing of theirs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
    process = await asyncio.create_subprocess_exec(
        CLAUDE,
        *arguments,
        env={**kept, "HOME": str(home), "CLAUDE_CODE_MAX_RETRIES": "0", **offline_environment(server.url, home)},
        cwd=home,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.explore  # so it does in most tests of sessions
async def test_the_cli_runs_tools_and_speaks_a_stream(home: Path, mark: str) -> None:
    bash = {"tool": "Bash", "id": "run", "input": {"command": "echo $((6 * 7))", "description": "compute"}}
    played = script(
        {"steps": [bash], "usage": {"input": 2, "output": 30}},
        {"steps": ["It is ${run}, naïve 🙂."], "usage": {"input": 10, "output": 4}},
        strict=True,
    )
    options = ("--output-format", "stream-json", "--verbose", "--include-partial-messages")
    async with OfflineServer(played) as server:
        code, out, err = await claude(server, home, "-p", "hello", "--allowedTools", "Bash", *options)
        assert len(server.app.requests) == 2
    assert (code, err) == (0, "")
    frames = [json.loads(line) for line in out.splitlines()]
    deltas = [f["event"]["delta"] for f in frames if f["type"] == "stream_event" and "delta" in f["event"]]
    assert [delta["text"] for delta in deltas if "text" in delta] == ["It", " is", " 42,", " naïve", " 🙂."]
    result = frames[-1]
    assert result["result"] == "It is 42, naïve 🙂."
    assert not result["is_error"]
    assert (result["usage"]["input_tokens"], result["usage"]["output_tokens"]) == (12, 34)
    assert {path.name for path in home.iterdir()} <= {".claude", "tmp"}, "all its files are where they should be"


@pytest.mark.explore  # what agents tell of a fault, through the same CLI, is in `test_faults.py`
async def test_the_cli_reports_a_fault(home: Path, mark: str) -> None:
    async with OfflineServer(failing(kind="http", status=401)) as server:
        code, out, _ = await claude(server, home, "-p", "hello", "--output-format", "json")
    result = json.loads(out)
    assert code == 1
    assert result["is_error"]
    assert result["api_error_status"] == 401
