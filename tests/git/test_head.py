"""The branch, read from git's files as git itself would read it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from maverick_tui.git import head, making
from maverick_tui.git.head import Checkout, head_of, read_checkout
from maverick_tui.git.repository import find_repository, repository_of


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    making.init(folder, "main")
    making.commit_all(folder, "Begin", name="x", email="x@example.org")
    return folder


def test_every_kind_of_head_is_as_git_says(project: Path, tmp_path: Path) -> None:
    assert head_of(project) == git(project, "branch", "--show-current") == "main"
    git(project, "worktree", "add", "-b", "feature/x", str(tmp_path / "tree"))
    assert head_of(tmp_path / "tree") == "feature/x"
    found = find_repository(tmp_path / "tree")
    assert found is not None
    assert found.common == project / ".git"
    assert repository_of(tmp_path / "tree") == repository_of(project) == str(project)
    assert repository_of(tmp_path) == ""
    git(project, "checkout", "--orphan", "unborn")
    assert head_of(project) == "unborn"
    git(tmp_path / "tree", "checkout", "--detach")
    assert head_of(tmp_path / "tree") == git(project, "rev-parse", "--short=7", "main")


def test_other_hashes_links_and_places_are_understood(project: Path, tmp_path: Path) -> None:
    head = project / ".git" / "HEAD"
    head.write_text("a" * 64 + "\n")
    assert head_of(project) == "aaaaaaa"
    head.unlink()
    head.symlink_to("refs/heads/old-style")
    assert head_of(project) == git(project, "branch", "--show-current") == "old-style"
    (project / ".git").rename(tmp_path / "elsewhere")
    (project / ".git").write_text("gitdir: ../elsewhere\n")
    assert head_of(project) == "old-style"


@pytest.mark.parametrize(
    "head", ["", "main", "ref: ", "ref: refs/heads/a b", "ref: refs/heads/\x1b[2J", "a" * 39, "x" * 9000, "ref: a..b"]
)
def test_a_head_that_is_none_is_unknown(head: str, project: Path) -> None:
    (project / ".git" / "HEAD").write_text(head)
    assert head_of(project) is None


def test_what_is_no_repository_is_passed_by_or_ends_the_search_as_git_does(project: Path) -> None:
    below = project / "below"
    (below / ".git").mkdir(parents=True)
    assert head_of(below) == git(below, "branch", "--show-current") == "main"
    (below / ".git").rmdir()
    (below / ".git").write_text("nonsense")
    assert head_of(below) is None
    (below / ".git").write_text("gitdir: \0\n")
    assert head_of(below) is None


def test_a_pipe_is_not_waited_for(project: Path) -> None:
    (project / ".git" / "HEAD").unlink()
    os.mkfifo(project / ".git" / "HEAD")
    assert head_of(project) is None
    assert head_of(project.parent) is None


@pytest.mark.parametrize(("answer", "branch"), [("refs/heads/kept/elsewhere", "kept/elsewhere"), ("", "bbbbbbb")])
def test_git_is_asked_where_references_are_not_kept_in_files(
    answer: str, branch: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    newer = tmp_path / "newer" / "git"
    newer.parent.mkdir()
    newer.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        "*config*) printf 'command\\0command line:\\0safe.barerepository\\nexplicit\\0' ;;\n"
        f"*symbolic-ref*) [ -n '{answer}' ] && echo '{answer}' ;;\n"
        f"*rev-parse*) echo {'b' * 40} ;;\nesac\n"
    )
    newer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{newer.parent}{os.pathsep}{os.environ['PATH']}")
    assert head_of(project) == branch


def test_references_in_tables_are_read_where_git_knows_them(tmp_path: Path) -> None:
    made = subprocess.run(["git", "init", "--ref-format=reftable", "-b", "main", "."], cwd=tmp_path, check=False)
    if made.returncode != 0:
        pytest.skip("this git keeps references in files only")
    assert head_of(tmp_path) == "main"


# -- what is changed --------------------------------------------------------------------------------------------------


def test_branch_and_changes_are_told(project: Path) -> None:
    assert read_checkout(project) == Checkout("main", 0)
    (project / "a.txt").write_text("1")
    (project / "b c.txt").write_text("1")
    assert read_checkout(project) == Checkout("main", 2)
    git(project, "checkout", "--detach")
    detached = read_checkout(project)
    assert detached is not None
    assert detached.branch == git(project, "rev-parse", "--short=7", "main")


def test_a_monitor_of_the_repository_is_not_run(project: Path) -> None:
    script = project / "monitor.sh"
    script.write_text("#!/bin/sh\ntouch ran\n")
    script.chmod(0o700)
    git(project, "config", "core.fsmonitor", str(script))
    assert read_checkout(project) is not None
    assert not (project / "ran").exists()


def test_without_a_repository_or_git_there_is_nothing_to_tell(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_checkout(tmp_path) is None
    assert read_checkout(Path("gone")) is None
    monkeypatch.setenv("PATH", "")
    assert read_checkout(project) is None


def test_a_repository_that_does_not_answer_is_given_up(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o700)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(head, "STATUS_SECONDS", 0.05)
    assert read_checkout(project) is None
