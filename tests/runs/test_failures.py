"""Exceptions as data, with the whole chain and without secrets."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.loading import MODULE_PREFIX, _run
from maverick_tui.exceptions import AgentError, ConfigError, MalformedResponseError, ProcessError, StreamingError
from maverick_tui.runs.failures import failure_of


def test_a_failure_keeps_the_whole_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter2-hunter2")
    low = OSError("the pipe said hunter2-hunter2")
    middle = ProcessError("It died.", exit_code=-9, stderr="last words: sk-ant-abcdefgh123")
    middle.__cause__ = low
    error = StreamingError("The stream failed after 5 characters: It died.", kind="network", hint="Go on.")
    error.__cause__ = middle
    low.__cause__ = error  # a ring must not hang it
    failure = failure_of(error, retry_at=5.0)
    assert (failure.error, failure.kind, failure.hint) == ("StreamingError", "network", "Go on.")
    assert failure.causes == ("ProcessError: It died.", "OSError: the pipe said [secret]")
    assert failure.exit_code == -9
    assert failure.stderr == "last words: [secret]"
    assert failure.is_retryable
    assert failure.retry_at is None, "only a rate limit says when"


def test_failures_of_other_kinds() -> None:
    assert failure_of(AgentError("slow down", kind="rate_limit"), retry_at=5.0).retry_at == 5.0
    assert failure_of(MalformedResponseError("what?", raw_response="<html>")).raw_response == "<html>"
    assert failure_of(MalformedResponseError("what?")).hint.startswith("Look at the raw response: a proxy")
    assert failure_of(ConfigError("wrong")).kind == "invalid"
    foreign = failure_of(KeyError())
    assert (foreign.error, foreign.kind, foreign.message) == ("KeyError", "agent", "KeyError")


def test_a_slip_in_an_agents_own_file_is_told_with_file_and_line(tmp_path: Path) -> None:
    source = b"from json import loads\n\ndef slip(context):\n    return context.brunch\n\ndef read():\n    loads('{')\n"
    module = _run(f"{MODULE_PREFIX}0", path := tmp_path / "rounding.py", source)
    for slip, line, told in (
        (lambda: module.slip(1), 4, "AttributeError: 'int' object has no attribute 'brunch'"),
        (module.read, 7, "JSONDecodeError: Expecting property name"),
    ):
        with pytest.raises((AttributeError, ValueError)) as raised:
            slip()
        failure = failure_of(raised.value)
        assert failure.message.startswith(f"{path}:{line}: {told}")
        assert failure.hint == "Correct that line of the agent's file, and try again."
    sys.modules.pop(module.__name__)
