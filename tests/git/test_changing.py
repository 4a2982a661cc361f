"""What git changes in a repository of the person's, whatever its settings say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maverick_tui.git.changing import Git, GitError
from tests.worktrees.projects import commit, git, project_in


def test_a_file_of_the_persons_is_not_written_over_where_git_is_told_to_look_at_less_of_it(tmp_path: Path) -> None:
    project = project_in(tmp_path / "shop")
    file = project / "a.txt"
    git(project, "config", "core.checkStat", "minimal")
    git(project, "config", "core.trustctime", "false")
    git(project, "checkout", "-q", "-b", "other")
    file.write_text("other\n")
    git(project, "commit", "-qam", "other")
    git(project, "checkout", "-q", "main")
    long_ago = (1_500_000_000, 1_500_000_000)
    os.utime(file, long_ago)
    git(project, "update-index", "--refresh")
    new = project / "new"  # as an editor saves: within one second, times alone would not tell
    new.write_text(mine := file.read_text().upper())
    os.utime(new, long_ago)
    new.replace(file)
    with pytest.raises(GitError):
        Git(project)("merge", "other")
    assert file.read_text() == mine


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("index", ("read-tree", "HEAD")),
        ("index", ("update-index", "--refresh")),
        ("refs/heads/new", ("update-ref", "refs/heads/new", "HEAD")),
        ("HEAD", ("update-ref", "HEAD", "HEAD~")),
        ("HEAD", ("symbolic-ref", "HEAD", "refs/heads/x")),
        ("index", ("reset", "HEAD")),
    ],
)
def test_a_lock_that_was_left_behind_is_named_with_what_to_do_about_it(
    name: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    project = project_in(tmp_path / "shop")
    commit(project, "one more", more__txt="more\n")
    lock = project / ".git" / f"{name}.lock"
    lock.touch()
    with pytest.raises(GitError, match="another git is at work there, or was killed") as caught:
        Git(project)(*command)
    assert caught.value.hint == f"If no git is at work there, remove {lock}, then try again."


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        ("fatal: Unable to create '/p/.git/index.lock': File exists.\n\nAnother git process seems to be", True),
        ("warning: core.x is old\nerror: Unable to create '/p/.git/index.lock': File exists.", True),
        ("fatal: cannot lock ref 'HEAD': Unable to create '/p/.git/refs/heads/main.lock': File exists.", False),
        ("error: unable to write file z/Unable to create 'index.lock': File exists", False),
        ("error: unable to create file z\nfatal: Unable to create 'index.lock': File exists: No space left", False),
    ],
)
def test_a_name_of_a_file_is_not_taken_for_what_git_says_of_a_lock(said: str, is_so: bool) -> None:
    assert GitError("It has failed.", said=said).is_before_writing is is_so


@pytest.mark.parametrize("driver", ["python", "own"])
def test_a_repository_does_not_choose_what_git_looks_for_in_long_lines(driver: str, tmp_path: Path) -> None:
    """Its own pattern for the headings of hunks may take for ever, and git's for some languages long."""
    project = project_in(tmp_path / "shop")
    git(project, "config", "diff.own.xfuncname", "^ +def.*")
    (project / ".gitattributes").write_text(f"*.txt diff={driver}\n")
    (project / "a.txt").write_text(lines := "class A\n  def b\n" + "c\n" * 9)
    git(project, "add", "--all")
    git(project, "commit", "-qm", "before")
    (project / "a.txt").write_text(lines + "d\n")
    git(project, "commit", "-qam", "after")
    shown = Git(project)("diff-tree", "-p", "HEAD~", "HEAD")
    assert [line for line in shown.splitlines() if line.startswith("@@")] == ["@@ -9,3 +9,4 @@ c"]
