"""Which worktrees are worked in: runs share the lock of one for as long as they do, and it goes while nobody has it.

The run that it was made for does, and so does any other that was started there. The system lets go of it whatever
ends them. The lock stays beside its place when it is gone: it may be made again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.worktrees.records import Worktree

_ENDING = ".lock"  # no name of a worktree has a dot
_held: dict[tuple[str, Path], int] = {}


def begin(run_id: str, folder: Path) -> None:
    """A run works in this folder from now on. If that is in a worktree which is about to go, it waits for that."""
    if sys.platform == "win32" or (top := paths.worktree_around(folder)) is None or (run_id, top) in _held:
        return
    import fcntl

    with suppress(OSError):  # it is gone, or its file system has no locks
        descriptor = _open(top)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
        _held[run_id, top] = descriptor


def left(run_id: str) -> None:
    """A run does not work anywhere any more."""
    for key in [*_held]:
        if key[0] == run_id:
            os.close(_held.pop(key))


@contextmanager
def nobody_in(worktree: Worktree) -> Iterator[bool]:
    """Whether no run works in it; then none begins to, meanwhile."""
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    is_free = True
    with ExitStack() as lock:
        with suppress(OSError):  # nobody has ever worked there, or its file system has no locks
            descriptor = _open(worktree.top)
            lock.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_free = False
        yield is_free


def is_worked_in(worktree: Worktree) -> bool:
    """Whether a run works in it at this moment."""
    with nobody_in(worktree) as is_free:
        return not is_free


def _open(top: Path) -> int:
    path = top.with_name(f"{top.name}{_ENDING}")
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
