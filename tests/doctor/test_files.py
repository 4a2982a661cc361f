"""Files that checks look at: settings, agents, and the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.standing import project_file
from maverick_tui.config import config_file
from maverick_tui.doctor.files import check_agents, check_folder, check_rules, check_settings
from tests.cli.agent_files import write_agent
from tests.conftest import TURNED_OFF
from tests.doctor.situations import found


def settings(text: str, mode: int = 0o600) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)
    config_file().chmod(mode)


def test_settings_that_are_right_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TURNED_OFF:
        monkeypatch.delenv(name)
    assert found(check_settings).fact.startswith("all at their defaults")
    settings("timeout = 20\n", 0o644)
    monkeypatch.setenv("MAVERICK_MODEL", "opus")
    told = found(check_settings)
    assert (told.state, told.details["changed"]) == ("fine", ["model", "timeout"])


@pytest.mark.parametrize(
    ("text", "mode", "state", "says"),
    [
        ("timout = 3\n", 0o600, "wrong", "Did you mean 'timeout'?"),
        ('[keys]\n"run.verbosty" = "f5"\n', 0o600, "warning", "run.verbosty"),
        ('[keys]\n"run.verbosity" = "ctrl+q"\n', 0o600, "warning", '"app.quit_now"'),
        ('[env]\nMY_TOKEN = "opensesame-1"\n', 0o640, "warning", "others can read it"),
        ('tasks_url = "postgresql://me:opensesame-1@db/tasks"\n', 0o604, "warning", "others can read it"),
        ('[env]\nMY_TOKEN = "opensesame-1"\n', 0o600, "fine", "env.MY_TOKEN"),
    ],
)
def test_settings_that_are_not_say_why(text: str, mode: int, state: str, says: str) -> None:
    settings(text, mode)
    told = found(check_settings)
    assert told.state == state, told
    assert says in told.fact
    assert "opensesame" not in json.dumps(told.to_json())


def test_every_mistake_in_the_keys_is_named() -> None:
    settings('[keys]\n"run.verbosty" = "f5"\n"run.find" = "ctl+f"\n"run.panel" = "ctrl+q"\n')
    fact = found(check_settings).fact
    assert all(name in fact for name in ("run.verbosty", "ctl+f", "app.quit_now")), fact
    assert fact.count("config.toml") == 1


def test_agents_with_problems_are_named() -> None:
    assert found(check_agents).state == "fine"
    write_agent("careful", "model:")
    warned = found(check_agents)
    assert (warned.state, warned.hint) == ("warning", "Run: maverick agents check")
    Path(".claude/agents/broken.md").write_text("---\nname: [\n---\n")
    told = found(check_agents)
    assert told.state == "wrong"
    assert "broken.md" in told.fact


def test_rules_that_cannot_be_heeded_are_told() -> None:
    assert (found(check_rules).state, found(check_rules).fact) == ("fine", "none")
    file = project_file(Path.cwd())
    file.parent.mkdir()
    file.write_text('allow = ["Bash(make:*)"]\ndeny = ["Read(.env)"]')
    told = found(check_rules)
    assert (told.state, told.details) == ("warning", {"rules": 2, "not_trusted": 1})
    file.write_text("allow = [")
    told = found(check_rules)
    assert told.state == "wrong"
    assert str(file) in told.fact


def test_a_home_directory_is_no_place_for_agents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(check_folder).state == "fine"
    monkeypatch.chdir(home)
    told = found(check_folder)
    assert told.state == "warning"
    assert told.fact.startswith("This is your home directory")
    assert told.hint == "Start Maverick in a project's folder instead."
