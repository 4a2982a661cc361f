"""Worktrees of runs, on repositories as they are: dirty, detached, with submodules, filters, hooks, or nothing."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import ConfigError
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.standing import RuleBook, project_file, user_file
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.git import making as repositories
from maverick_tui.git.asking import find_git
from maverick_tui.git.keeping import differences
from maverick_tui.git.programs import programs_named, started_by_settings
from maverick_tui.host import worktrees
from maverick_tui.host.racing import Entrant, Race
from maverick_tui.runs.placing import Wish, find_place, leave_place
from maverick_tui.ui.race.rows import Lane, lane_text
from maverick_tui.worktrees import ending, making, races, records, since
from maverick_tui.worktrees.making import make, make_again
from maverick_tui.worktrees.removing import discard, forget_place, remove_tree
from maverick_tui.worktrees.work import Work
from tests.support.cases import each
from tests.support.deep import dug
from tests.support.sampling import sampled
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


def test_folders_that_may_not_be_written_to_are_removed_with_it_and_what_links_lead_to_stays(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = make(RUN, "fixer", project)
    elsewhere, inner = tmp_path / "elsewhere", made.top / "modules/inner"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    elsewhere.mkdir(mode=0o500)
    (made.top / "modules/link").symlink_to(elsewhere)
    inner.chmod(0)
    inner.parent.chmod(0o500)
    project.rename(tmp_path / "gone")  # or git would remove it, whom no permission stops if we are root
    really = shutil.rmtree

    def as_any_user(path: Path, *, ignore_errors: bool) -> None:
        closed = [one for one in path.rglob("*/") if not one.is_symlink() and one.stat().st_mode & 0o700 != 0o700]
        if not closed:
            really(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", as_any_user)
    remove_tree(made)
    assert not made.top.exists()
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o500


def test_who_removes_one_is_told_that_it_is_still_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = make(RUN, "fixer", project)
    monkeypatch.setattr(ending, "remove_tree", lambda _worktree: None)
    with pytest.raises(ConfigError, match="could be removed"):
        worktrees.remove(made)


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


@each("staged", [False, True])
def test_what_has_become_another_kind_of_file_comes_along_as_that(staged: bool, tmp_path: Path) -> None:
    project = project_in(tmp_path / f"staged-{staged}")
    for folder in ("dir/inner", "linked", "outside"):
        (project / folder).mkdir(parents=True)
        (project / folder / "x").write_text("x\n")
    (project / "link").symlink_to("a.txt")
    commit(project)
    for folder in ("dir", "linked"):
        shutil.rmtree(project / folder)
    (project / "dir").write_text("now a file\n")
    (project / "linked").symlink_to("outside")
    for name in ("b.txt", "link"):
        (project / name).unlink()
        (project / name).mkdir()
        (project / name / "y").write_text("y\n")
    git(project, *(["add", "--all"] if staged else ["status"]))
    made, told = make(RUN, "fixer", project, brings_changes=True)
    assert told == ("8 uncommitted files of the project came along, uncommitted.",)
    assert (made.top / "dir").read_text() == "now a file\n"
    assert (made.top / "linked").readlink() == Path("outside")
    assert [(made.top / name / "y").read_text() for name in ("b.txt", "link")] == ["y\n", "y\n"]
    git(project, "reset", "--quiet")
    assert git(made.top, "status", "--porcelain") == git(project, "status", "--porcelain")
    discard(made)


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
    with pytest.raises(ConfigError, match="is a link, or behind one"):
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
    assert ending.loss_of(made).words == "what git ignores (out/)"
    assert not ending.is_unchanged(made)
    (made.top / ".env").write_text("other\n")
    git(made.top, "add", "--force", ".env")
    with pytest.raises(ConfigError):
        ending.merge(made, "m")
    assert (project / ".env").read_text() == "mine\n"


def test_a_worktree_stays_with_what_no_commit_has_until_that_may_be_lost(project: Path) -> None:
    commit(project, __gitignore="*\n!*.txt\n!*/\n!.gitignore\n")
    made = make(RUN, "fixer", project).worktree
    (made.top / "src").mkdir()
    (made.top / "src" / "model.py").write_text("an hour of work\n")
    (made.top / "a.txt").write_text("better\n")
    told = worktrees.keep(made)
    assert f"Its worktree stays in {made.path}: no commit has what git ignores (src/)." in told
    assert (made.top / "src" / "model.py").read_text() == "an hour of work\n"
    assert git(project, "show", f"{made.branch}:a.txt") == "better"
    assert worktrees.keep(made, loses=True).startswith("All of it is on the branch")
    assert not made.top.exists()
    assert ending.has_branch(made)


def test_nothing_is_lost_and_nothing_merged_but_what_was_told(project: Path) -> None:
    commit(project, __gitignore="*.py\n")
    made = make(RUN, "fixer", project).worktree
    (made.top / "a.txt").write_text("better\n")
    (made.top / "old.py").write_text("told of\n")
    told = ending.loss_of(made).paths_in_no_commit
    assert told == ("old.py",)
    (made.top / "late.py").write_text("an hour of work\n")  # while the question stood
    before = git(project, "rev-parse", "HEAD")
    git(project, "checkout", "-q", "-b", "precious")
    with pytest.raises(ConfigError, match=r"precious is checked out in .* now, and not main"):
        worktrees.merge(made, loses=told, onto="main")
    assert git(project, "rev-parse", "HEAD") == before
    git(project, "checkout", "-q", "main")
    assert "no commit has what git ignores (late.py, old.py)" in worktrees.merge(made, loses=told, onto="main")
    assert (made.top / "late.py").read_text() == "an hour of work\n"
    assert git(project, "show", "main:a.txt") == "better"
    worktrees.keep(made, loses=ending.loss_of(made).paths_in_no_commit)
    assert not made.top.exists()


def test_a_worktree_with_nothing_but_caches_goes_by_itself(project: Path) -> None:
    commit(project, __gitignore="*.pyc\nnode_modules\n")
    made = make(RUN, "fixer", project).worktree
    for cache in ("pkg/__pycache__", "node_modules"):
        (made.top / cache).mkdir(parents=True)
        (made.top / cache / "a.pyc").write_text("made anew\n")
    assert leave_place(RUN) is None
    assert not made.top.exists()


def test_what_is_protected_in_the_project_is_protected_in_its_worktree(home: Path) -> None:
    dotfiles = project_in(home / "kept")
    making_link = home / ".bashrc"
    (dotfiles / "bashrc").write_text("alias\n")
    commit(dotfiles)
    making_link.symlink_to(dotfiles / "bashrc")
    made = make(RUN, "fixer", dotfiles).worktree
    (dotfiles / ".vscode").symlink_to("editor")  # which is not committed
    assert Places(Surroundings(made.cwd)).why_not_to_write("bashrc")
    assert Places(Surroundings(made.cwd)).why_not_to_write("editor/tasks.json")
    assert Places(Surroundings(made.cwd)).why_not_to_write("a.txt") == ""


def test_what_shells_read_of_the_project_is_protected_in_its_worktree(home: Path) -> None:
    project = project_in(home / "shop")
    (home / ".bashrc").write_text(". ~/shop/env.sh\n")
    made = make(RUN, "fixer", project).worktree
    for folder in (project, made.cwd):
        assert Places(Surroundings(folder)).why_not_to_write("env.sh").endswith("is read by your shell when it starts.")
        assert Places(Surroundings(folder)).why_not_to_write("a.txt") == ""


def test_what_runs_in_the_project_is_not_edited_unasked_in_its_worktree(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project / "bin"), prepend=os.pathsep)
    git(project, "config", "core.hooksPath", str(project / "hooks"))
    made = make(RUN, "fixer", project).worktree
    git(project, "config", "extensions.worktreeConfig", "true")
    git(project, "config", "--worktree", "core.fsmonitor", "./watch")  # which counts in the project alone
    for folder in (project, made.cwd):
        judge = Judge(["Write"], folder, person=True, git_starts=started_by_settings, started=[f"{project}/hk"])
        asked = {
            file: judge.judge("Write", {"file_path": str(folder / file), "content": ""}, mode="acceptEdits").decision
            for file in ("bin/ls", "hk", "hooks/pre-commit", "watch", "a.txt")
        }
        assert asked == {"bin/ls": "ask", "hk": "ask", "hooks/pre-commit": "ask", "watch": "ask", "a.txt": "allow"}


def test_a_detached_head_is_branched_from_and_what_is_merged_there_stays_on_its_branch(project: Path) -> None:
    first = git(project, "rev-parse", "HEAD")
    commit(project, c__txt="c\n")
    git(project, "checkout", "--quiet", "--detach", first)
    made = make(RUN, "fixer", project).worktree
    assert (made.base, made.onto) == (first, "")
    (made.top / "d.txt").write_text("d\n")
    told = ending.merge(made, "d").told
    assert (project / "d.txt").read_text() == "d\n"
    tip = git(project, "rev-parse", "HEAD")
    assert told == (
        f"HEAD, which is detached, is at {tip[:7]} now. No hook of the repository ran. "
        f"The branch {made.branch} stays: no other one has that."
    )
    assert git(project, "rev-parse", made.branch) == tip
    assert not made.top.exists()
    kept = records.worktree_of(RUN)
    assert kept is not None
    assert ending.merge(kept, "d").told == (
        f"All of it was there already. The branch {made.branch} stays: no other one has that."
    )
    git(project, "branch", "mine")
    assert ending.merge_committed(kept).told == "All of it was there already."
    assert git(project, "branch", "--format=%(refname:short)").splitlines()[1:] == ["main", "mine"]


def test_what_is_merged_at_a_detached_head_stays_on_its_branch_after_a_race(project: Path) -> None:
    git(project, "checkout", "--quiet", "--detach")
    race = Race([Entrant(1, RUN, "fixer")])
    with race.running():
        made = make(RUN, "fixer", project, race=race.race_id).worktree
        (made.top / "d.txt").write_text("d\n")
        ending.merge(made, "d")
    assert git(project, "rev-parse", made.branch) == git(project, "rev-parse", "HEAD")


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


@pytest.mark.explore
@pytest.mark.parametrize("condition", sampled(["onbranch:maverick/**", "gitdir:**/worktrees/**"], 2))
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


@pytest.mark.parametrize("link", ["logs/HEAD", "logs/refs/heads/maverick", "logs", "worktrees", "refs/heads/maverick"])
def test_git_writes_through_no_link_of_a_repository(link: str, project: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    place = project / ".git" / link
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        place.rename(tmp_path / "before")
    place.unlink(missing_ok=True)
    place.symlink_to(theirs / ".bashrc" if link == "logs/HEAD" else theirs)
    with pytest.raises(ConfigError, match=f"{link} is a link, and git would write where it leads"):
        make(RUN, "fixer", project)
    assert list(theirs.iterdir()) == []


@pytest.mark.parametrize("leads", ["file", "link", "commondir", "commondir and back"])
def test_a_folder_does_not_have_the_repository_of_another_one_changed(
    leads: str, project: Path, tmp_path: Path
) -> None:
    clone = project_in(tmp_path / "clone")
    if leads.startswith("commondir"):
        (clone / ".git" / "commondir").write_text(f"{project}/.git\n")
    else:
        (clone / ".git").rename(tmp_path / "before")
    if leads == "file":
        (clone / ".git").write_text(f"gitdir: {project}/.git\n")
    if leads == "link":
        (clone / ".git").symlink_to(project / ".git")
    if leads == "commondir and back":  # as if it was a worktree
        (clone / ".git" / "gitdir").write_text(".\n")
    before = state(project)
    assert programs_named(clone)
    with pytest.raises(ConfigError, match="belongs to another folder"):
        make(RUN, "fixer", clone)
    assert state(project) == before


@pytest.mark.parametrize("lacks", ["HEAD", "refs"])
def test_what_is_no_repository_to_git_does_not_have_the_one_around_it_changed(lacks: str, project: Path) -> None:
    clone = project_in(project / "clone")
    if lacks == "HEAD":
        (clone / ".git" / "HEAD").write_text("ref: nowhere\n")
    else:
        (clone / ".git" / "refs").rename(clone / ".git" / "others")
    before = state(project)
    with pytest.raises(ConfigError, match="git takes another folder for its repository"):
        make(RUN, "fixer", clone)
    assert state(project) == before


@pytest.mark.explore
def test_a_repository_apart_from_its_folder_and_a_worktree_of_the_persons_have_worktrees(
    project: Path, tmp_path: Path
) -> None:
    git(project, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    git(tmp_path, "init", "--quiet", f"--separate-git-dir={tmp_path / 'apart'}", str(tmp_path / "work"))
    commit(tmp_path / "work", a__txt="a\n")
    for number, folder in enumerate(("side", "work")):
        made = make(f"0123456789a{number}", "fixer", tmp_path / folder).worktree
        (made.top / "a.txt").write_text("changed\n")
        ending.merge(made, "m")
        assert (tmp_path / folder / "a.txt").read_text() == "changed\n"


@pytest.mark.parametrize("option", sampled(["--strategy=ours", "--squash"], 2))
def test_a_merge_takes_no_options_of_the_repository(option: str, project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    commit(project, "meanwhile", c__txt="c\n")
    (made.top / "a.txt").write_text("changed\n")
    git(project, "config", "branch.main.mergeOptions", option)
    assert ending.merge(made, "changed").commit == git(project, "rev-parse", "HEAD")
    assert (project / "a.txt").read_text() == "changed\n"


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


def test_a_folder_that_has_become_a_link_is_committed_as_one(project: Path, tmp_path: Path) -> None:
    for place in (project / "inner", tmp_path / "elsewhere"):
        place.mkdir()
        (place / "x.txt").write_text("x\n")
    commit(project)
    made = make(RUN, "fixer", project).worktree
    shutil.rmtree(made.top / "inner")
    (made.top / "inner").symlink_to(tmp_path / "elsewhere")
    git(made.top, "rm", "--quiet", "--cached", "a.txt")
    ending.merge(made, "linked")
    assert (project / "inner").readlink() == tmp_path / "elsewhere"
    assert git(project, "ls-files") == "a.txt\nb.txt\ninner"
    assert (tmp_path / "elsewhere" / "x.txt").exists()


def test_what_was_only_taken_out_of_the_index_stays_in_the_project(project: Path) -> None:
    (project / ".env").write_text("A=1\n")
    commit(project)
    made = make(RUN, "fixer", project).worktree
    (made.top / ".gitignore").write_text(".env\n")
    git(made.top, "rm", "--quiet", "--cached", ".env")
    ending.merge(made, "Ignore it")
    assert (project / ".env").read_text() == "A=1\n"


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
    for begun in ("MERGE_HEAD", "MERGE_AUTOSTASH"):
        (project / ".git" / begun).write_text(f"{before}\n")
        with pytest.raises(ConfigError, match="a merge is not finished"):
            ending.merge(made, "ours")
        (project / ".git" / begun).unlink()
    git(project, "bisect", "start")
    with pytest.raises(ConfigError, match="a bisect is not finished"):
        ending.merge(made, "ours")
    git(project, "bisect", "reset")
    (project / ".git" / "sequencer").mkdir()
    with pytest.raises(ConfigError, match="a cherry-pick or revert is not finished"):
        ending.merge(made, "ours")
    (project / ".git" / "sequencer").rmdir()
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
    (project / "new.txt").unlink()
    ending.keep(made, "ours")
    git(project, "checkout", "--quiet", made.branch)
    other = make_again(kept)
    assert other is not None
    assert other.worktree.branch == f"{made.branch}-2"


def test_what_it_has_changed_is_counted_and_shown_whatever_its_attributes_say(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / ".gitattributes").write_text("* -diff\n")
    (made.top / "a.txt").write_text("ours\n")
    (made.top / "picture").write_bytes(b"\0")
    ending.commit_all(made, "work")
    for is_there in (True, False):  # git asks its index where the file is gone
        assert (made.top / ".gitattributes").exists() is is_there
        assert ending.changed_by(made).words == "3 files, +2 -3"
        assert "\n+ours" in ending.diff_of(made)
        assert "Binary files /dev/null and b/picture differ" in ending.diff_of(made)
        (made.top / ".gitattributes").unlink(missing_ok=True)


def test_nor_do_attributes_and_settings_of_the_repository_hide_any_of_it(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "attributes").write_text("* -diff\n")
    (made.top / "a.txt").write_text("ours\n")
    ending.commit_all(made, "work")
    info = project / ".git" / "info" / "attributes"
    for by in ("info", "core.attributesFile", "core.bigFileThreshold"):
        if by == "info":
            info.parent.mkdir(exist_ok=True)
            info.write_text("* -diff\n")
        else:
            info.unlink(missing_ok=True)
            git(project, "config", by, str(made.top / "attributes") if by == "core.attributesFile" else "1")
        assert ending.changed_by(made).words == "2 files, +2 -3", by
        assert "\n+ours" in ending.diff_of(made), by


@pytest.mark.parametrize("objects", ["sha1", "sha256"])
def test_differences_are_told_in_a_repository_of_either_kind(objects: str, tmp_path: Path) -> None:
    folder = tmp_path / "some: thing"
    folder.mkdir()
    git(folder, "init", "--quiet", f"--object-format={objects}")
    one, other = commit(folder, a__txt="one\n"), commit(folder, a__txt="two\n")
    assert b"\n+two" in differences(folder, one, other, "-p")


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


def test_a_conflict_that_is_in_no_file_is_one(project: Path) -> None:
    (project / "z").mkdir()
    commit(project, **{f"z/{name}": f"{name}\n" * 20 for name in "abcd"})
    made = make(RUN, "fixer", project).worktree
    for name, folder in zip("abcd", "xxyy", strict=True):
        (made.top / folder).mkdir(exist_ok=True)
        (made.top / "z" / name).rename(made.top / folder / name)
    commit(project, **{"z/new": "new\n"})
    with pytest.raises(ConfigError, match=r"it conflicts \(git says: CONFLICT \(directory rename split\)"):
        worktrees.merge(made)
    assert made.top.exists()


@pytest.mark.parametrize("end", sampled([worktrees.keep, worktrees.merge], 2))
def test_what_is_saved_in_it_after_all_was_committed_stays(
    project: Path, end: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "c.txt").write_text("c\n")
    committed = ending.commit_all

    def commit_and_save(*about: Any) -> str:
        tip = committed(*about)
        (made.top / "notes.txt").write_text("mine\n")  # by an editor, a moment later
        return tip

    with monkeypatch.context() as patched:
        patched.setattr(ending, "commit_all", commit_and_save)
        told = end(made, loses=True)
    assert told.endswith(
        f"Its worktree stays in {made.path}, for what was done there since: notes.txt. `maverick worktree keep {RUN}` "
        "commits that."
    )
    assert (made.top / "notes.txt").exists()
    end(made, loses=True)
    assert not made.top.exists()
    assert git(project, "show", f"{made.branch if end is worktrees.keep else 'main'}:notes.txt") == "mine"


@pytest.mark.parametrize("is_a_repository", [False, True])
def test_nothing_goes_of_a_folder_that_is_no_worktree_of_the_project_any_more(
    project: Path, *, is_a_repository: bool
) -> None:
    made = make(RUN, "fixer", project).worktree
    (made.top / "c.txt").write_text("c\n")
    (made.top / ".git").unlink()  # as scripts do that make a project of a template
    if is_a_repository:
        git(made.top, "init", "--quiet")
        commit(made.top)
    assert leave_place(RUN) == made
    why = f"It cannot be told what would be lost: {made.path} is no worktree of {project} any more."
    assert ending.loss_of(made).words == why
    for end in (worktrees.keep, worktrees.merge):
        with pytest.raises(ConfigError, match="is no worktree of"):
            end(made, loses=True)
    assert (made.top / "c.txt").exists()
    if not is_a_repository:
        with pytest.raises(ConfigError, match="something else is there"):
            make_again(made)
    assert worktrees.remove(made).endswith(f"lost: {why}.")
    assert not made.top.exists()


def test_a_branch_that_somebody_works_on_stays_and_only_worktrees_are_ever_removed(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    commit(made.top, c__txt="c\n")
    ending.keep(made, "c")
    git(project, "checkout", "--quiet", made.branch)
    stays = f"The branch {made.branch} stays: no other one has that."
    assert ending.merge(made, "c").told == f"All of it was there already. {stays}"
    assert git(project, "branch", "--show-current") == made.branch
    records.write(replace(made, path=str(project)))
    assert records.worktree_of(RUN) is None


def test_a_name_that_is_taken_is_left_to_whoever_has_it_and_only_what_we_made_is_undone(project: Path) -> None:
    mine, name = commit(project, mine__txt="mine\n"), "maverick/fixer-01234567"
    git(project, "branch", name, mine)
    git(project, "reset", "--hard", "--quiet", "HEAD~1")
    first = make(RUN, "fixer", project).worktree
    assert (first.branch, first.top.name) == (f"{name}-2", "fixer-01234567-2")
    second = make(f"{RUN}0", "fixer", project).worktree  # whose id begins alike
    assert second.branch == f"{name}-3"
    assert first.is_there
    assert git(project, "rev-parse", name) == mine
    before, known = state(project), list(records.all_worktrees())
    (project / "out").symlink_to("..")
    commit(project)
    (project / "out").unlink()
    (project / "out").mkdir()
    with pytest.raises(ConfigError, match="is a link, or behind one"):
        make(f"{RUN}1", "fixer", project / "out")
    assert list(records.all_worktrees()) == known
    assert state(project)[3].replace(git(project, "rev-parse", "HEAD"), before[0]) == before[3]
    ending.remove(second)
    gone = records.worktree_of(second.run_id)
    assert gone is not None
    second.top.mkdir()
    (second.top / "theirs").write_text("theirs\n")
    with pytest.raises(ConfigError, match="something else is there"):
        make_again(gone)
    assert records.worktree_of(second.run_id) == gone
    assert (second.top / "theirs").exists()
    assert not ending.has_branch(gone)


def test_a_race_that_is_over_gets_no_worktree_any_more(project: Path) -> None:
    before = state(project)
    with pytest.raises(ConfigError, match="has ended"):
        make(RUN, "fixer", project, race="0123456789ff")
    assert state(project) == before
    assert records.worktree_of(RUN) is None


@contextmanager
def full_disk() -> Iterator[None]:
    """While nothing can be written by this process or what it starts; to rename and to remove needs no room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_is_still_being_made_when_a_run_of_a_killed_race_ends_is_removed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(project)
    with races.running("0123456789ff"):
        made = make(RUN, "fixer", project, race="0123456789ff").worktree
    records.forget(RUN)

    @contextmanager
    def after_the_maker(_folder: Path) -> Iterator[None]:
        records.write(made)  # whoever has the lock lets go of it now
        yield

    monkeypatch.setattr(races, "alone", after_the_maker)
    assert leave_place(RUN, "0123456789ff") is None
    assert state(project) == before
    assert not made.top.exists()


def test_a_run_that_goes_on_after_its_race_was_killed_keeps_its_worktree(project: Path) -> None:
    with races.running("0123456789ff"):
        made = make(RUN, "fixer", project, race="0123456789ff").worktree
        (made.top / "a.txt").write_text("work\n")
    assert find_place(Wish(RUN, is_new=False, had_one=True), "fixer", None, project).cwd == made.cwd
    left = leave_place(RUN)
    assert left is not None
    assert (left.top / "a.txt").read_text() == "work\n"
    assert races.tidy_up(lambda _one: False) == []


def test_whatever_goes_wrong_when_one_has_settled_is_told_as_its_problem(project: Path) -> None:
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other")], test=["true", "no\0text"])
    with race.running():
        make(RUN, "fixer", project, race=race.race_id)
        result = race.finish(race.entrants[0], "done")
    assert (result.word, result.problem) == ("failed", "ValueError: embedded null byte")


def test_no_test_of_a_race_runs_where_a_link_of_the_run_leads(project: Path, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other")], test=["sh", "-c", "rm -f *; touch here"])
    with race.running():
        made = [make(one.run_id, one.agent, project / "lib", race=race.race_id).worktree for one in race.entrants]
        shutil.rmtree(made[0].cwd)
        made[0].cwd.symlink_to(elsewhere)
        first, second = (race.finish(one, "done") for one in race.entrants)
    assert first.test is not None
    assert second.test is not None
    assert (first.test.code, first.test.why) == (None, "lib is a link, or behind one, and leads elsewhere")
    assert second.test.code == 0
    assert not list(elsewhere.iterdir())


@pytest.mark.explore
def test_a_full_disk_costs_no_winner_its_branch(project: Path) -> None:
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other"), Entrant(3, f"{RUN}3", "third")])
    before = state(project)
    with race.running():
        made = [make(one.run_id, one.agent, project, race=race.race_id).worktree for one in race.entrants]
        for worktree in made:
            (worktree.top / "a.txt").write_text("better\n")
        results = [race.finish(race.entrants[0], "done")._replace(problem="")]  # it has no journal
        with full_disk():
            results.append(race.finish(race.entrants[1], "done"))
            assert "cannot be" in results[1].problem or "failed" in results[1].problem
            with pytest.raises(ConfigError, match="but that cannot be noted"):
                race.keep(results[0])
            assert race.keep(results[1]).startswith(f"It stays in {made[1].path}: ")
    assert races.left_behind() == []
    winner, second = records.worktree_of(RUN), records.worktree_of(f"{RUN}2")
    assert winner is not None
    assert second is not None
    assert (winner.race, second.race) == ("", "")
    assert git(project, "show", f"{winner.branch}:a.txt") == "better"
    assert (second.top / "a.txt").read_text() == "better\n"
    assert [one.run_id for one in records.all_worktrees()] == [RUN, f"{RUN}2"]
    for worktree in (winner, second):
        ending.remove(worktree)
    assert state(project) == before


@pytest.mark.explore
def test_what_is_not_shown_of_a_long_diff_is_counted(project: Path) -> None:
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other")])
    with race.running():
        made = [make(one.run_id, one.agent, project, race=race.race_id).worktree for one in race.entrants]
        (made[0].top / "a.txt").write_text("longer than anybody reads\n" * 20_000)
        (made[1].top / "a.txt").write_text("a line\n" * 5_000)
        first, second = (race.finish(one, "done")._replace(problem="") for one in race.entrants)
    whole = 20_000 + len("diff index --- +++ @@ -one -two -three".split())
    for result in (first, second):
        lane = Lane(result.entrant, result.word, result=result)
        shown = ["".join(text for text, _ in line) for line in lane_text(lane, 60, shows_diff=True)][1:]
        count = whole if result is first else whole - 15_000
        assert " ".join(shown[4_000:]) == f"{count - 4_000:,} more lines: maverick runs diff {result.entrant.run_id}"
    assert first.to_json()["diff_more"] == whole - first.diff.count("\n") > 0
    assert second.to_json()["diff_more"] == 0


@pytest.mark.explore
def test_what_git_ignores_of_a_winner_stays_and_what_its_test_has_made_is_not_merged(project: Path) -> None:
    commit(project, __gitignore="*.py\n*.log\n")
    makes_litter = ["sh", "-c", "echo 1 > litter.txt; echo 1 > test.log"]
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other")], test=makes_litter)
    with race.running():
        made = [make(one.run_id, one.agent, project, race=race.race_id).worktree for one in race.entrants]
        for worktree in made:
            (worktree.top / "a.txt").write_text("better\n")
        (made[0].top / "model.py").write_text("an hour of work\n")
        first, second = (race.finish(one, "done")._replace(problem="") for one in race.entrants)  # they have no journal
        assert (first.to_json()["ignored"], second.to_json()["ignored"]) == (["model.py"], [])
        stays = f"Its worktree stays in {made[0].path}: no commit has what git ignores (model.py)."
        assert race.keep(first).startswith(f"It is on the branch {made[0].branch}. {stays}")
        told = race.merge(first)
        assert told.startswith("main is at ")
        assert stays in told
        assert race.keep(second) == f"It is on the branch {made[1].branch}."
    assert (made[0].top / "model.py").read_text() == "an hour of work\n"
    assert not made[1].top.exists()
    assert git(project, "show", "--format=", "--name-only", "HEAD") == "a.txt"


@pytest.mark.explore
def test_what_a_person_mends_in_a_race_before_they_choose_stays(project: Path) -> None:
    race = Race([Entrant(1, RUN, "fixer"), Entrant(2, f"{RUN}2", "other")], test=["sh", "-c", "echo 1 > litter.txt"])
    with race.running():
        made = [make(one.run_id, one.agent, project, race=race.race_id).worktree for one in race.entrants]
        for worktree in made:
            (worktree.top / "a.txt").write_text("better\n")
        first, second = (race.finish(one, "done")._replace(problem="") for one in race.entrants)  # they have no journal
        (made[0].top / "a.txt").write_text("better, and mended\n")
        (made[1].top / "mine.txt").write_text("mine\n")
        stays = f"Its worktree stays in {made[1].path}, for what was done there since: mine.txt."
        assert stays in race.keep(second)
        told = race.merge(first)
        assert told.startswith("main is at ")
        assert f"{made[0].path}, for what was done there since: a.txt." in told
    assert (made[0].top / "a.txt").read_text() == "better, and mended\n"
    assert (made[1].top / "mine.txt").read_text() == "mine\n"
    assert git(project, "show", "HEAD:a.txt") == "better"


@pytest.mark.explore
def test_what_a_person_mends_in_a_file_that_the_test_of_a_race_has_changed_stays(project: Path) -> None:
    commit(project, __gitignore="out/\n")
    formats = ["sh", "-c", "echo formatted >> a.txt; mkdir out; echo 1 > out/log; echo 1 > litter"]
    names = ("plain", "ignored", "deleted", "as it was")
    race = Race([Entrant(number, f"{RUN}{number}", "fixer") for number in range(len(names))], test=formats)
    with race.running():
        made = [make(one.run_id, one.agent, project, race=race.race_id).worktree for one in race.entrants]
        results = [race.finish(one, "done")._replace(problem="") for one in race.entrants]  # they have no journal
        plain, ignored, deleted, _ = (worktree.top for worktree in made)
        with (plain / "a.txt").open("r+") as file:  # of the same size
            file.write("ONE")
        (ignored / "out" / "log").write_text("2\n")
        (deleted / "a.txt").unlink()
        told = dict(zip(names, map(race.keep, results), strict=True))
    for name, path in {"plain": "a.txt", "ignored": "out/log", "deleted": "a.txt"}.items():
        assert f"for what was done there since: {path}." in told[name]
    assert told["as it was"] == f"It is on the branch {made[3].branch}."
    assert (plain / "a.txt").read_text().startswith("ONE")
    assert (ignored / "out" / "log").read_text() == "2\n"
    assert [worktree.top.exists() for worktree in made] == [True, True, True, False]


@pytest.mark.explore
@pytest.mark.parametrize("begun", ["merge", "rebase"])
def test_what_git_has_put_aside_until_something_is_finished_is_not_lost(begun: str, project: Path) -> None:
    commit(project, "second", c__txt="c\n")
    made = make(RUN, "fixer", project).worktree
    (made.top / "b.txt").write_text("hours of work\n")
    if begun == "rebase":  # it stops where HEAD was
        stops = "sequence.editor=sed -i.bak s/^pick/edit/"
        git(made.top, "-c", stops, "rebase", "--quiet", "--interactive", "--autostash", "HEAD~1")
    else:
        commit(project, "by the person", a__txt="person\n")
        git(made.top, "commit", "--quiet", "--allow-empty", "-m", "run")
        git(made.top, "merge", "--autostash", "--no-ff", "--no-commit", "main")
    assert (made.top / "b.txt").read_text() == "b\n"
    words = f"what git has put aside until a {begun} is finished"
    assert words in ending.loss_of(made).words
    assert not ending.is_unchanged(made)
    for become in (worktrees.keep, worktrees.merge):
        with pytest.raises(ConfigError, match=f"git has put files aside until a {begun} is finished"):
            become(made, loses=True)
    assert leave_place(RUN) == made
    git(made.top, begun, "--abort")
    assert (made.top / "b.txt").read_text() == "hours of work\n"
    assert "put aside" not in ending.loss_of(made).words
    worktrees.keep(made)
    assert git(project, "show", f"{made.branch}:b.txt") == "hours of work"


def test_work_that_git_does_not_tell_of_is_not_lost(project: Path, tmp_path: Path) -> None:
    other = project_in(tmp_path / "other")
    fetches = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    git(project, *fetches, "add", str(other), "lib")
    commit(project, "with a submodule")
    made = make(RUN, "fixer", project).worktree

    (made.top / "lib/new.txt").write_text("in an empty submodule\n")
    assert leave_place(RUN) == made
    assert ending.loss_of(made).uncommitted == ("lib",)
    with pytest.raises(ConfigError, match="as in submodules and closed folders: lib"):
        ending.keep(made, "all of it")
    (made.top / "lib/new.txt").unlink()
    git(made.top, *fetches, "update", "--init")
    assert Work(made).overlooked == ([], [])
    (made.top / "lib/a.txt").write_text("changed\n")
    assert Work(made).overlooked.changed == ["lib/a.txt"]
    git(made.top / "lib", "stash", "--quiet")
    assert Work(made).overlooked.changed == ["lib"]
    git(made.top / "lib", "stash", "drop", "--quiet")
    commit(made.top / "lib", "only there", a__txt="committed\n")
    assert Work(made).overlooked.changed == ["lib"]
    git(made.top, *fetches, "update")
    (tmp_path / "ignored").write_text("*.o\n")
    git(made.top / "lib", "config", "core.excludesFile", str(tmp_path / "ignored"))
    git(made.top / "lib", "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    (made.top / "lib/a.o").write_text("built\n")
    assert Work(made).overlooked == ([], ["lib/a.o"])
    assert not (tmp_path / "ran").exists()
    (made.top / "lib/a.o").unlink()
    for flag in ("assume-unchanged", "skip-worktree"):
        git(made.top, "update-index", f"--{flag}", "a.txt", "b.txt")
        (made.top / "a.txt").write_text(f"{flag}\n")
        assert Work(made).overlooked.changed == ["a.txt"]
        git(made.top, "update-index", f"--no-{flag}", "a.txt", "b.txt")
    git(made.top, "checkout", "--quiet", "a.txt")
    assert leave_place(RUN) is None


@each(
    "setting, path",
    [
        ("core.ignoreStat", "a.txt"),
        ("sparse.expectFilesOutsideOfPatterns", "b.txt"),
        *([("core.ignoreCase", "A.TXT")] if sys.platform == "linux" else []),
    ],
)
def test_no_setting_hides_from_us_what_a_run_has_done(setting: str, path: str, tmp_path: Path) -> None:
    project = project_in(tmp_path / setting)
    git(project, "config", setting, "true")
    if setting.startswith("sparse"):
        git(project, "sparse-checkout", "set", "--no-cone", "/*", "!/b.txt")
    made = make(RUN, "fixer", project).worktree
    (made.top / path).write_text("changed\n")
    assert ending.loss_of(made).uncommitted == (path,)
    tip = ending.keep(made, "all of it")
    assert git(project, "show", f"{tip}:{path}") == "changed"
    ending.remove(made)


@pytest.mark.skipif(sys.platform == "win32", reason="no file is executable by its permissions there")
def test_a_run_that_makes_a_file_executable_has_done_something_whatever_the_repository_says(project: Path) -> None:
    git(project, "config", "core.fileMode", "false")
    for name in ("a.txt", "b.txt"):  # as on a file system where all files are
        (project / name).chmod(0o755)
    (project / "b.txt").write_text("mine\n")
    (project / "new.txt").touch(0o755)
    made = make(RUN, "fixer", project, brings_changes=True).worktree
    assert set(ending.loss_of(made).uncommitted) == {"b.txt", "new.txt"}
    git(project, "checkout", "--quiet", "b.txt")
    (project / "new.txt").unlink()
    (made.top / "a.txt").chmod(0o755)
    assert set(ending.loss_of(made).uncommitted) == {"a.txt", "b.txt", "new.txt"}
    ending.merge(made, "all of it")
    modes = [line.split()[0] for line in git(project, "ls-tree", "HEAD").splitlines()]
    assert modes == ["100755", "100644", "100644"]


def test_much_that_came_along_is_still_known(project: Path) -> None:
    made = make(RUN, "fixer", project).worktree
    records.note(made, brought="\n".join(f"src/module-{number}/part.o" for number in range(10_000)))
    assert records.worktree_of(RUN) is not None
    assert [one.run_id for one in records.all_worktrees()] == [RUN]


@pytest.fixture
def slow_status(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that never tells what is changed: some lines of a `.gitignore` have it compare names for ever."""
    programs = tmp_path / "programs"
    programs.mkdir()
    git = programs / "git"
    git.write_text(f'#!/bin/sh\ncase " $* " in *" status "*) exec sleep 600;; esac\nexec {find_git(project)} "$@"\n')
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    for module in (making, ending):
        monkeypatch.setattr(module, "LOOKING_SECONDS", 0.2)


@pytest.mark.usefixtures("slow_status")
def test_a_worktree_is_made_and_kept_where_git_does_not_tell_what_is_changed(project: Path) -> None:
    made, (told,) = make(RUN, "fixer", project)
    why = "git status has taken more than 0.2 s."
    assert told == f"Which uncommitted files of the project are not in the worktree cannot be told: {why}"
    assert ending.loss_of(made).words == f"It cannot be told what would be lost: {why}"
    assert leave_place(RUN) == made
    with pytest.raises(ConfigError, match="git status has taken more"):
        make("ba9876543210", "fixer", project, brings_changes=True)
    assert records.worktree_of("ba9876543210") is None


@pytest.mark.usefixtures("slow_status")
def test_what_nobody_knows_is_never_nothing_new_and_is_not_lost(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = git(project, "rev-parse", "HEAD")
    monkeypatch.setattr(ending, "commit_all", lambda _worktree, _message: head)
    made = make(RUN, "fixer", project).worktree
    before = since.seen(made, ending.loss_of(made))
    (made.top / "notes.txt").write_text("of a person, who has looked since\n")
    assert since.loss_since(made, before).endswith("git status has taken more than 0.2 s")
    ending.keep(made, "Kept", loses=True)
    assert (made.top / "notes.txt").exists()


def test_what_was_deleted_behind_names_too_long_for_us_is_deleted_by_a_merge(project: Path) -> None:
    """Git checks it out, since it goes from folder to folder."""
    with dug(project, "d" * 100, 39) as innermost:
        os.close(os.open("f" * 125, os.O_CREAT, dir_fd=innermost))
        os.close(os.open("stays", os.O_CREAT, dir_fd=innermost))
        commit(project)
        made = make(RUN, "fixer", project).worktree
        folder = os.open(made.top, os.O_RDONLY)
        for _ in range(39):
            below = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = below
        os.unlink("f" * 125, dir_fd=folder)
        os.close(folder)
        worktrees.merge(made)
        assert os.listdir(innermost) == ["stays"]  # noqa: PTH208 - by what is open


def test_where_we_may_not_look_git_knows_of_no_worktree(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(RUN, "fixer", project).worktree
    closed = project / ".git" / "worktrees"
    monkeypatch.setattr(os, "listdir", _refusing(os.listdir, closed))
    forget_place(made)


def _refusing(list_names: Callable[..., list[str]], closed: Path) -> Callable[..., list[str]]:
    """The system's answer for a folder of mode 000, to root as well."""

    def listed(folder: str | Path) -> list[str]:
        if Path(folder) == closed:
            raise PermissionError(13, "Permission denied")
        return list_names(folder)

    return listed
