"""Which credentials count: by their order, and wherever somebody has put them."""

from __future__ import annotations

import pytest

from maverick_tui.config import config_file
from maverick_tui.credentials import credentials_in, has_credentials


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({}, []),
        ({"ANTHROPIC_API_KEY": ""}, []),
        ({"ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_OAUTH_TOKEN": "t"}, ["ANTHROPIC_API_KEY"]),
        ({"CLAUDE_CODE_USE_VERTEX": "1", "ANTHROPIC_API_KEY": "k"}, ["CLAUDE_CODE_USE_VERTEX"]),
        ({"CLAUDE_CODE_USE_VERTEX": "0", "ANTHROPIC_API_KEY": "k"}, ["ANTHROPIC_API_KEY"]),
        ({"CLAUDE_CODE_USE_BEDROCK": "maybe"}, []),
    ],
)
def test_the_first_kind_counts(given: dict[str, str], used: list[str]) -> None:
    assert credentials_in(given) == used


def test_a_key_in_the_settings_is_one_and_broken_settings_hold_none() -> None:
    assert not has_credentials()
    config_file().parent.mkdir(parents=True)
    config_file().write_text('[env]\nANTHROPIC_API_KEY = "not-a-real-key"\n')
    assert has_credentials()
    config_file().write_text("[env\n")
    assert not has_credentials()


def test_a_key_in_the_variable_of_the_settings_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_ENV", '{"ANTHROPIC_AUTH_TOKEN": "not-a-real-token"}')
    assert has_credentials()
