"""MaverickConfig: where settings come from, and what is said about wrong ones."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from maverick_tui import ConfigError, MaverickConfig
from maverick_tui.config import config_file


def write(text: str | bytes) -> Path:
    path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_defaults_need_no_file() -> None:
    config = MaverickConfig.load()
    assert (config.model, config.api_retries, config.setting_sources, config.cli_path) == (None, 0, (), None)
    assert not config_file().exists()


def test_arguments_win_over_the_environment_and_that_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write('model = "from-file"\ntimeout = 10\nmax_turns = 11\n')
    monkeypatch.setenv("MAVERICK_TIMEOUT", "20")
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "21")
    config = MaverickConfig.load(max_turns=31)
    assert (config.model, config.timeout, config.max_turns) == ("from-file", 20, 31)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        MaverickConfig.load().timeout = 5  # type: ignore[misc]


def test_a_dotenv_of_the_working_directory_is_not_read() -> None:
    Path(".env").write_text("MAVERICK_CLI_PATH=/tmp/evil\n")
    assert MaverickConfig.load().cli_path is None


def test_all_mistakes_are_named_at_once_with_suggestions() -> None:
    path = write('timout = 3\nmax_turns = -1\npermission_mode = "bypassPermissions"\n')
    with pytest.raises(ConfigError) as raised:
        MaverickConfig.load()
    text = str(raised.value)
    assert "timout is not a setting (Did you mean 'timeout'?)" in text
    assert "max_turns = -1" in text
    assert "bypassPermissions" in text
    assert "'acceptEdits'" in text, "what is named must be what can be written"
    assert str(path) in text


@pytest.mark.parametrize("content", ["model = ", b"\xff\xfe\x00", "a = 1\na = 2"])
def test_a_file_that_cannot_be_read_is_named(content: str | bytes) -> None:
    path = write(content)
    with pytest.raises(ConfigError, match="cannot be read") as raised:
        MaverickConfig.load()
    assert raised.value.path == str(path)
    assert raised.value.message.count("line") <= 1, "it is said once"


def test_a_folder_in_place_of_the_file_is_not_overlooked() -> None:
    config_file().mkdir(parents=True)
    with pytest.raises(ConfigError, match="not a file"):
        MaverickConfig.load()


def test_a_file_that_cannot_be_looked_for_is_not_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(path: Path, **_options: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "stat", look)
    with pytest.raises(ConfigError, match="cannot be read") as raised:
        MaverickConfig.load()
    assert str(config_file()) in str(raised.value)


def test_lists_in_variables_are_words_with_commas_and_empty_ones_are_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_SETTING_SOURCES", "user, project")
    monkeypatch.setenv("MAVERICK_TIMEOUT", "")
    config = MaverickConfig.load()
    assert config.setting_sources == ("user", "project")
    assert config.timeout == 300


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("MAVERICK_TIMEOUT", "soon", "timeout (MAVERICK_TIMEOUT) = 'soon'"),
        ("MAVERICK_SETTING_SOURCES", "user,everything", "setting_sources (MAVERICK_SETTING_SOURCES)"),
        ("MAVERICK_ENV", "{", "settings cannot be read"),
        ("MAVERICK_MODLE", "x", "Did you mean MAVERICK_MODEL?"),
    ],
)
def test_a_wrong_variable_is_named(name: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as raised:
        MaverickConfig.load()
    assert says in str(raised.value)
    assert "command line" not in str(raised.value)


def test_keys_in_the_settings_are_not_shown() -> None:
    assert "hunter2" not in repr(MaverickConfig.load(env={"ANTHROPIC_API_KEY": "hunter2"}))


def test_the_keys_of_the_interface_stand_in_the_same_file() -> None:
    write('model = "from-file"\n[keys]\n"run.interrupt" = "ctrl+x"\nrun.mode = "f2"\n')
    assert MaverickConfig.load().model == "from-file"


def test_a_misspelt_table_is_still_a_mistake() -> None:
    write('[key]\n"run.interrupt" = "ctrl+x"\n')
    with pytest.raises(ConfigError, match=r"key is not a setting \(Did you mean 'keys'\?\)"):
        MaverickConfig.load()


def test_fuses_are_read_from_a_table_or_a_variable_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    write("stall_after = 0\n[fuses.run]\nusd = 2\nminutes = 0.5\n[fuses.day]\ntokens = 1000\n")
    config = MaverickConfig.load()
    assert (config.fuses, config.stall_after) == ({"run": {"usd": 2, "minutes": 0.5}, "day": {"tokens": 1000}}, 0)
    monkeypatch.setenv("MAVERICK_FUSES", '{"agent_day": {"turns": 3}}')
    assert MaverickConfig.load().fuses["agent_day"] == {"turns": 3}


def test_what_is_wrong_with_a_fuse_is_named_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[fuses.run]\nusd = 0\ndollars = 2\n[fuses.week]\nusd = 1\n")
    with pytest.raises(ConfigError) as raised:
        MaverickConfig.load()
    text = str(raised.value)
    assert "fuses.run.usd = 0: input should be greater than 0" in text
    assert "fuses.run.dollars is no fuse (one of usd, tokens, turns, minutes)" in text
    assert "fuses.week is no fuse (one of run, agent_day, day)" in text
    write("")
    monkeypatch.setenv("MAVERICK_FUSE_USD", "2")
    with pytest.raises(ConfigError, match="MAVERICK_FUSE_USD is not a setting") as raised:
        MaverickConfig.load()
    assert """MAVERICK_FUSES='{"run": {"usd": 2}}'""" in raised.value.hint
