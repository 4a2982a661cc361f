"""The person's own git: what they have looked at is what it does."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from maverick_tui.git.persons_own import run_own_git
from tests.worktrees.projects import git, project_in


def test_no_condition_of_a_repository_holds_by_the_name_of_a_link_that_leads_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = project_in(tmp_path / "shop")
    (top / "latest").symlink_to(".")
    (top / ".git" / "more").write_text("[core]\n hooksPath = .git/more-hooks\n")
    with (top / ".git" / "config").open("a") as config:
        config.write("[user]\n name = x\n email = x@y\n")
        config.write('[includeIf "gitdir:**/latest/.git"]\n path = more\n')
    (hook := top / ".git" / "more-hooks" / "pre-commit").parent.mkdir()
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    monkeypatch.chdir(top / "latest")
    monkeypatch.setenv("PWD", str(top / "latest"))
    git(top / "latest", "commit", "--allow-empty", "-m", "by hand")
    assert (top / "ran").exists(), "git does so by hand"
    (top / "ran").unlink()
    run_own_git(top, top / ".git" / "index", "commit", "--allow-empty", "-m", "asked for")
    assert not (top / "ran").exists()


def test_a_commit_starts_no_driver_of_merges_for_a_conflict_that_git_believes_to_know(tmp_path: Path) -> None:
    top = project_in(tmp_path / "shop")
    merges_again(top)
    git(top, "commit", "--allow-empty", "-m", "by hand")
    assert (top / "ran").exists(), "git does so by hand"
    (top / "ran").unlink()
    merges_again(top)
    run_own_git(
        top, top / ".git" / "index", "-c", "user.name=x", "-c", "user.email=x", "commit", "--allow-empty", "-mx"
    )
    assert not (top / "ran").exists()


def merges_again(top: Path) -> None:
    """As a clone can come: a conflict that git believes to have seen before, and a driver for the file."""
    conflict, name = "<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n", hashlib.sha1(b"ours\n\0theirs\n\0").hexdigest()
    (top / "a.txt").write_text(conflict)
    (kept := top / ".git" / "rr-cache" / name).mkdir(parents=True, exist_ok=True)
    (kept / "preimage").write_text(conflict)
    (kept / "postimage").write_text("solved\n")
    (top / ".git" / "MERGE_RR").write_text(f"{name}\ta.txt\0")
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "attributes").write_text("a.txt merge=other\n")
    git(top, "config", "merge.other.driver", f"touch {top}/ran")
