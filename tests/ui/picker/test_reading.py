"""What is read in threads: agents by their place, broken files, trust."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from maverick_tui import DEFAULT_MODEL, ConfigError, MaverickConfig, paths
from maverick_tui.agent.catalog import listing
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.config import config_file
from maverick_tui.ui.picker.items import Item
from maverick_tui.ui.picker.reading import read_agents, read_xray
from maverick_tui.ui.short_names import short_model
from tests.ui.picker.host import PYTHON, write, write_agent


def found() -> dict[str, Item]:
    return {item.name: item for item in read_agents(Path.cwd()).items}


def test_groups_come_in_the_order_of_nearness(home: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("packaged", "no_such_module:Agent", listing.GROUP)]
    monkeypatch.setattr(listing, "entry_points", lambda group: points)
    write_agent("shipped-one", folder=shipped)
    write_agent("claude-user", folder=paths.claude_config() / "agents")
    write_agent("mine", folder=paths.user_config() / "agents")
    write_agent("b-claude-project", folder=".claude/agents/deep")
    write_agent("a-claude-project")
    write(".maverick/agents/pilot.py", PYTHON)
    items = read_agents(Path.cwd()).items
    assert [(item.name, *item.group) for item in items] == [
        ("pilot", "PROJECT", ".maverick/agents"),
        ("a-claude-project", "PROJECT", ".claude/agents"),
        ("b-claude-project", "PROJECT", ".claude/agents"),
        ("mine", "YOURS", "~/.config/maverick/agents"),
        ("claude-user", "YOURS", "~/.claude/agents"),
        ("packaged", "PACKAGES", ""),
        ("shipped-one", "SHIPPED", ""),
    ]


def test_a_row_says_what_it_is() -> None:
    write_agent("reviewer", "tools: Read, Grep\nmodel: opus")
    write_agent("talker", "tools: Read")
    rows = found()
    reviewer, talker = rows["reviewer"], rows["talker"]
    assert (reviewer.model, reviewer.has_own_model, reviewer.tools) == ("opus", True, "2 tools")
    assert (talker.model, talker.has_own_model, talker.tools) == ("sonnet 4.5", False, "1 tool")
    assert (reviewer.marks, reviewer.refusal, reviewer.line) == ((), "", 2)


def test_the_model_of_the_settings_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MODEL", "claude-opus-4-1-20250805")
    write_agent("talker")
    assert found()["talker"].model == "opus 4.1"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("model = 'haiku'", "haiku"),
        ("model = 5", "sonnet 4.5"),
        ("model = ", "sonnet 4.5"),
        ("timeout = 3", "sonnet 4.5"),
    ],
)
def test_the_model_of_the_file_is_the_one_that_the_settings_have(text: str, model: str) -> None:
    write(config_file(), text)
    write_agent("talker")
    assert found()["talker"].model == model
    with suppress(ConfigError):
        assert short_model(MaverickConfig.load().model or DEFAULT_MODEL) == model


def test_wrong_settings_cost_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "many")
    write_agent("talker")
    assert found()["talker"].model == "sonnet 4.5"


def test_an_error_is_told_with_its_line_and_keeps_it_from_running() -> None:
    write_agent("reviewer", "allowed_tools: Read")
    row = found()["reviewer"]
    assert row.marks == (("✘ line 4: There is no field 'allowed_tools'.", "error"),)
    assert row.refusal == ("reviewer cannot run: line 4: There is no field 'allowed_tools'. Did you mean 'tools'?")
    assert row.line == 4


def test_a_warning_is_told_and_keeps_nothing_from_running() -> None:
    write_agent("reviewer", "surprise: 1")
    row = found()["reviewer"]
    assert row.marks == (("! line 4: The field 'surprise' is unknown and has no effect.", "warning"),)
    assert row.refusal == ""


def test_a_file_that_holds_no_agent_is_a_row_of_its_own() -> None:
    path = write(".claude/agents/notes.md", "no front matter").resolve()
    row = found()["notes.md"]
    assert row.group == ("PROJECT", ".claude/agents")
    assert (row.listing, row.path, row.line) == (None, path, 1)
    assert row.marks[0][0].startswith("✘ line 1: Has no front matter")


def test_a_second_agent_of_the_same_name_is_not_dropped_silently() -> None:
    write_agent("reviewer")
    write(".claude/agents/second.md", "---\nname: reviewer\ndescription: x\n---\nYou.\n")
    assert "Has the name 'reviewer'" in found()["second.md"].marks[0][0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter any folder")
def test_a_folder_that_cannot_be_entered_stands_with_its_own() -> None:
    folder = Path(".claude")
    write_agent("reviewer")
    folder.chmod(0)
    try:
        assert found()[".claude"].group.title == "PROJECT"
    finally:
        folder.chmod(0o700)


def test_what_is_not_trusted_says_so_until_it_is() -> None:
    path = write(".maverick/agents/pilot.py", PYTHON)
    assert found()["pilot"].marks == (("◇ untrusted", "warning"),)
    TrustStore().trust(path, path.read_bytes())
    assert found()["pilot"].marks == ()
    path.write_text(PYTHON + "\n")
    assert found()["pilot"].marks == (("◇ untrusted", "warning"),)


def test_a_warning_does_not_hide_that_it_is_not_trusted() -> None:
    write_agent("reviewer", "hooks: {Stop: [{hooks: [{type: command, command: x}]}]}\nsurprise: 1")
    assert [role for _, role in found()["reviewer"].marks] == ["warning", "warning"]


def test_a_broken_list_of_trusted_files_trusts_nothing() -> None:
    write(".maverick/agents/pilot.py", PYTHON)
    write(TrustStore().path, "not json")
    assert found()["pilot"].marks == (("◇ untrusted", "warning"),)


def test_what_is_hidden_is_told_by_name(home: Path) -> None:
    write_agent("reviewer")
    write_agent("reviewer", folder=home / ".claude/agents")
    hidden = read_agents(Path.cwd()).hidden
    assert [listing.source for listing in hidden["reviewer"]] == ["user"]


def test_looking_into_an_agent_runs_nothing(home: Path) -> None:
    write(home / ".config/maverick/agents/pilot.py", PYTHON)
    listing = found()["pilot"].listing
    assert listing is not None
    assert read_xray(listing).unknown == ("allowed_tools", "inputs")
    assert not Path("ran").exists()
