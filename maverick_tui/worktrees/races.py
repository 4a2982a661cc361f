"""Races: runs whose worktrees stand and fall with the process that has started them, until that says otherwise."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.journal.folders import hold, is_alive, is_run_id
from maverick_tui.worktrees import records
from maverick_tui.worktrees.records import Worktree
from maverick_tui.worktrees.removing import discard
from maverick_tui.worktrees.working import nobody_in

_ENDING = ".race"


def file_of(race: str) -> Path:
    """The file that a race's process has locked, for as long as it lives."""
    if not is_run_id(race):  # it names a file
        raise ConfigError(f"{race!r} is not the id of a race.")
    return paths.worktrees() / f"{race}{_ENDING}"


@contextmanager
def running(race: str) -> Iterator[None]:
    """Be the process of a race. What is still of the race at its end is thrown away, or by whoever comes next.

    ConfigError if nobody would notice that we are gone.
    """
    file = file_of(race)
    paths.make_private(file.parent)
    unnamed = file.with_suffix(".new")  # it gets its name once it is locked: else the race would seem to be over
    descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            hold(descriptor)
            unnamed.rename(file)
        except OSError as error:
            raise ConfigError(
                f"There can be no race: {unnamed} cannot be locked: {error.strerror or error}.",
                hint="Set MAVERICK_STATE_DIR to a folder on another file system.",
            ) from error
        yield
    finally:
        os.close(descriptor)


def is_running(race: str) -> bool:
    """Whether the process of a race lives."""
    return is_alive(file_of(race))


def require_running(race: str) -> None:
    """ConfigError if that race is over: whoever saw to what it left would not know of what is made now."""
    if race and not is_running(race):
        raise ConfigError("The race that it was to run in has ended.")


def await_making() -> None:
    """Wait until what a run makes at this moment is made, and known; once its race is over nothing more is begun.

    A run may end while a thread still makes its worktree, and git goes on with that when the process is gone.
    """
    folder = paths.worktrees()
    paths.make_private(folder)
    with alone(folder):
        pass


def throw_away(worktree: Worktree) -> None:
    """Remove what a race has left, unless a run works in it. Not while one is being made: git would go on making it."""
    with alone(paths.worktrees()), nobody_in(worktree) as is_free:
        if is_free:
            discard(worktree)


def tidy_up(is_worked_in: Callable[[Worktree], bool]) -> list[Worktree]:
    """Remove what races that were killed have left, but for what a run still works in; what was removed.

    It costs next to nothing where there is none.
    """
    gone = {file.stem: file for file in _files() if not is_alive(file)}
    if not gone:
        return []
    removed, left = [], set[str]()
    for worktree in list(records.all_worktrees()):
        if worktree.race not in gone:
            continue
        if is_worked_in(worktree):  # it ends by itself, and sees to it
            left.add(worktree.race)
        else:
            throw_away(worktree)
            removed.append(worktree)
    for race in gone.keys() - left:
        gone[race].unlink(missing_ok=True)
    return removed


def left_behind() -> list[str]:
    """The races that were killed and have left something."""
    return [file.stem for file in _files() if not is_alive(file)]


def _files() -> list[Path]:
    with suppress(OSError):
        return [file for file in sorted(paths.worktrees().glob(f"*{_ENDING}")) if is_run_id(file.stem)]
    return []
