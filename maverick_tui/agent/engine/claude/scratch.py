"""A folder of this program's own for what the CLI writes for a moment."""

from __future__ import annotations

import atexit
import os
import stat
import sys
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from maverick_tui.folder_locks import scratch_folder


def private_folder() -> str:
    """Where that is, until this program ends; empty if there can be none.

    With each command the CLI writes to a file in the common folder, whose name anybody can guess, through a link if
    there is one (measured): on a system that lets links be followed there, another user could have it write anywhere.
    So they could where that folder has been cleared up after days, and they have made one of its name: then it is not
    ours any more, and we make another.
    """
    folder, made = _made()
    if folder and _identity(folder) != made:
        _made.cache_clear()
        folder, _ = _made()
    return folder


@cache
def _made() -> tuple[str, tuple[int, ...]]:
    holding = ExitStack()
    try:
        folder = str(holding.enter_context(scratch_folder("claude")))
    except OSError:  # the disk is full, say: whatever needs a place will tell
        return "", ()
    _hold(folder)
    atexit.register(_close, holding, os.getpid())
    return folder, _identity(folder)


def _identity(folder: str) -> tuple[int, ...]:
    try:
        about = Path(folder).lstat()
    except OSError:
        return ()
    return about.st_dev, about.st_ino, about.st_uid, stat.S_IMODE(about.st_mode)


def _hold(folder: str) -> None:
    """Keep systemd from clearing it up: it passes over folders that somebody holds."""
    if sys.platform == "win32":
        return
    import fcntl

    with suppress(OSError):  # not every file system has locks
        fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), fcntl.LOCK_SH)


def _close(holding: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # and no child of it by a fork, which would take its parent's folder away
        holding.close()
