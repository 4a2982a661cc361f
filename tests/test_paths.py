"""Folders in which no agent should work."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.paths import make_private, too_much, user_state
from maverick_tui.ui.preferences import Preferences
from tests.support.command_line import command_line


@pytest.fixture
def system_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the system says is the home directory, wherever HOME leads."""
    folder = tmp_path / "system" / "root"
    folder.mkdir(parents=True)
    entry = pwd.getpwuid(os.getuid())
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd((*entry[:5], str(folder), entry[6])))
    return folder


def test_a_home_directory_and_what_holds_one_are_too_much(tmp_path: Path, home: Path, system_home: Path) -> None:
    assert too_much(home).startswith("This is your home directory. An agent working here can reach all your files")
    assert too_much(system_home).startswith("This is your home directory.")
    assert too_much(tmp_path).startswith("Your home directory is in this folder.")
    assert too_much(system_home.parent).startswith("Your home directory is in this folder.")
    assert too_much(Path("/")).startswith("This is the root of the file system.")
    link = tmp_path / "work" / "link"
    link.symlink_to(home)
    assert too_much(link).startswith("This is your home directory.")
    assert all(
        too_much(folder).endswith("Start Maverick in a project's folder instead.")
        for folder in (home, tmp_path, Path("/"))
    )


def test_every_other_folder_is_fine(tmp_path: Path, home: Path, system_home: Path) -> None:
    project = home / "project"
    project.mkdir()
    assert (too_much(project), too_much(tmp_path / "work"), too_much(tmp_path / "hom")) == ("", "", "")


def test_without_a_home_there_is_still_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert too_much(Path("/"))
    assert too_much(tmp_path) == ""


def test_a_headless_run_warns_on_stderr(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = command_line(monkeypatch, capsys)
    warning = "maverick: This is your home directory."
    assert warning not in run("--agent", "nobody", "--prompt", "go").err
    monkeypatch.chdir(home)
    ran = run("--agent", "nobody", "--prompt", "go")
    assert ran.err.startswith(warning)
    assert warning not in ran.out


def _prefer_another() -> None:
    preferences = Preferences.load()
    preferences.change(has_bell=not preferences.has_bell)
    preferences.wait()


def test_what_others_could_replace_is_made_for_us_alone_whatever_the_umask_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a umask of 002 and a group that many are in, or of 000, others could trust files in our name."""
    writers: dict[str, Callable[[], None]] = {
        "trust": lambda: TrustStore().trust(tmp_path, b""),
        "preferences": _prefer_another,
        "folder": lambda: make_private(user_state()),
    }
    before = os.umask(0)
    try:
        for name, write in writers.items():
            home = tmp_path / name
            home.mkdir()
            monkeypatch.setenv("MAVERICK_STATE_DIR", str(home / "local" / "state" / "maverick"))
            write()
            made = (user_state(), *user_state().parents[:2])
            assert [oct(folder.stat().st_mode & 0o777) for folder in made] == ["0o700"] * 3, name
            assert home.stat().st_mode & 0o777 == 0o777, "what was there stays as it is"
    finally:
        os.umask(before)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for folder in (tmp_path / "link", Path(__file__), Path(__file__) / "x", Path("/proc/self/fd/x/y")):
        with pytest.raises(OSError, match=str(folder.name)):
            make_private(folder)
