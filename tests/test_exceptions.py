"""The error tree: its shape, what every error tells, and that it can travel."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
from pathlib import Path

import pytest
from claude_agent_sdk import AssistantMessage, TextBlock

import maverick_tui
from maverick_tui import exceptions as errors
from maverick_tui.exceptions import (
    AgentError,
    AgentNotFoundError,
    CLINotFoundError,
    ConfigError,
    DuplicateAgentError,
    InvalidToolError,
    MalformedResponseError,
    MaverickError,
    NetworkError,
    ProcessError,
    StreamingError,
    TimeoutError,
    WorkflowError,
)
from tests.support.cases import each

MESSAGE = AssistantMessage(content=[TextBlock("partial")], model="m")
EXAMPLES: list[MaverickError] = [
    MaverickError("It broke."),
    AgentError("It broke.", kind="tool"),
    CLINotFoundError(cli_path="/opt/claude"),
    ProcessError("It died.", exit_code=-9, stderr="last words"),
    TimeoutError("Nothing came."),
    NetworkError("Refused.", status=503),
    NetworkError("Slow down.", status=429, kind="rate_limit"),
    StreamingError("Cut.", partial_messages=[MESSAGE], kind="network"),
    MalformedResponseError("Not JSON.", raw_response="<html>"),
    InvalidToolError("Raed", ["Read"]),
    DuplicateAgentError("reviewer", registered="pkg.Reviewer"),
    AgentNotFoundError("revewer", ["reviewer"]),
    WorkflowError("The second agent failed."),
    ConfigError("No such file.", path="x.toml", line=3),
]
NINE = {
    CLINotFoundError, ProcessError, TimeoutError, NetworkError, StreamingError, MalformedResponseError,
    InvalidToolError, DuplicateAgentError, AgentNotFoundError,
}  # fmt: skip


def name(error: MaverickError) -> str:
    return type(error).__name__


@pytest.mark.req("001-E-tree")
def test_the_tree() -> None:
    assert _below(AgentError) == NINE
    assert _below(MaverickError) == {AgentError, WorkflowError, ConfigError}
    for cls in [*NINE, AgentError, MaverickError, WorkflowError, ConfigError]:
        assert getattr(maverick_tui, cls.__name__) is cls
        assert cls.__name__ in (errors.__doc__ or "")
    assert issubclass(TimeoutError, builtins.TimeoutError)
    assert issubclass(ConfigError, ValueError)


def _below(cls: type[MaverickError]) -> set[type[MaverickError]]:
    """Its own kinds; some parts of the program have finer ones."""
    return {below for below in cls.__subclasses__() if below.__module__ == errors.__name__}


def test_the_picture_of_the_tree_has_the_finer_ones_too() -> None:
    drawn = set(re.findall(r"^[│├└─ ]*(\w+Error)\b", errors.__doc__ or "", re.MULTILINE))
    sources = (path.read_text() for path in Path(errors.__file__).parent.rglob("*.py"))
    defined = (found for source in sources for found in re.findall(r"^class (\w+Error)\((\w+)", source, re.MULTILINE))
    assert {made for made, base in defined if base in drawn} <= drawn


@pytest.mark.req("000-FR-007g", "000-SC-004")
@each("error", EXAMPLES, ids=name)
def test_every_error_says_what_happened_and_what_to_do(error: MaverickError) -> None:
    assert error.message
    assert error.hint
    assert str(error) == f"{error.message} {error.hint}"


@pytest.mark.req("001-E-cli", "001-E-process", "001-E-streaming", "001-E-malformed", "001-E-invalidtool", "001-E-dup")
def test_fields() -> None:
    by_type = {type(error): error for error in EXAMPLES}
    assert vars(by_type[CLINotFoundError])["cli_path"] == "/opt/claude"
    assert (vars(by_type[ProcessError])["exit_code"], vars(by_type[ProcessError])["stderr"]) == (-9, "last words")
    assert vars(by_type[StreamingError])["partial_messages"] == [MESSAGE]
    assert vars(by_type[MalformedResponseError])["raw_response"] == "<html>"
    assert vars(by_type[InvalidToolError])["tool_name"] == "Raed"
    assert vars(by_type[InvalidToolError])["available_tools"] == ["Read"]
    assert vars(by_type[DuplicateAgentError])["agent_name"] == "reviewer"
    assert vars(by_type[AgentNotFoundError])["agent_name"] == "revewer"
    assert CLINotFoundError().cli_path is None
    assert ProcessError("x").exit_code is None


@each("error", EXAMPLES, ids=name)
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_survive_copy_and_pickle(error: MaverickError, travel: object) -> None:
    there = travel(error)  # type: ignore[operator]
    assert type(there) is type(error)
    assert vars(there) == vars(error)
    assert str(there) == str(error)


def test_our_own_cause_travels_and_a_foreign_one_stays_behind() -> None:
    outer = StreamingError("Cut.", partial_messages=[MESSAGE])
    outer.__cause__ = NetworkError("Refused.", status=502)
    outer.__cause__.__cause__ = OSError("foreign")
    there = pickle.loads(pickle.dumps(outer))
    assert isinstance(there.cause, NetworkError)
    assert there.cause.status == 502
    assert there.cause.cause is None


@each(
    ("error", "kind", "is_retryable"),
    [
        (AgentError("x"), "agent", False),
        (AgentError("x", kind="tool"), "tool", False),
        (CLINotFoundError("x"), "invalid", False),
        (ProcessError("x"), "agent", False),
        (TimeoutError("x"), "timeout", True),
        (NetworkError("x"), "network", True),
        (NetworkError("x", kind="rate_limit"), "rate_limit", True),
        (MalformedResponseError("x"), "agent", False),
        (InvalidToolError("x"), "invalid", False),
        (DuplicateAgentError("x"), "invalid", False),
        (AgentNotFoundError("x"), "invalid", False),
    ],
)
def test_kinds_tell_whether_a_retry_makes_sense(error: AgentError, kind: str, is_retryable: bool) -> None:
    assert (error.kind, error.is_retryable) == (kind, is_retryable)


def test_words_are_suggested_unless_there_is_too_much_to_compare() -> None:
    assert errors.did_you_mean("reviwer", ["reviewer", "explorer"]) == "Did you mean 'reviewer'?"
    assert not errors.did_you_mean("ab" * 30, ["ba" * 30])
    many = [*(f"key.{number}" for number in range(300)), "reviewer"]  # as many as we have key bindings
    assert errors.did_you_mean("reviwer", many) == "Did you mean 'reviewer'?"
    looked = iter(f"{'ba' * 15}{n}" for n in range(10_000))
    errors.did_you_mean("ab" * 15, looked)
    assert next(looked).endswith("1000")
