"""The person's own git: what they have looked at is what it does."""

from __future__ import annotations

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
