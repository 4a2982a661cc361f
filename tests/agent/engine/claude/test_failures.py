"""What foreign failures become: errors that keep what was told, and name what happened."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import claude_agent_sdk
import pytest
from claude_agent_sdk import CLIConnectionError
from claude_agent_sdk import CLINotFoundError as SdkNotFound
from claude_agent_sdk import ProcessError as SdkProcessError

from maverick_tui import CLINotFoundError, NetworkError, ProcessError, StreamingError
from maverick_tui.agent.engine.claude.failures import api_failure, wrap_sdk_error
from maverick_tui.agent.streaming import UnaskedError, streaming_error
from maverick_tui.executor.limits import LimitError
from maverick_tui.executor.model.failures import RefusalError
from tests.support.agents import Talker, context, drain
from tests.support.replay import ReplayTransport, delta, init, replay


def test_a_process_error_keeps_what_the_sdks_error_says() -> None:
    error = wrap_sdk_error(SdkProcessError("The sandbox did not start", exit_code=3, stderr="first\nno such device"))
    assert isinstance(error, ProcessError)
    assert (error.exit_code, error.stderr) == (3, "first\nno such device")
    assert error.message == "The Claude Code CLI ended with exit code 3: The sandbox did not start: no such device."


def test_a_process_error_repeats_nothing_that_says_nothing() -> None:
    bare = SdkProcessError("Command failed with exit code 1", exit_code=1, stderr="Check stderr output for details")
    assert wrap_sdk_error(bare).message == "The Claude Code CLI ended with exit code 1."
    heard = wrap_sdk_error(bare, stderr="error: unknown option")
    assert isinstance(heard, ProcessError)
    assert (heard.message, heard.stderr) == (
        "The Claude Code CLI ended with exit code 1: error: unknown option.",
        "error: unknown option",
    )


@pytest.mark.parametrize(
    "error", [ConnectionError("gone"), ConnectionResetError(104, "reset by peer"), socket.gaierror(-2, "unknown name")]
)
def test_a_lost_connection_is_a_network_error(error: OSError) -> None:
    wrapped = wrap_sdk_error(error)
    assert isinstance(wrapped, NetworkError)
    assert wrapped.is_retryable
    assert str(error) in wrapped.message


def test_a_pipe_to_a_cli_that_has_ended_is_no_network() -> None:
    assert isinstance(wrap_sdk_error(BrokenPipeError(32, "Broken pipe"), exit_code=1), ProcessError)
    assert isinstance(wrap_sdk_error(CLIConnectionError("not connected")), ProcessError)
    old = CLIConnectionError("The process answering initialize does not honor on_failure on hook matchers.")
    assert isinstance(wrap_sdk_error(old, exit_code=0), UnaskedError)


@pytest.mark.parametrize(
    "error",
    [
        SdkNotFound("Claude Code not found", cli_path="/opt/my tools/claude"),
        SdkNotFound("Claude Code not found at: /opt/my tools/claude"),
        SdkNotFound("CLI not found at '/opt/my tools/claude'."),
    ],
)
def test_the_path_of_a_missing_cli_is_kept(error: SdkNotFound) -> None:
    wrapped = wrap_sdk_error(error)
    assert isinstance(wrapped, CLINotFoundError)
    assert wrapped.cli_path == "/opt/my tools/claude"


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("No CLI: /opt/claude is missing", "/opt/claude"),
        (r"Cannot find C:\Tools\claude.exe here", r"C:\Tools\claude.exe"),
        ("Claude Code not found. Install with:\n  npm install\nor use cli_path='/path/to/claude'", None),
        ("CLI path not resolved. Call connect() first.", None),
    ],
)
def test_a_path_is_found_wherever_it_stands_but_not_made_of_advice(said: str, path: str | None) -> None:
    wrapped = wrap_sdk_error(SdkNotFound(said))
    assert isinstance(wrapped, CLINotFoundError)
    assert wrapped.cli_path == path


def test_a_refusal_does_not_advise_to_shorten_the_prompt() -> None:
    said = "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy."
    error = api_failure(said, code="invalid_request")
    assert isinstance(error, RefusalError)
    assert "horten" not in error.hint
    assert "horten" in api_failure("prompt is too long: 2 > 1", code="invalid_request").hint
    assert "horten" not in api_failure("temperature: must be below 1", code="invalid_request", status=400).hint


@pytest.mark.parametrize(
    "cause",
    [
        api_failure("12", subtype="error_max_turns"),
        api_failure("$1", subtype="error_max_budget_usd"),
        api_failure("32000", code="max_output_tokens"),
    ],
)
def test_a_limit_is_no_broken_stream(cause: Any) -> None:
    assert isinstance(cause, LimitError)
    error = streaming_error(cause, [], "some text")
    assert isinstance(error, StreamingError), "what came is kept in it"
    assert error.message == cause.message
    assert "The stream" in streaming_error(NetworkError("Lost."), [], "some text").message


# -- a reader that is cancelled by somebody else -----------------------------------------------------------------------


async def test_a_reader_that_the_sdk_cancels_ends_the_turn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancelled(**_: object) -> Any:
        yield claude_agent_sdk.SystemMessage("init", {})
        raise asyncio.CancelledError

    monkeypatch.setattr(claude_agent_sdk, "query", cancelled)
    async with asyncio.timeout(60):  # silence would be noticed after five minutes
        got, error = await drain(Talker().query("hello"))
    assert len(got) == 1
    assert isinstance(error, ProcessError)


async def test_a_reader_that_is_cancelled_in_a_session_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = ReplayTransport([])

    async def cancelled(_: object) -> Any:
        yield claude_agent_sdk.SystemMessage("init", {})
        await transport.prompted.wait()
        raise asyncio.CancelledError

    monkeypatch.setattr(claude_agent_sdk.ClaudeSDKClient, "receive_messages", cancelled)
    async with asyncio.timeout(60), Talker(transport=lambda _: transport).session(context()) as session:
        _, error = await drain(session.query("hello"))
        assert isinstance(error, ProcessError)
        assert session.is_ended


async def test_a_transport_that_is_cancelled_ends_the_turn_at_once() -> None:
    frames: list[Any] = [init(), delta("Hel"), asyncio.CancelledError()]
    async with asyncio.timeout(60):
        _, error = await drain(Talker(transport=replay(*frames)).query("hello"))
    assert isinstance(error, StreamingError)
