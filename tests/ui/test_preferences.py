"""Preferences: remembered, never in the way; and the person's own keys."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.ui.preferences import Preferences


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "interface.json"


def values(preferences: Preferences) -> tuple[object, ...]:
    return (
        preferences.theme,
        preferences.verbosity,
        preferences.is_panel_closed,
        preferences.has_bell,
        preferences.has_notifications,
    )


def test_without_a_file_the_defaults_hold_and_nothing_is_written(file: Path) -> None:
    preferences = Preferences.load(file)
    assert values(preferences) == ("maverick-dark", "normal", False, True, True)
    assert preferences.problems == []
    assert not file.parent.exists()


def test_they_stand_in_the_users_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(tmp_path / "here"))
    preferences = Preferences.load()
    preferences.change(theme="nord")
    preferences.wait()
    assert (paths.user_state() / "interface.json").is_file()
    assert Preferences.load().theme == "nord"


def test_a_change_is_remembered_and_leaves_nothing_behind(file: Path) -> None:
    preferences = Preferences.load(file)
    preferences.change(verbosity="full", is_panel_closed=True)
    preferences.change(has_bell=False, has_notifications=False)
    preferences.wait()
    assert values(Preferences.load(file)) == ("maverick-dark", "full", True, False, False)
    assert [path.name for path in file.parent.iterdir()] == ["interface.json"]


def test_the_last_of_many_changes_is_what_stays(file: Path) -> None:
    preferences = Preferences.load(file)
    for number in range(50):
        preferences.change(theme=f"theme-{number}")
    preferences.wait()
    assert Preferences.load(file).theme == "theme-49"


def test_what_is_no_change_is_not_written(file: Path) -> None:
    preferences = Preferences.load(file)
    preferences.change(theme="maverick-dark", has_bell=True)
    preferences.wait()
    assert not file.exists()


def test_what_another_version_has_written_is_kept(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"theme": "nord", "from_the_future": [1]}')
    preferences = Preferences.load(file)
    preferences.change(has_bell=False)
    preferences.wait()
    assert json.loads(file.read_text())["from_the_future"] == [1]
    assert preferences.problems == []


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[1]", b"null", b"", b"[" * 100_000])
def test_a_broken_file_is_moved_aside_and_said(content: bytes, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    preferences = Preferences.load(file)
    assert values(preferences) == values(Preferences())
    assert (file.parent / "interface.json.broken").read_bytes() == content
    assert len(preferences.problems) == 1
    assert str(file) in preferences.problems[0]
    assert "interface.json.broken" in preferences.problems[0]
    preferences.change(theme="nord")
    preferences.wait()
    assert Preferences.load(file).theme == "nord"


def test_a_file_that_is_a_folder_is_no_crash(file: Path) -> None:
    file.mkdir(parents=True)
    assert len(Preferences.load(file).problems) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", 3),
        ("theme", ""),
        ("verbosity", "loud"),
        ("verbosity", []),
        ("has_bell", "yes"),
        ("is_panel_closed", 1),
    ],
)
def test_one_wrong_value_costs_only_itself(name: str, value: object, file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({name: value, "has_notifications": False}))
    preferences = Preferences.load(file)
    assert values(preferences)[:4] == values(Preferences())[:4]
    assert preferences.has_notifications is False
    assert name in preferences.problems[0]


def test_a_change_that_nobody_knows_is_a_mistake(file: Path) -> None:
    for wrong in ({"colour": "red"}, {"verbosity": "loud"}):
        with pytest.raises(ValueError, match="is not a preference"):
            Preferences.load(file).change(**wrong)


def test_a_place_that_cannot_be_written_is_said_and_the_change_holds(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    preferences = Preferences(file)
    preferences.change(theme="nord")
    preferences.wait()
    assert preferences.theme == "nord"
    assert "cannot be kept" in preferences.problems[0]


def test_reading_them_imports_nothing_heavy() -> None:
    code = (
        "import sys; from maverick_tui.ui.preferences import Preferences; Preferences.load();"
        "print([name for name in ('textual', 'pydantic', 'tomllib', 'yaml', 'git') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
