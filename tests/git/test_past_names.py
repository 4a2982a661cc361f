"""The names of files that any commit has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from maverick_tui.git import past_names as module
from maverick_tui.git.past_names import past_names
from maverick_tui.git.tips import names_of_others

ME = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *ME, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "x", "--allow-empty")


def test_names_of_all_commits_are_told_whatever_has_become_of_them(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert past_names(tmp_path) == frozenset(), "there is no commit"
    git(tmp_path, "config", "log.showRoot", "false")
    git(tmp_path, "config", "diff.renames", "copies")
    commit(tmp_path, "first")
    git(tmp_path, "mv", "first", "renamed")
    commit(tmp_path)
    git(tmp_path, "switch", "-qc", "side")
    commit(tmp_path, "deep/of side\n")
    git(tmp_path, "switch", "-q", "main")
    commit(tmp_path, "of main")
    git(tmp_path, "merge", "-q", "--no-commit", "side")
    commit(tmp_path, "of the merge")
    (tmp_path / "stashed").write_text("x")
    git(tmp_path, "stash", "-qu")
    git(tmp_path, "switch", "-q", "--detach")
    commit(tmp_path, "left")
    git(tmp_path, "switch", "-q", "main")
    git(tmp_path, "branch", "-qD", "side")
    names = "first", "renamed", "deep/of side\n", "of main", "of the merge", "stashed", "left"
    assert past_names(tmp_path) == frozenset(map(str.encode, names))
    (other := tmp_path.with_name("other")).mkdir()
    git(other, "init", "-q", "-b", "main")
    commit(other, "fetched")
    git(tmp_path, "fetch", "-q", str(other), "main")
    assert b"fetched" in (past_names(tmp_path) or ()), "no branch has it"
    commit(tmp_path, "new")
    assert b"new" in (past_names(tmp_path) or ()), "what was known a moment ago is not all"


def test_commits_are_known_that_only_files_of_git_name(tmp_path: Path) -> None:
    """Git takes such a file for a reference: `git show main-worktree/FETCH_HEAD`, `git show sequencer/head`."""
    main, other, worktree = (tmp_path / name for name in ("main", "other", "worktree"))
    for folder, name in ((other, "fetched"), (main, "first")):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        commit(folder, name)
    git(main, "worktree", "add", "-q", str(worktree))
    for named in ("MY_HEAD", "sequencer/head", "worktrees/worktree/FETCH_HEAD", "worktrees/worktree/refs/bisect/bad"):
        assert set(past_names(main) or ()) == {b"first"}
        git(main, "fetch", "-q", str(other), "main")
        (file := main / ".git" / named).parent.mkdir(parents=True, exist_ok=True)
        (main / ".git" / "FETCH_HEAD").rename(file)
        for folder in (main, worktree):
            assert set(past_names(folder) or ()) == {b"first", b"fetched"}, named
        file.unlink()
    git(main, "fetch", "-q", str(other), "main")
    assert set(past_names(worktree) or ()) == {b"first", b"fetched"}, "the main worktree has fetched it"
    for number in range(3):
        (main / ".git" / f"{number}_HEAD").write_text(f"{number}" * 40)
    assert set(past_names(main) or ()) == {b"first", b"fetched"}, "what is not there any more has no names"


def test_names_of_others_are_those_that_lead_to_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert names_of_others(tmp_path) == frozenset()
    commit(tmp_path, "file")
    git(tmp_path, "tag", "-am", "x", "marked")
    git(tmp_path, "tag", "folder", "HEAD^{tree}")
    git(tmp_path, "tag", "-am", "x", "deep/key", "HEAD:file")
    git(tmp_path, "update-ref", "refs/mine/kept", "HEAD:file")
    git(tmp_path, "update-ref", "refs/remotes/far/HEAD", "HEAD:file")
    assert set(names_of_others(tmp_path) or ()) == {"folder", "key", "kept", "far", "HEAD"}


def test_what_is_not_told_in_time_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    with monkeypatch.context() as patched:
        patched.setattr(module, "SECONDS", 0.0)
        assert past_names(tmp_path) is None
    assert past_names(tmp_path) is None, "nobody waits again so soon"
    monkeypatch.setattr(module, "_AGAIN_AFTER", 0.0)
    assert past_names(tmp_path) == frozenset()


def test_names_are_those_of_the_history_that_is_there_by_now(tmp_path: Path) -> None:
    (whole := tmp_path / "whole").mkdir()
    git(whole, "init", "-q", "-b", "main")
    for number in range(4):
        commit(whole, f"name{number}")
        (whole / f"name{number}").unlink()
    git(tmp_path, "clone", "-q", "--depth=1", whole.as_uri(), "part")
    part = tmp_path / "part"
    assert set(past_names(part) or ()) == {b"name3"}
    git(part, "fetch", "-q", "--deepen=1")
    assert set(past_names(part) or ()) == {b"name2", b"name3"}, "the tips are the same"
    git(part, "fetch", "-q", "--unshallow")
    assert set(past_names(part) or ()) == {b"name0", b"name1", b"name2", b"name3"}


def test_a_graft_brings_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "old")
    old = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=tmp_path, text=True).strip()
    git(tmp_path, "branch", "-m", "gone")
    git(tmp_path, "switch", "-q", "--orphan", "main")
    commit(tmp_path, "new")
    new = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=tmp_path, text=True).strip()
    git(tmp_path, "branch", "-qD", "gone")
    git(tmp_path, "reflog", "expire", "--expire=now", "--all")
    assert set(past_names(tmp_path) or ()) == {b"new"}
    (tmp_path / ".git" / "info" / "grafts").write_text(f"{new} {old}\n")
    assert set(past_names(tmp_path) or ()) == {b"new", b"old"}
