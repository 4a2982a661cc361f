"""Asking git: what it may answer, when it is given up, and a git that cannot be made harmless."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.git import asking, making
from maverick_tui.git.asking import (
    ALWAYS,
    Setting,
    as_variables,
    ask,
    environment,
    find_git,
    overrides,
    parsed,
    read_settings,
)
from maverick_tui.git.changing import Git
from tests.support.effort import effort
from tests.support.processes import MARK, kill_marked, wait_until_gone


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    making.init(folder, "main")
    (folder / "a.txt").write_text("x\n")
    return folder


def fake_git(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_it_answers(project: Path) -> None:
    assert ask(project, "ls-files", "-co", "-z") == b"a.txt\0"
    assert ask(project, "status", "--porcelain") == b"?? a.txt\n"


def test_only_what_is_known_to_be_harmless_can_be_asked(project: Path) -> None:
    with pytest.raises(KeyError):
        ask(project, "commit")


def test_there_is_no_answer_without_a_repository_or_with_a_broken_one(tmp_path: Path, project: Path) -> None:
    assert ask(tmp_path, "status") is None
    assert ask(tmp_path / "gone", "status") is None
    (project / ".git" / "config").write_text("[core\n")
    assert ask(project, "status") is None


def test_a_git_that_takes_no_settings_from_us_is_not_asked(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_git(project)
    fake_git(
        tmp_path / "old",
        f'[ "$2" = config ] || : > {tmp_path}/asked\nunset GIT_CONFIG_COUNT\nexec {real} "$@"',
        monkeypatch,
    )
    assert ask(project, "status") is None
    assert not (tmp_path / "asked").exists()


@pytest.mark.explore
def test_settings_that_are_too_many_for_a_process_are_not_asked_about(project: Path) -> None:
    with (project / ".git" / "config").open("a") as config:
        config.writelines(f'[filter "{"x" * 200}{number}"]\n clean = false\n' for number in range(20_000))
    assert ask(project, "status") is None


def test_a_configuration_that_is_never_read_to_its_end_is_given_up(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with (project / ".git" / "config").open("a") as config:
        config.write(f"[include]\n path = {project / 'pipe'}\n")
    assert ask(project, "status", seconds=0.2) is None
    assert ask(project, "status", stop=lambda: True) is None


@pytest.mark.parametrize("file", ["/dev/zero", "pipe"])
@pytest.mark.parametrize("setting", ["[core]\n attributesFile", "[core]\n excludesFile", "[mailmap]\n file"])
def test_files_that_never_end_are_not_asked_about(file: str, setting: str, project: Path) -> None:
    os.mkfifo(project / "pipe")
    with (project / ".git" / "config").open("a") as config:
        config.write(f"{setting} = {file}\n")
    assert read_settings(project) is None


def test_a_configuration_that_is_never_read_to_its_end_is_waited_for_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(project / "pipe")
    with (project / ".git" / "config").open("a") as config:
        config.write("[include]\npath = ../pipe\n")
    assert read_settings(project, seconds=0.2) is None
    assert not asking._given_up, "a git that is slow for once is asked again"
    monkeypatch.setattr(asking, "SECONDS", 0.2)
    assert read_settings(project, seconds=0.2) is None
    monkeypatch.delattr(asking, "_answer")
    assert read_settings(project) is None


@pytest.mark.parametrize("place", [".git/loop", ".git/refs/loop", ".git/worktrees/loop", ".git/logs"])
def test_a_link_that_leads_to_itself_keeps_nobody_from_asking(place: str, project: Path) -> None:
    (project / place).parent.mkdir(exist_ok=True)
    (project / place).symlink_to((project / place).name)
    assert read_settings(project)


def test_an_order_of_files_that_never_ends_is_not_read(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with (project / ".git" / "config").open("a") as config:
        config.write("[diff]\n orderFile = pipe\n")
    assert ask(project, "status", "--porcelain") == b"?? a.txt\n"
    assert Git(project)("status", "--porcelain") == "?? a.txt"


@pytest.mark.parametrize(
    "end",
    [
        "",
        pytest.param(
            "os.kill(os.getpid(), signal.SIGKILL)",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a process to another"),
        ),
    ],
)
def test_git_that_waits_for_ever_ends_with_us(end: str, project: Path, tmp_path: Path) -> None:
    (project / "sub").mkdir()
    os.mkfifo(project / "sub" / ".gitignore")
    (project / "sub" / "a.txt").touch()
    program = f"""
import os, signal, threading, time
from pathlib import Path
from maverick_tui.git import ending
from maverick_tui.git.keeping import KeepingGit
git = KeepingGit(Path({str(tmp_path / "ours")!r}), folder := Path({str(project)!r}))
git.make()
looks = lambda: git("ls-files", "-o", "--exclude-per-directory=.gitignore", index=Path("none"), of=folder)
threading.Thread(target=looks, daemon=True).start()
while not ending._alive:
    time.sleep(0.01)
{end}
"""
    mark = tmp_path.name
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ, MARK: mark}, check=False)
    assert ended.returncode == (-signal.SIGKILL if end else 0)
    left = wait_until_gone(mark, 5)
    kill_marked(mark)
    assert not left


def test_git_reads_nothing_that_is_typed(project: Path) -> None:
    with (project / ".git" / "config").open("a") as config:
        config.write("[include]\n path = /dev/tty\n")
    program = f"""
import fcntl, sys, termios
from pathlib import Path
from maverick_tui.git.asking import read_settings
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
read_settings(Path({str(project)!r}), seconds=1)
sys.exit(input() != "typed")
"""
    ours, theirs = os.openpty()
    os.write(ours, b"typed\n")
    try:
        child = [sys.executable, "-c", program]
        assert subprocess.run(child, stdin=theirs, start_new_session=True, timeout=60, check=False).returncode == 0
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_listing_that_is_far_longer_than_its_file_is_given_up(project: Path) -> None:
    with (project / ".git" / "config").open("a") as config:
        config.write(f'[a "{"x" * 20_000}"]\n' + "b\n" * 5_000)
    assert read_settings(project) is None


@pytest.mark.explore
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param("".join(f"hooksPath = a{number}\n" for number in range(20_000)), id="many"),
        pytest.param(f"hooksPath = {'a/' * 20_000}\n", id="long"),
    ],
)
def test_settings_with_places_without_end_are_not_looked_at(settings: str, project: Path) -> None:
    with (project / ".git" / "config").open("a") as config:
        config.write(f"[core]\n{settings}")
    assert effort(lambda: read_settings(project)) < 40
    assert read_settings(project) is None


def test_a_repository_does_not_choose_how_many_processes_git_starts(project: Path) -> None:
    with (project / ".git" / "config").open("a") as config:
        config.write("[checkout]\n workers = 1000\n")
    asked = ["git", "config", "--get", "checkout.workers"]
    assert subprocess.check_output(asked, cwd=project, env=environment(project, ALWAYS)) == b"1\n"


def test_the_persons_own_ignored_files_count(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    (home / ".gitconfig").write_text("[core]\n excludesFile = ~/ignored\n")
    (home / "ignored").write_text("a.txt\n")
    assert ask(project, "status", "--porcelain") == b""


def test_git_is_never_one_of_the_project(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_git(project)
    assert real is not None
    assert Path(real).is_absolute()
    fake_git(project / "bin", "", monkeypatch)
    (tmp_path / "link").symlink_to(project / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "link"), os.environ["PATH"]]))
    below = project / "src"
    below.mkdir()
    assert find_git(below) == real
    assert find_git(tmp_path / "work") == str(tmp_path / "link" / "git")
    monkeypatch.setenv("PATH", f"{os.pathsep}.{os.pathsep}bin")
    monkeypatch.chdir(project)
    assert find_git(tmp_path) is None
    assert ask(project, "status") is None


def test_the_root_of_the_machine_is_nobodys_project(project: Path) -> None:
    assert find_git(Path("/")) == find_git(project)


def test_the_settings_of_the_machine_count(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git for Windows says there how lines end, and a container which folders of others are safe."""
    machine = tmp_path / "machine"
    machine.write_text("[core]\n autocrlf = true\n")
    file = project / "a.txt"
    file.write_bytes(b"x\r\n")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(machine))
    for command in (["add", "."], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=project, capture_output=True, check=True)
    os.utime(file, (1, 1))  # so that git looks into it
    assert ask(project, "status", "--porcelain") == b""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    assert ask(project, "status", "--porcelain") == b" M a.txt\n"


def test_repositories_of_ours_have_nothing_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = tmp_path / "machine"
    machine.write_text("[core\n")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(machine))
    made = tmp_path / "made"
    made.mkdir()
    making.init(made, "main")
    assert (made / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"


def test_a_listing_is_read_with_any_name_and_value() -> None:
    ours = b"command\0command line:\0safe.barerepository\nexplicit\0"
    told = b"%slocal\0file:.git/config\0filter.a.b=\xff.clean\nx\ny\0global\0file:/a\0alone.key\0" % ours
    assert parsed(told) == [
        Setting("command", "safe.barerepository", "explicit", "command line:"),
        Setting("local", "filter.a.b=\udcff.clean", "x\ny", "file:.git/config"),
        Setting("global", "alone.key", "true", "file:/a"),
    ]
    assert parsed(b"local\0file:.git/config\0core.bare\nfalse\0") is None


def test_what_names_a_program_is_overridden_whoever_has_set_it() -> None:
    settings = [
        Setting("local", "filter.A.b.clean", "x"),
        Setting("worktree", "filter.A.b.required", "true"),
        Setting("global", "pager.log", "less"),
        Setting("system", "core.sshcommand", "x"),
        Setting("local", "hook.x.event", "post-index-change"),
        Setting("local", "core.excludesfile", "x"),
    ]
    assert overrides(settings) == {
        "filter.A.b.clean": "",
        "filter.A.b.required": "false",
        "pager.log": "false",
        "core.sshcommand": "",
        "hook.x.enabled": "false",
    }


@pytest.mark.parametrize(("given", "first"), [("2", 2), ("", 0), ("many", 0), ("-1", 0)])
def test_settings_come_behind_those_of_the_environment(given: str, first: int) -> None:
    assert as_variables({"a.b": "c"}, {"GIT_CONFIG_COUNT": given}) == {
        "GIT_CONFIG_COUNT": str(first + 1),
        f"GIT_CONFIG_KEY_{first}": "a.b",
        f"GIT_CONFIG_VALUE_{first}": "c",
    }


def test_what_git_says_is_told_when_a_repository_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    making.init(tmp_path, "main")
    (tmp_path / ".git" / "index.lock").write_text("")
    with pytest.raises(ConfigError, match=r"git add failed: .*index\.lock"):
        making.commit_all(tmp_path, "x", name="x", email="x@example.org")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="not installed"):
        making.init(tmp_path, "main")


def test_a_repository_of_ours_is_one_for_git(project: Path) -> None:
    making.commit_all(project, "Begin", name="x", email="x@example.org")
    making.branch_off(project, "side")
    log = subprocess.run(["git", "log", "--format=%an %s %D"], cwd=project, check=True, capture_output=True, text=True)
    assert log.stdout == "x Begin HEAD -> side, main\n"
