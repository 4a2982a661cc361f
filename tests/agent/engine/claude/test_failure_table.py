"""Every way in which the real CLI is known to fail, row by row, through the real SDK."""

from __future__ import annotations

import builtins
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import Message, ResultMessage, StreamEvent, SystemMessage

from maverick_tui import (
    AgentError,
    CLINotFoundError,
    MalformedResponseError,
    MaverickConfig,
    NetworkError,
    ProcessError,
    StreamingError,
    TimeoutError,
    extract_all_text,
)
from maverick_tui.executor.limits import LimitError
from maverick_tui.offline.script import (
    Answer,
    ContentTypeFault,
    ErrorEventFault,
    HttpFault,
    MalformedFault,
    MissingStopFault,
    SlowHeadersFault,
)
from tests.conftest import ServeModel
from tests.support.agents import Talker, Worker, context, drain
from tests.support.model import bash, drop, fail, say, scene, stall
from tests.support.processes import kill_marked

SENTENCE = "The quick brown fox jumps over the lazy dog."
CREDIT = "Your credit balance is too low to access the Anthropic API."
TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"

BEFORE_CONTENT: dict[str, tuple[Answer, type[AgentError], str, int | None]] = {
    "too long": (fail(400, "invalid_request_error", TOO_LONG), AgentError, "invalid", None),
    "429": (fail(429, "rate_limit_error", "slow down"), NetworkError, "rate_limit", 429),
    "529": (fail(529, "overloaded_error", "Overloaded"), NetworkError, "network", 529),
    "500": (fail(500, "api_error", "boom"), NetworkError, "network", 500),
    "401": (fail(401, "authentication_error", "invalid x-api-key"), AgentError, "invalid", None),
    "403": (fail(403, "permission_error", "nope"), AgentError, "invalid", None),
    "404": (fail(404, "not_found_error", "model: x"), AgentError, "invalid", None),
    "credit": (fail(400, "invalid_request_error", CREDIT), AgentError, "invalid", None),
    "dropped": (say(SENTENCE, fault=drop(at="start")), NetworkError, "network", None),
    "reset": (say(SENTENCE, fault=drop(at="start", how="rst")), NetworkError, "network", None),
    "error event": (
        say(SENTENCE, fault=ErrorEventFault(kind="error_event", at="start")),
        NetworkError,
        "network",
        529,
    ),
    "a page": (say(SENTENCE, fault=ContentTypeFault(kind="content_type")), MalformedResponseError, "agent", None),
    "413": (fail(413, "request_too_large", "too big"), AgentError, "invalid", None),
}


def check_the_error(row: str, got: list[Message], error: AgentError | None, requests: int) -> None:
    _, expected, kind, status = BEFORE_CONTENT[row]
    assert type(error) is expected, error
    assert error.kind == kind
    assert getattr(error, "status", None) == status
    assert error.hint
    assert error.message.endswith(".")
    assert sum(isinstance(message, ResultMessage) for message in got) == 1
    if row != "404":  # the CLI asks the endpoint a second time whether the model is there
        assert requests == 1, f"{row}: nothing is retried"


@pytest.mark.explore  # one session shows them all below
@pytest.mark.req("000-FR-007d", "000-FR-007f", "000-FR-007g", "000-E2")
@pytest.mark.parametrize("row", list(BEFORE_CONTENT))
async def test_a_failure_before_any_content_is_the_specific_error(row: str, serve: ServeModel) -> None:
    async with serve(BEFORE_CONTENT[row][0]) as model:
        got, error = await drain(Talker().query("hello"))
    check_the_error(row, got, error, len(model.requests))


IN_THE_MIDDLE: dict[str, tuple[Answer, type[AgentError], str]] = {
    "dropped": (say(SENTENCE, fault=drop()), NetworkError, "network"),
    "reset": (say(SENTENCE, fault=drop(how="rst")), NetworkError, "network"),
    "malformed JSON": (say(SENTENCE, fault=MalformedFault(kind="malformed")), MalformedResponseError, "agent"),
    "error event": (say(SENTENCE, fault=ErrorEventFault(kind="error_event")), NetworkError, "network"),
    "no message_stop": (say(SENTENCE, fault=MissingStopFault(kind="missing_stop")), NetworkError, "network"),
}


def check_what_came(row: str, got: list[Message], error: AgentError | None) -> None:
    _, expected, kind = IN_THE_MIDDLE[row]
    assert type(error) is StreamingError, error
    assert type(error.__cause__) is expected, error.__cause__
    assert error.kind == error.__cause__.kind == kind
    assert error.partial_messages == got
    text = extract_all_text(got)
    assert text
    assert SENTENCE.startswith(text)
    assert any(isinstance(message, StreamEvent) for message in got)
    if isinstance(error.__cause__, MalformedResponseError):
        assert "broken" in error.__cause__.raw_response


@pytest.mark.explore  # one session shows them all below
@pytest.mark.req("000-FR-005b", "000-C3", "000-E6", "000-FR-007e", "001-E-streaming")
@pytest.mark.parametrize("row", list(IN_THE_MIDDLE))
async def test_a_failure_in_the_middle_keeps_what_came(row: str, serve: ServeModel) -> None:
    async with serve(IN_THE_MIDDLE[row][0]):
        got, error = await drain(Talker().query("hello"))
    check_what_came(row, got, error)


@pytest.mark.req("000-FR-007d", "000-FR-007f", "000-FR-007g", "000-E2")
@pytest.mark.req("000-FR-005b", "000-C3", "000-E6", "000-FR-007e", "001-E-streaming")
async def test_one_session_survives_every_failure_and_keeps_what_came_before_it(serve: ServeModel) -> None:
    # Where there is something to sum up, the CLI does so when it is too much, and asks again.
    rows = [row for row in BEFORE_CONTENT if row not in ("too long", "413")]
    # It sends a prompt that has failed together with the one behind it.
    script = [scene(BEFORE_CONTENT[row][0], prompt=f"try {row}$") for row in rows]
    script += [scene(answer, prompt=f"break {row}$") for row, (answer, *_) in IN_THE_MIDDLE.items()]
    async with serve([*script, scene(say("fine"), prompt="last$")]) as model, Talker().session(context()) as session:
        for row in rows:
            before = len(model.requests)
            got, error = await drain(session.query(f"try {row}"))
            check_the_error(row, got, error, len(model.requests) - before)
        for row in IN_THE_MIDDLE:
            got, error = await drain(session.query(f"break {row}"))
            check_what_came(row, got, error)
        got, error = await drain(session.query("last"))
    assert error is None
    assert extract_all_text(got) == "fine"


@pytest.mark.explore  # other errors of the network are above
@pytest.mark.req("000-FR-007d")
async def test_an_endpoint_out_of_reach_is_a_network_error(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(say("never asked")):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        _, error = await drain(Talker().query("hello"))
    assert type(error) is NetworkError
    assert "ECONNREFUSED" in error.message


async def test_no_key_says_how_to_log_in(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(say("never asked")) as model:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        _, error = await drain(Talker().query("hello"))
    assert type(error) is AgentError
    assert error.kind == "invalid"
    assert "ANTHROPIC_API_KEY" in error.hint
    assert model.requests == []


@pytest.mark.explore  # it retries in `runs/test_local.py`
async def test_the_cli_may_retry_if_the_settings_say_so_and_an_error_after_the_last_is_reported_once(
    serve: ServeModel,
) -> None:
    limit = HttpFault(kind="http", status=429, headers={"retry-after": "1"}, times=1)
    script = [scene(say("back again", fault=limit), prompt="limited$"), scene(fail(500), prompt="broken$")]
    agent = Talker(config=MaverickConfig(api_retries=1))
    async with serve(script) as model, agent.session(context()) as session:
        got, error = await drain(session.query("limited"))
        assert error is None
        assert extract_all_text(got) == "back again"
        retries = [m.data for m in got if isinstance(m, SystemMessage) and m.subtype == "api_retry"]
        assert [(r["attempt"], r["max_retries"], r["error_status"]) for r in retries] == [(1, 1, 429)]
        assert len(model.requests) == 2
        got, error = await drain(session.query("broken"))
    assert type(error) is NetworkError
    assert len(model.requests) == 4
    assert sum(isinstance(m, ResultMessage) for m in got) == 1


@pytest.mark.explore  # so it ends in a session that goes on, in `test_session.py`
@pytest.mark.req("000-FR-007c", "000-FR-003b")
async def test_a_stream_that_falls_silent_ends_by_our_deadline(serve: ServeModel) -> None:
    for seconds in (4.0, 15.0, 60.0):  # a busy machine may take longer than that for the first word
        async with serve(say(SENTENCE, fault=stall())):
            got, error = await drain(Talker(config=MaverickConfig(timeout=seconds)).query("hello"))
        if extract_all_text(got):
            break
    assert type(error) is StreamingError
    assert type(error.__cause__) is TimeoutError
    assert isinstance(error.__cause__, builtins.TimeoutError)
    assert error.kind == "timeout"
    assert SENTENCE.startswith(extract_all_text(got))


@pytest.mark.explore  # a silent turn is one in `test_session.py`
async def test_no_response_head_is_a_timeout(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TIMEOUT_MS", "1500")
    async with serve(say(SENTENCE, fault=SlowHeadersFault(kind="slow_headers", seconds=60))):
        _, error = await drain(Talker().query("hello"))
    assert type(error) is TimeoutError


@pytest.mark.explore
async def test_replies_that_break_after_a_tool_call_end_by_max_turns(serve: ServeModel) -> None:
    async with serve(bash("echo hi", fault=drop(at="end"))) as model:
        _, error = await drain(Worker(config=MaverickConfig(max_turns=3)).query("hello"))
    assert type(error) is StreamingError
    assert type(error.__cause__) is LimitError
    assert "turns" in error.__cause__.message
    assert "max_turns" in error.__cause__.hint
    assert len(model.requests) == 3


@pytest.mark.req("000-FR-007a", "000-US5-1", "000-E1", "001-E-cli")
async def test_a_wrong_cli_path_is_named(mark: str) -> None:
    _, error = await drain(Talker(config=MaverickConfig(cli_path=Path("/no/such/claude"))).query("hello"))
    assert type(error) is CLINotFoundError
    assert error.cli_path == "/no/such/claude"
    assert "cli_path" in error.hint


def stub_cli(script: str) -> MaverickConfig:
    path = Path("stub-cli").absolute()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return MaverickConfig(cli_path=path)


@pytest.mark.req("000-FR-007b", "001-E-process")
@pytest.mark.parametrize(
    ("script", "exit_code", "stderr"),
    [("echo disk full >&2; exit 1", 1, "disk full"), ("exit 0", 0, None), ("kill -9 $$", -9, None)],
)
@pytest.mark.parametrize("kept_open", [False, True], ids=["one-shot", "session"])
async def test_a_cli_that_ends_at_once(
    script: str, exit_code: int, stderr: str | None, kept_open: bool, mark: str
) -> None:
    agent = Talker(config=stub_cli(script))
    if kept_open:
        with pytest.raises(ProcessError) as raised:
            async with agent.session(context()):
                pytest.fail("there is nothing to talk to")
        error: AgentError | None = raised.value
    else:
        _, error = await drain(agent.query("hello"))
    assert type(error) is ProcessError
    assert (error.exit_code, error.stderr) == (exit_code, stderr)


async def test_a_line_that_is_nested_without_end(mark: str) -> None:
    deep = f"read line; {sys.executable} -c 'print(chr(123) + chr(34) + chr(97) + chr(34) + chr(58) + chr(91) * 5000)'"
    _, error = await drain(Talker(config=stub_cli(deep)).query("hello"))
    assert type(error) is MalformedResponseError
    assert "nested too deeply" in error.message


async def test_a_cli_that_is_not_executable(mark: str) -> None:
    config = stub_cli("exit 0")
    assert config.cli_path is not None
    config.cli_path.chmod(0o644)
    _, error = await drain(Talker(config=config).query("hello"))
    assert type(error) is ProcessError
    assert "not an executable" in error.message


class BadFlag(Talker):
    def _build_options(self, *args: Any, **kwargs: Any) -> Any:
        return replace(super()._build_options(*args, **kwargs), extra_args={"no-such-flag": None})


class BadResume(Talker):
    def _build_options(self, *args: Any, **kwargs: Any) -> Any:
        return replace(super()._build_options(*args, **kwargs), resume="00000000-0000-4000-8000-000000000000")


async def test_a_flag_that_the_cli_does_not_know(serve: ServeModel) -> None:
    async with serve(say("never asked")):
        _, error = await drain(BadFlag().query("hello"))
    assert type(error) is ProcessError
    assert error.exit_code == 1
    assert "no-such-flag" in (error.stderr or "")


async def test_a_session_that_cannot_be_resumed(serve: ServeModel) -> None:
    async with serve(say("never asked")):
        _, error = await drain(BadResume().query("hello"))
    assert type(error) is AgentError
    assert error.kind == "invalid"
    assert "No conversation found" in error.message


@pytest.mark.explore  # a busy one is killed in `test_session.py`, one that talks in `tests/runs/test_local.py`
@pytest.mark.req("000-US5-2", "000-FR-005b")
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
async def test_a_cli_that_is_killed_in_the_middle(
    number: signal.Signals, exit_code: int, serve: ServeModel, mark: str
) -> None:
    async def kill(messages: AsyncIterator[Message]) -> AsyncIterator[Message]:
        async for message in messages:
            yield message
            if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta":
                kill_marked(mark, lambda command: "keeper.py" not in command, number)

    async with serve(say(SENTENCE, fault=stall())):
        got, error = await drain(kill(Talker().query("hello")))
    assert type(error) is StreamingError
    cause = error.__cause__
    assert type(cause) is ProcessError
    assert cause.exit_code == exit_code
    assert SENTENCE.startswith(extract_all_text(got))
