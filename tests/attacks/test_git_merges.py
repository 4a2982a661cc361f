"""A merge that both sides have a part in runs no program of the repository's. There are several guards against each, of
which any is enough; so each is seen to be there by taking the others away.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.git import changing
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.records import Worktree
from tests.attacks.git_traps import Ground, Trap, fall_into

LINES = "one\ntwo\nthree\nfour\nfive\n"
PROGRAMS = """[diff]
 external = {run}
[diff "x"]
 command = {run}
 textconv = {run}
[merge "x"]
 driver = {run}
[commit]
 gpgSign = true
[gpg]
 program = {run}"""
SOMEBODY = ("-c", "user.name=a", "-c", "user.email=a@example.org")
Sides = tuple[Ground, Worktree]


@pytest.fixture
def sides(tmp_path: Path) -> Sides:
    """A project and a worktree of it that have both changed a file, for which the settings name programs."""
    ground = Ground(tmp_path / "ground")
    ground.project.mkdir()
    ground.git("init", "--quiet", "--template=", "--initial-branch=main")
    ground.write("a.txt", LINES)
    ground.git("add", "--all")
    ground.git("commit", "--quiet", "--message", "Begin")
    worktree = make("000000000000", "fixer", ground.project).worktree
    (worktree.top / "a.txt").write_text(LINES.replace("five", "5"))
    ground.write("a.txt", LINES.replace("one", "1"))
    ground.git("commit", "--quiet", "--all", "--message", "Meanwhile")
    ground.write(".git/info/attributes", "*.txt diff=x merge=x\n")
    ground.config(PROGRAMS)
    return ground, worktree


@pytest.mark.parametrize("lost", ["nothing", "settings", "options", "refusal"])
def test_each_guard_of_a_merge_is_enough(lost: str, sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    ground, worktree = sides
    if lost == "settings":
        monkeypatch.setattr(changing, "overrides", lambda _settings: {})
    elif lost == "options":
        monkeypatch.setattr(changing, "_COMMANDS", {**changing._COMMANDS, "diff-tree": (), "commit-tree": ()})
    elif lost == "refusal":
        monkeypatch.setattr(ending, "filtered", lambda *_: {})
    ending.commit_all(worktree, "better")
    assert "+5" in ending.diff_of(worktree)
    refused = ""
    try:
        ending.merge(worktree, "better")
    except ConfigError as error:
        refused = str(error)
    assert ground.left() == []
    assert ("a way to merge of their own" in refused) is (lost != "refusal")


@pytest.mark.parametrize(
    "command",
    [
        ("diff", "HEAD~"),
        ("merge-tree", "--write-tree", "HEAD", "maverick"),
        (*SOMEBODY, "commit", "--amend", "--no-edit"),
    ],
    ids=["diff", "merge", "commit"],
)
def test_plain_git_falls_into_it(command: tuple[str, ...], sides: Sides) -> None:
    ground, worktree = sides
    ending.commit_all(worktree, "better")
    fall_into(Trap("", lambda _: None, tuple(word.replace("maverick", worktree.branch) for word in command)), ground)
    assert ground.left() != []


def test_no_setting_that_git_is_given_names_a_program(sides: Sides) -> None:
    ground, _ = sides
    listed = subprocess.run(
        ["git", "config", "-z", "--list"],
        cwd=ground.project,
        env=changing.Git(ground.project)._variables,
        capture_output=True,
        check=True,
    )
    counts = dict(line.partition("\n")[::2] for line in listed.stdout.decode().split("\0"))  # the last one of a name
    assert [name for name, value in counts.items() if ground.program() in value] == []
    assert counts["commit.gpgsign"] == "false"
