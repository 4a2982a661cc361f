"""Makes worktrees of runs, and makes them again: from a commit, mostly the one checked out, on their own branch."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.git.changing import LOOKING_SECONDS, Git, GitError, filtered, filters_of
from maverick_tui.git.head import head_of
from maverick_tui.git.repository import persons_repository
from maverick_tui.inert import one_line
from maverick_tui.ownership import strangers_repository
from maverick_tui.real_paths import real_path
from maverick_tui.walking import walk
from maverick_tui.worktrees import records
from maverick_tui.worktrees.races import require_running
from maverick_tui.worktrees.records import PREFIX, Worktree
from maverick_tui.worktrees.removing import forget_place, remove_branch, remove_tree

_EXECUTABLE = 0o111
_GITLINK = "160000 "
_NAMED = 3
"""How many are named of what is counted."""


class Made(NamedTuple):
    """A worktree, and what the person should know of it."""

    worktree: Worktree
    told: tuple[str, ...] = ()


def make(run_id: str, agent: str, cwd: Path, *, brings_changes: bool = False, race: str = "", at: str = "") -> Made:
    """A worktree for a run that is started in this folder; ConfigError if there can be none.

    `brings_changes` copies what is not committed. One that is made for a `race` is removed with it. It begins `at` a
    commit, or with the one that is checked out.
    """
    git, now = base_of(cwd)
    base = git.commit(at) if at else now
    if not base:
        raise ConfigError(
            f"The commit {at[:7]}, which the worktree would begin with, is not in the repository any more.",
            path=str(git.folder),
            hint="Begin with what is checked out now.",
        )
    top = git.folder
    changed, unknown = list[tuple[str, str]](), list[str]()
    try:
        changed = changed_files(Git(top, LOOKING_SECONDS))
    except GitError as error:
        if brings_changes:
            raise
        unknown.append(
            f"Which uncommitted files of the project are not in the worktree cannot be told: {error.message}"
        )
    head = head_of(top) or ""
    with alone(_folder()):  # two that are added at once may meet in git's own files
        require_running(race)
        name = _free_name(git, records.name_for(agent, run_id))
        worktree = Worktree(
            run_id,
            agent,
            str(top),
            os.path.relpath(real_path(cwd), top),
            str(records.place_for(top, name)),
            f"{PREFIX}{name}",
            base,
            onto="" if now.startswith(head) else head,
            tip=base,
            race=race,
        )
        _build(git, worktree, new_at=base)
    told = [*unknown, *_brought(git, worktree, changed, brings_changes=brings_changes), *_unlike(worktree)]
    return Made(worktree, tuple(told))


def base_of(cwd: Path) -> tuple[Git, str]:
    """Git in the project around a folder, and the commit that a worktree of it begins with. ConfigError without one."""
    repository = persons_repository(cwd)
    if repository is None:
        if stranger := strangers_repository(cwd):
            raise ConfigError(f"{stranger.what}.", path=str(cwd), hint=stranger.hint)
        raise ConfigError(
            f"{cwd} is in no git repository, so a run cannot have a worktree of it.",
            path=str(cwd),
            hint="Run `git init` and commit something there, or run it without a worktree.",
        )
    git = Git(repository.top)
    base = git.commit("HEAD")
    if not base:
        raise ConfigError(
            f"The repository in {repository.top} has no commits yet, and a worktree begins with one.",
            path=str(repository.top),
            hint="Commit something first, or run it without a worktree.",
        )
    return git, base


def make_again(worktree: Worktree) -> Made | None:
    """The worktree of a run that goes on, from its branch or its last commit; None if neither is there."""
    if worktree.has_git and worktree.cwd.is_dir():
        return Made(records.note(worktree, became=""))
    try:
        git = Git(Path(worktree.project))
    except ConfigError:
        return None
    branch, tip = git.commit(f"refs/heads/{worktree.branch}"), git.commit(worktree.tip or worktree.base)
    if not (branch or tip):
        return None
    forget_place(worktree)
    whence = f"its branch {worktree.branch}" if branch else f"the commit {tip[:7]}, on {worktree.branch}"
    if branch and worktree.branch in git.checked_out():  # two that work on one branch would move it below each other
        worktree = replace(worktree, branch=_free_branch(git, worktree.branch))
        whence, tip, branch = f"{whence}, on {worktree.branch}", branch, ""
    with alone(_folder()):
        _build(git, worktree, new_at="" if branch else tip)
    text = f"Its worktree was gone and is made again, from {whence}. What was not committed is not in it."
    return Made(records.note(worktree, became="", brought="", tip=branch or tip), (text, *_unlike(worktree)))


def require_inside(worktree: Worktree) -> None:
    """ConfigError if a link leads out of the worktree where the run is to work: edits would run unasked there."""
    expected = os.path.normpath(os.path.join(real_path(worktree.top), worktree.folder))  # noqa: PTH118
    if real_path(worktree.cwd) != expected:
        raise ConfigError(
            f"{one_line(worktree.folder)} is a link, or behind one, and leads elsewhere.",
            path=str(worktree.cwd),
            hint="Start the run in another folder of the project, or without a worktree.",
        )


def _free_branch(git: Git, branch: str) -> str:
    names = (f"{branch}-{number}" for number in count(2))
    return next(name for name in names if not git.commit(f"refs/heads/{name}"))


def changed_files(git: Git) -> list[tuple[str, str]]:
    """What is not committed in a folder: git's two letters, and the path from its top."""
    listed = os.fsdecode(git.run("status", "--porcelain=v1", "-z", "--untracked-files=all")).split("\0")[:-1]
    return [(line[:2], line[3:]) for line in listed]


def _folder() -> Path:
    folder = paths.worktrees()
    paths.make_private(folder)
    return folder


def _free_name(git: Git, name: str) -> str:
    """This name, or one like it that neither a branch has nor a folder of ours."""
    return next(
        one
        for one in chain([name], (f"{name}-{number}" for number in count(2)))
        if not git.commit(f"refs/heads/{PREFIX}{one}") and not os.path.lexists(records.place_for(git.folder, one))
    )


def _build(git: Git, worktree: Worktree, *, new_at: str) -> None:
    """Make it, on its branch, which is made at that commit if there is one; as before if that fails.

    What is known of it comes first, so that whoever is killed leaves nothing unknown. Folder and branch are made so
    that it fails if there is one already: only what we have made ourselves is ever removed.
    """
    worktree.top.parent.mkdir(mode=0o700, exist_ok=True)
    (worktree.top.parent / paths.WORKTREE_PROJECT).write_bytes(os.fsencode(worktree.project))
    before = records.worktree_of(worktree.run_id)
    records.write(worktree)
    with ExitStack() as undoing:
        undoing.callback(_know_again, worktree.run_id, before)
        if new_at:  # the last argument says that there is no such branch
            git("update-ref", "-m", f"branch: Created from {new_at}", f"refs/heads/{worktree.branch}", new_at, "")
            undoing.callback(remove_branch, worktree)
        with suppress(OSError):  # an empty one is nobody's
            worktree.top.rmdir()
        try:
            worktree.top.mkdir()
        except FileExistsError as error:
            raise ConfigError(
                f"There can be no worktree in {worktree.path}: something else is there.",
                path=worktree.path,
                hint="Look at it, move it away, and try again.",
            ) from error
        undoing.callback(remove_tree, worktree)
        git.add_worktree(worktree.path, worktree.branch)
        require_inside(worktree)
        worktree.cwd.mkdir(parents=True, exist_ok=True)  # git has no empty folders
        undoing.pop_all()


def _know_again(run_id: str, before: Worktree | None) -> None:
    if before is None:
        records.forget(run_id)
    else:
        records.write(before)


# -- what is told of it ------------------------------------------------------------------------------------------------


def _brought(git: Git, worktree: Worktree, changed: list[tuple[str, str]], *, brings_changes: bool) -> Iterator[str]:
    if not changed:
        return
    files = "1 uncommitted file" if len(changed) == 1 else f"{len(changed)} uncommitted files"
    if not brings_changes:
        are, names = "is" if len(changed) == 1 else "are", records.some([path for _, path in changed], _NAMED)
        yield f"{files} of the project {are} not in the worktree: {names}."
        return
    project = Path(real_path(worktree.project))
    # What is gone comes first: something else may stand where its folder was.
    listed = sorted((path for _, path in changed), key=lambda path: _is_there(project / path))
    left = [path for path in listed if not _bring(project / path, worktree.top, path, with_modes=git.counts_modes)]
    yield f"{files} of the project came along, uncommitted."
    if left:
        names = records.some(left, _NAMED)
        why = (
            "it is a repository of its own, cannot be read, a link leads to its place, or a folder with files is there"
        )
        yield f"Not copied, since {why}: {names}."


def _bring(source: Path, top: Path, path: str, *, with_modes: bool) -> bool:
    """Have a file be in the worktree as it is in the project; whether it is.

    Where modes mean nothing in the project it stays executable, or does not become so.
    """
    target = Path(real_path(top), path)
    if not is_direct(target) or path.endswith("/"):  # git says the latter of another repository
        return False
    try:
        was_file = target.is_symlink() or target.is_file()
        executable = target.lstat().st_mode & _EXECUTABLE if target.is_file() and not target.is_symlink() else 0
        if was_file:
            target.unlink()
        if not _is_there(source):
            return True
        if source.is_dir() and not source.is_symlink():  # what is in it comes by itself, unless it is a submodule
            return was_file
        target.parent.mkdir(parents=True, exist_ok=True)
        for emptied, _, _ in reversed([*walk(target)]):
            Path(emptied).rmdir()  # or it would be copied into that
        shutil.copy2(source, target, follow_symlinks=False)
        if not with_modes and not target.is_symlink():
            target.chmod(stat.S_IMODE(target.lstat().st_mode) & ~_EXECUTABLE | executable)
    except (OSError, shutil.Error):
        return False
    return True


def is_direct(path: Path) -> bool:
    """Whether no link leads to its place, which may be anywhere then."""
    return real_path(path.parent) == str(path.parent)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path) and is_direct(path)


def _unlike(worktree: Worktree) -> Iterator[str]:
    """In what it is unlike the project's own folder, since git runs nothing for us."""
    git = Git(worktree.top)
    modules = _submodules(git)
    if modules:
        yield f"Submodules are empty in the worktree, for nothing is fetched: {records.some(modules, _NAMED)}."
    known = filters_of(git.settings)
    found = filtered(git, [], known) if known else {}
    if found:
        names = ", ".join(sorted({one_line(name) for name in found.values()}))
        files = "1 file stands in the worktree as it is" if len(found) == 1 else f"{len(found)} files stand as they are"
        yield f"{files} stored, for filters are not run: {names}."


def _submodules(git: Git) -> list[str]:
    listed = os.fsdecode(git.run("ls-files", "-z", "--stage")).split("\0")[:-1]
    return [line.partition("\t")[2] for line in listed if line.startswith(_GITLINK)]
