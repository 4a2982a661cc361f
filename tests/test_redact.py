"""Secrets stay out of what is shown and kept."""

from __future__ import annotations

import pytest
from claude_agent_sdk import CLIJSONDecodeError
from claude_agent_sdk import ProcessError as SdkProcessError
from claude_agent_sdk._errors import MessageParseError

from maverick_tui import MalformedResponseError, ProcessError
from maverick_tui.agent.engine.failures import api_failure, wrap_sdk_error
from maverick_tui.redact import redact

KEY = "sk-ant-api03-abcdefghijklmnop"
OTHER = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", OTHER)


@pytest.mark.parametrize("text", [f"key {KEY} here", f"Authorization: Bearer {KEY}", f"password={OTHER}"])
def test_what_looks_like_a_key_and_what_a_variable_holds_is_masked(text: str) -> None:
    assert KEY not in redact(text)
    assert OTHER not in redact(text)
    assert "[secret]" in redact(text)


def test_other_text_is_left_as_it_is() -> None:
    assert redact("a plain sentence, sk-ant") == "a plain sentence, sk-ant"


def test_errors_hold_no_secrets() -> None:
    stderr = f"cannot log in with {KEY}\nnor with {OTHER}"
    process = wrap_sdk_error(SdkProcessError("failed", exit_code=1), stderr=stderr)
    line = wrap_sdk_error(CLIJSONDecodeError(f'{{"key": "{KEY}"', ValueError("cut")))
    message = wrap_sdk_error(MessageParseError("odd", {"token": KEY}))
    refused = api_failure(f"Invalid key {KEY}", status=401)
    assert isinstance(process, ProcessError)
    assert isinstance(line, MalformedResponseError)
    assert isinstance(message, MalformedResponseError)
    for text in (str(process), process.stderr, line.raw_response, message.raw_response, str(refused)):
        assert text is not None
        assert KEY not in text
        assert OTHER not in text
