"""Folders in which no agent should work."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from maverick_tui.paths import too_much
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
