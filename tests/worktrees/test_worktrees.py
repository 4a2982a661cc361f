"""Worktrees of runs, on repositories as they are: dirty, detached, with submodules, filters, hooks, or nothing."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.standing import RuleBook, project_file, user_file
from maverick_tui.git import making as repositories
from maverick_tui.worktrees import ending, records
from maverick_tui.worktrees.making import make, make_again
from tests.worktrees.projects import commit, git, project_in, spoil, state

RUN = "0123456789ab"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path / "shop")


def test_a_worktree_is_made_of_the_commit_that_is_checked_out_and_removed_without_a_trace(project: Path) -> None:
    before = state(project)
    (project / "src").mkdir()
    made, told = make(RUN, "Fix it!", project / "src")
    assert (made.branch, made.onto, made.folder) == ("maverick/Fix-it-01234567", "main", "src")
    assert made.cwd.is_dir()
    assert (made.top / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert git(made.top, "branch", "--show-current") == made.branch
    assert told == ()
    assert records.worktree_at(made.cwd) == made == records.worktree_of(RUN)
    assert ending.is_unchanged(made)
    assert not ending.loss_of(made)
    ending.remove(made)
    assert not made.top.exists()
    assert state(project) == before
    gone = records.worktree_of(RUN)
    assert gone is not None
    assert gone.became == "removed"


def test_what_is_uncommitted_stays_behind_or_comes_along(project: Path) -> None:
    (project / "a.txt").write_text("changed\n")
    (project / "b.txt").unlink()
    (project / "new.txt").write_text("new\n")
    before = state(project)
    made, told = make(RUN, "fixer", project)
    assert told == ("3 uncommitted files of the project are not in the worktree: a.txt, b.txt, new.txt.",)
    assert (made.top / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert not (made.top / "new.txt").exists()
    ending.remove(made)
    made, told = make(RUN, "fixer", project, brings_changes=True)
    assert told == ("3 uncommitted files of the project came along, uncommitted.",)
    assert git(made.top, "status", "--porcelain") == git(project, "status", "--porcelain")
    assert ending.loss_of(made).words == "3 uncommitted files"
    ending.remove(made)
    assert state(project) == before


def test_nothing_comes_along_through_a_link_of_the_commit(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "dir").symlink_to(outside)
    commit(project)
    git(project, "update-index", "--skip-worktree", "dir")  # so that git does not tell of its end
    (project / "dir").unlink()
    (project / "dir").mkdir()
    (project / "dir" / ".profile").write_text("evil\n")
    _, told = make(RUN, "fixer", project, brings_changes=True)
    assert list(outside.iterdir()) == []
    assert any("a link leads to its place" in words for words in told)


def test_a_run_does_not_work_where_a_link_of_the_commit_leads(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "sub").symlink_to(outside)
    commit(project)
    (project / "sub").unlink()
    (project / "sub").mkdir()
    before = state(project)
    with pytest.raises(ConfigError, match="is a link in the commit"):
        make(RUN, "fixer", project / "sub")
    assert state(project) == before
    made = make(RUN, "fixer", project).worktree
    assert made.cwd == made.top


@pytest.mark.parametrize("whose", ["person", "project"])
def test_what_is_denied_in_the_project_is_denied_there_and_in_its_worktree(whose: str, project: Path) -> None:
    (project / ".env").write_text("TOKEN=1\n")
    file = user_file() if whose == "person" else project_file(project)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('deny = ["Read(.env)"]\n')
    made = make(RUN, "fixer", project).worktree
    judge = Judge(["Read", "Bash", "Grep"], made.cwd, person=True, standing=RuleBook(made.cwd))
    for place in (project, made.top):
        assert judge.judge("Read", {"file_path": str(place / ".env")}).decision == "deny"
        assert judge.judge("Bash", {"command": f"cat {place}/.env"}).decision == "deny"
    assert judge.judge("Grep", {"pattern": "x", "path": str(project)}).decision != "allow"
    assert judge.judge("Read", {"file_path": str(project / "a.txt")}).decision == "allow"


def test_what_git_ignores_is_told_before_it_is_lost_and_not_written_over(project: Path) -> None:
    commit(project, __gitignore=".env\nout/\n")
    (project / ".env").write_text("mine\n")
    made = make(RUN, "fixer", project).worktree
    (made.top / "out").mkdir()
    (made.top / "out" / "result").write_text("work of an hour\n")
    assert ending.loss_of(made).words == "what git ignores: out/"
    assert not ending.is_unchanged(made)
    (made.top / ".env").write_text("other\n")
    git(made.top, "add", "--force", ".env")
    with pytest.raises(ConfigError):
        ending.merge(made, "m")
    assert (project / ".env").read_text() == "mine\n"


def test_what_is_protected_in_the_project_is_protected_in_its_worktree(home: Path) -> None:
    dotfiles = project_in(home / "kept")
    making_link = home / ".bashrc"
    (dotfiles / "bashrc").write_text("alias\n")
    commit(dotfiles)
    making_link.symlink_to(dotfiles / "bashrc")
    made = make(RUN, "fixer", dotfiles).worktree
    assert Places(made.cwd).why_not_to_write("bashrc")
    assert Places(made.cwd).why_not_to_write("a.txt") == ""


def test_a_detached_head_is_branched_from(project: Path) -> None:
    first = git(project, "rev-parse", "HEAD")
    commit(project, c__txt="c\n")
    git(project, "checkout", "--quiet", "--detach", first)
    made = make(RUN, "fixer", project).worktree
    assert (made.base, made.onto) == (first, "")
    (made.top / "d.txt").write_text("d\n")
    told = ending.merge(made, "d").told
    assert (project / "d.txt").read_text() == "d\n"
    assert git(project, "rev-parse", "HEAD")[:7] in told
    assert git(project, "branch", "--format=%(refname:short)").splitlines()[1:] == ["main"]


def test_without_commits_or_a_repository_there_is_none(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigError, match="is in no git repository"):
        make(RUN, "fixer", empty)
    repositories.init(empty, "main")
    with pytest.raises(ConfigError, match="has no commits yet"):
        make(RUN, "fixer", empty)
    assert records.worktree_of(RUN) is None


def test_neither_hooks_nor_filters_run_and_what_that_means_is_told(project: Path, tmp_path: Path) -> None:
    trace = spoil(project, tmp_path)
    made, told = make(RUN, "fixer", project)
    assert told == (
        "Submodules are empty in the worktree, for nothing is fetched: lib.",
        "1 file stands in the worktree as it is stored, for filters are not run: large.",
    )
    assert (made.top / "big.bin").read_text() == "oid 1\n"
    (made.top / "a.txt").write_text("changed\n")
    ending.commit_all(made, "changed")
    assert ending.merge(made, "changed").told.endswith("No hook of the repository ran.")
    assert (project / "a.txt").read_text() == "changed\n"
    made = make(RUN, "fixer", project).worktree
    (made.top / "big.bin").write_text("oid 2\n")
    with pytest.raises(ConfigError, match=r"go through a filter, which is not run: big\.bin") as refused:
        ending.merge(made, "large")
    assert "maverick worktree keep 0123456789ab" in refused.value.hint
    ending.keep(made, "large")
    assert not trace.exists()


@pytest.mark.parametrize("condition", ["onbranch:maverick/**", "gitdir:**/worktrees/**"])
def test_a_filter_that_only_a_worktree_has_does_not_run(condition: str, project: Path, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    commit(project, __gitattributes="*.txt filter=large\n")
    git(project, "config", f"includeIf.{condition}.path", "inner")
    git(project, "config", "--file", ".git/inner", "filter.large.smudge", f"echo smudge >> {trace}; cat")
    made, told = make(RUN, "fixer", project)
    assert told == ("2 files stand as they are stored, for filters are not run: large.",)
    (made.top / "a.txt").write_text("changed\n")
    ending.keep(made, "changed")
    again = make_again(made)
    assert again is not None
    assert (again.worktree.top / "a.txt").read_text() == "changed\n"
    ending.remove(again.worktree)
    assert not trace.exists()


def test_what_settings_name_on_any_condition_is_off_while_git_makes_a_worktree(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer gits run hooks that settings name, also the git that `git worktree add` starts in the new one."""
    told = tmp_path / "told"
    shim, real = tmp_path / "bin" / "git", shutil.which("git")
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\ncase "$*" in *"worktree add"*) env > {told};; esac\nexec {real} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent), prepend=os.pathsep)
    git(project, "config", "includeIf.onbranch:maverick/**.path", "one")
    git(project, "config", "--file", ".git/one", "includeIf.gitdir:**/worktrees/**.path", "two")
    git(project, "config", "--file", ".git/two", "hook.evil.command", "touch ran")
    make(RUN, "fixer", project)
    assert "=hook.evil.enabled\n" in told.read_text()


def test_a_worktree_whose_settings_cannot_be_read_is_not_made(project: Path) -> None:
    before = state(project)
    git(project, "config", "includeIf.onbranch:maverick/**.path", "inner")
    (project / ".git" / "inner").write_text("[broken")
    with pytest.raises(ConfigError, match="it includes settings that cannot be read"):
        make(RUN, "fixer", project)
    assert state(project) == before
    assert records.worktree_of(RUN) is None


def test_files_of_another_folder_are_not_changed_whatever_the_repository_says(project: Path, tmp_path: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "a.txt").write_text("changed\n")
    home = tmp_path / "elsewhere"
    home.mkdir()
    git(project, "update-index", "--skip-worktree", "a.txt", "b.txt")
    git(project, "config", "core.worktree", str(home))
    with pytest.raises(ConfigError, match=r"its setting core\.worktree leads to .*elsewhere"):
        ending.merge(made, "changed")
    assert list(home.iterdir()) == []
    git(project, "config", "core.worktree", str(project))
    assert ending.merge(made, "changed").commit


def test_submodules_are_told_of_and_not_touched(project: Path, tmp_path: Path) -> None:
    other = project_in(tmp_path / "other")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    commit(project)
    made, told = make(RUN, "fixer", project)
    assert told == ("Submodules are empty in the worktree, for nothing is fetched: lib.",)
    assert not any((made.top / "lib").iterdir())
    assert not ending.loss_of(made)
    (made.top / "a.txt").write_text("changed\n")
    assert ending.merge(made, "changed")
    assert (project / "lib" / "a.txt").exists()
    assert git(project, "status", "--porcelain") == ""
    newer = commit(other, c__txt="c\n")
    made = make(RUN, "fixer", project).worktree
    git(made.top, "update-index", "--cacheinfo", f"160000,{newer},lib")
    git(made.top, "commit", "--quiet", "-m", "newer")
    with pytest.raises(ConfigError, match="submodules change: lib"):
        ending.merge(made, "newer")
    ending.remove(made)
    assert git(project, "worktree", "list").count("\n") == 0


def test_it_is_merged_beside_what_was_committed_meanwhile(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "b.txt").write_text("better\n")
    (made.top / "new.txt").write_text("new\n")
    theirs = commit(project, a__txt="one\n2\nthree\n")
    (project / "untracked.txt").write_text("mine\n")
    assert ending.merge(made, "Better").told.startswith("main is at ")
    assert (
        git(project, "log", "--format=%s %an", "-2").splitlines()[0]
        == "Merge branch 'maverick/fixer-01234567' Maverick"
    )
    assert git(project, "rev-parse", "HEAD^1") == theirs
    assert ((project / "b.txt").read_text(), (project / "a.txt").read_text()) == ("better\n", "one\n2\nthree\n")
    assert git(project, "status", "--porcelain") == "?? untracked.txt"
    assert git(project, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_what_cannot_be_merged_cleanly_leaves_the_project_as_it_was_and_can_be_kept(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "a.txt").write_text("one\nours\nthree\n")
    (made.top / "new.txt").write_text("new\n")
    commit(project, a__txt="one\ntheirs\nthree\n")
    before = git(project, "rev-parse", "main")
    with pytest.raises(ConfigError, match=r"it conflicts in a\.txt"):
        ending.merge(made, "ours")
    git(project, "reset", "--hard", "--quiet", "HEAD~1")
    (project / "b.txt").write_text("mine\n")
    with pytest.raises(ConfigError, match=r"1 file is changed and not committed in .*shop: b\.txt"):
        ending.merge(made, "ours")
    git(project, "checkout", "--quiet", "b.txt")
    (project / "new.txt").write_text("mine, and untracked\n")
    with pytest.raises(ConfigError, match="untracked working tree files would be overwritten"):
        ending.merge(made, "ours")
    assert (project / "new.txt").read_text() == "mine, and untracked\n"
    (project / ".git" / "MERGE_HEAD").write_text(f"{before}\n")
    with pytest.raises(ConfigError, match="a merge is not finished"):
        ending.merge(made, "ours")
    assert ending.loss_of(made).words == "1 commit that no other branch has"
    assert ending.changed_by(made).words == "2 files, +2 -1"
    assert "+ours" in ending.diff_of(made)
    tip = ending.keep(made, "ours")
    assert git(project, "rev-parse", made.branch) == tip
    assert not made.top.exists()
    kept = records.worktree_of(RUN)
    assert kept is not None
    assert (kept.became, kept.tip) == ("kept", tip)
    again = make_again(kept)
    assert again is not None
    assert again.told == (
        f"Its worktree was gone and is made again, from its branch {made.branch}. What was not committed is not in it.",
    )
    assert (made.top / "a.txt").read_text() == "one\nours\nthree\n"
    (project / ".git" / "MERGE_HEAD").unlink()
    (project / "new.txt").unlink()
    ending.keep(made, "ours")
    git(project, "checkout", "--quiet", made.branch)
    other = make_again(kept)
    assert other is not None
    assert other.worktree.branch == f"{made.branch}-2"


def test_it_is_made_again_from_its_last_commit_as_long_as_there_is_one(project: Path, tmp_path: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    commit(made.top, c__txt="c\n")
    ending.remove(made)
    gone = records.worktree_of(RUN)
    assert gone is not None
    again = make_again(gone)
    assert again is not None
    assert (again.worktree.top / "c.txt").exists()
    assert "from the commit" in again.told[0]
    ending.remove(again.worktree)
    project.rename(tmp_path / "elsewhere")
    assert make_again(gone) is None


def test_nothing_is_lost_where_a_run_has_left_its_branch_or_made_a_repository(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    git(made.top, "checkout", "--quiet", "--detach")
    tip = commit(made.top, c__txt="c\n")
    assert ending.loss_of(made).commits == 1
    assert ending.commit_all(made, "c") == tip
    assert git(project, "rev-parse", made.branch) == tip
    git(made.top, "checkout", "--quiet", "--detach", made.base)
    with pytest.raises(ConfigError, match="is not of maverick/fixer-01234567"):
        ending.keep(made, "c")
    git(made.top, "checkout", "--quiet", made.branch)
    project_in(made.top / "inner")
    with pytest.raises(ConfigError, match="repositories of their own in it: inner/"):
        ending.keep(made, "c")
    assert made.top.exists()


def test_a_branch_that_somebody_works_on_stays_and_only_worktrees_are_ever_removed(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    commit(made.top, c__txt="c\n")
    ending.keep(made, "c")
    git(project, "checkout", "--quiet", made.branch)
    assert ending.merge(made, "c").told == "All of it was there already."
    assert git(project, "branch", "--show-current") == made.branch
    records.write(replace(made, path=str(project)))
    assert records.worktree_of(RUN) is None
