"""The settings as a process has them that does not read them itself: the same, and read no more often than needed."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import fields
from unittest.mock import Mock

import pytest

from maverick_tui import paths, plain_settings
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import ConfigError
from maverick_tui.masking.redact import redact
from maverick_tui.plain_settings import PlainSettings, SettingsReader, read_elsewhere, read_here

FILE = """
model = "haiku"
hosts = ["one", "two"]
notify_command = ["say", "{title}"]
max_budget_usd = 2.5
env = { SOME_TOKEN = "made-up-but-hidden" }
"""


def write(text: str) -> None:
    folder = paths.user_config()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_they_are_settings_by_their_names() -> None:
    assert {field.name for field in fields(PlainSettings)} <= {*MaverickConfig.model_fields, "given"}


def test_another_process_reads_the_same_and_its_secrets_are_masked_here() -> None:
    write(FILE)
    found = read_elsewhere()
    assert redact("made-up-but-hidden") == "[secret]"
    assert found == read_here()
    assert (found.hosts, found.max_budget_usd, found.keep_runs) == (("one", "two"), 2.5, True)
    assert found.given >= {"model", "hosts", "notify_command", "max_budget_usd", "env"}
    assert "keep_runs" not in found.given


def test_what_is_wrong_with_them_is_told_as_if_they_were_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    write("timeuot = 3")
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "many")
    with pytest.raises(ConfigError) as here:
        read_here()
    with pytest.raises(ConfigError) as elsewhere:
        read_elsewhere()
    assert vars(elsewhere.value) == vars(here.value)


def test_where_no_process_can_be_started_they_are_read_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with caplog.at_level(logging.WARNING):
        assert read_elsewhere() == read_here()
    assert "/nowhere/python" in caplog.text


def test_nothing_is_read_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MAVERICK_") and not name.endswith("_DIR")]:
        monkeypatch.delenv(name)
    assert PlainSettings() == read_here()
    read = Mock(side_effect=read_here)
    monkeypatch.setattr(plain_settings, "read_here", read)
    assert SettingsReader().read() == PlainSettings()
    read.assert_not_called()
    monkeypatch.setenv("maverick_model", "haiku")  # as it is written does not matter to whoever reads it
    assert SettingsReader().read().model == "haiku"
    read.assert_called_once()


def test_they_are_read_again_once_they_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(side_effect=read_here)
    monkeypatch.setattr(plain_settings, "read_here", read)
    reader = SettingsReader()
    assert reader.read() is reader.read()
    write(FILE)
    assert reader.read().model == "haiku"
    monkeypatch.setenv("MAVERICK_MODEL", "opus")
    assert reader.read().model == "opus"
    assert read.call_count == 3
