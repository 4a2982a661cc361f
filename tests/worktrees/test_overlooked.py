"""Work in worktrees that git passes over: repositories inside, and names that it takes for its own."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.host import worktrees
from maverick_tui.runs.placing import leave_place
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.work import Work
from tests.support.cases import each
from tests.worktrees.projects import commit, git, project_in

LONGEST_PATH = 4_200
"""More characters than a path may have."""

RUN = "0123456789ab"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With files in a folder, and in one that is else ignored."""
    project = project_in(tmp_path / "shop")
    (project / "packages").mkdir()
    (project / "packages/foo.py").write_text("foo\n")
    (project / "build").mkdir()
    (project / "build/keep.o").write_text("tracked\n")
    git(project, "add", "--force", "build")
    commit(project, __gitignore="build/\nnode_modules/\n")
    return project


@pytest.mark.explore
@each(
    "path, found",
    [
        ("new/.git/config", "new/.git"),  # of such a folder git says nothing at all
        ("packages/.git/config", "packages/.git"),
        ("packages/.git", "packages/.git"),
        ("build/.git/config", "build/.git"),
        ("deep/er/.git/config", "deep/er/.git"),
    ],
)
def test_whatever_is_called_as_gits_own_folder_below_the_top_is_work(path: str, found: str, project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    git(made.top, "init", "--quiet", "node_modules/dependency")  # as a package manager may fetch it
    (made.top / "node_modules/dependency/package.json").write_text("{}\n")
    assert not ending.loss_of(made)
    (made.top / path).parent.mkdir(parents=True, exist_ok=True)
    (made.top / path).write_text("mine\n")
    assert ending.loss_of(made).uncommitted == (found,)
    assert leave_place(RUN) == made
    for end in (ending.keep, ending.merge):
        with pytest.raises(ConfigError, match=re.escape(f"there are repositories of their own in it: {found}.")):
            end(made, "all of it", loses=True)
    assert (made.top / path).exists()
    ending.remove(made)


@pytest.mark.explore
def test_a_repository_that_a_run_makes_of_a_folder_stays_also_in_a_submodule(project: Path, tmp_path: Path) -> None:
    other = project_in(tmp_path / "other")
    (other / "packages").mkdir()
    (other / "packages/bar.py").write_text("bar\n")
    commit(other)
    fetches = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    git(project, *fetches, "add", str(other), "lib")
    commit(project, "with a submodule")
    made = make(RUN, "fixer", project).worktree
    git(made.top, *fetches, "update", "--init")
    assert Work(made).overlooked == ([], [])
    for folder in ("packages", "lib/packages"):
        git(made.top / folder, "init", "--quiet")
        commit(made.top / folder, "split")
        assert ending.loss_of(made).uncommitted == (f"{folder}/.git",)
        assert leave_place(RUN) == made
        shutil.rmtree(made.top / folder / ".git")
    git(made.top, "init", "--quiet", "inner")
    assert ending.loss_of(made).uncommitted == ("inner/",)
    shutil.rmtree(made.top / "inner")
    assert leave_place(RUN) is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere some of these are the folder of git's own")
@each("path", [".GIT/x", "git~1", ".git./x", ".gitmodules"])
def test_what_git_has_no_way_to_keep_is_not_lost(path: str, project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / path).parent.mkdir(exist_ok=True)
    (made.top / path).symlink_to("a.txt")
    (made.top / "c.txt").write_text("c\n")
    assert leave_place(RUN) == made
    for end in (worktrees.keep, worktrees.merge):
        with pytest.raises(ConfigError, match=re.escape(f"cannot be committed: git has no way to keep {path}.")):
            end(made, loses=True)
    assert os.path.lexists(made.top / path)
    assert git(project, "rev-parse", made.branch) == made.base
    assert worktrees.remove(made).endswith("lost: 2 uncommitted files.")


def test_what_git_cannot_look_into_is_not_lost_unasked(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    deepest = made.top
    above: list[int] = []
    while len(os.fspath(deepest)) <= LONGEST_PATH:
        above.append(os.open(deepest.name if above else deepest, os.O_RDONLY, dir_fd=above[-1] if above else None))
        deepest /= "d" * 200
        os.mkdir(deepest.name, dir_fd=above[-1])
    for folder in above:
        os.close(folder)
    assert leave_place(RUN) == made
    [lost] = ending.loss_of(made).uncommitted
    assert lost.endswith(f"/{deepest.name}")
    with pytest.raises(ConfigError, match="closed folders"):
        worktrees.merge(made)
    assert worktrees.remove(made).endswith("lost: 1 uncommitted file.")
    assert not made.top.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="no folder is closed to root")
def test_nor_is_what_is_in_a_closed_folder(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "result").mkdir()
    (made.top / "result" / "found.txt").write_text("hours of work\n")
    (made.top / "result").chmod(0)
    assert leave_place(RUN) == made
    assert ending.loss_of(made).uncommitted == ("result",)
    (made.top / "result").chmod(0o700)


def test_a_folder_in_the_place_of_a_file_is_kept(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "a.txt").unlink()
    (made.top / "a.txt").mkdir()
    (made.top / "a.txt/inner").write_text("mine\n")
    tip = ending.keep(made, "all of it")
    assert git(project, "show", f"{tip}:a.txt/inner") == "mine"
    assert not made.top.exists()


@pytest.mark.explore
def test_commits_of_a_submodule_that_only_its_worktree_has_are_not_lost_once_they_are_recorded(
    project: Path, tmp_path: Path
) -> None:
    other = project_in(tmp_path / "other")
    fetches = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    git(project, *fetches, "add", str(other), "lib")
    commit(project, "with a submodule")
    made = make(RUN, "fixer", project).worktree
    git(made.top, *fetches, "update", "--init")
    commit(made.top / "lib", "only there", a__txt="committed\n")
    project_in(made.top / "inner")
    commit(made.top, "with both")  # which records of each the commit alone
    assert set(ending.loss_of(made).uncommitted) == {"inner", "lib"}
    with pytest.raises(ConfigError, match="as in submodules and closed folders: inner, lib"):
        ending.keep(made, "all of it")
    git(made.top / "lib", "push", "--quiet", "origin", "HEAD:refs/heads/more")
    assert ending.loss_of(made).uncommitted == ("inner",)
    ending.remove(made)
