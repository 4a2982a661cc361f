"""Exceptions as data, with the whole chain and without secrets."""

from __future__ import annotations

import pytest

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
