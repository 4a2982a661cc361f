"""What hosts that were killed have left, sockets, locks and numbers: the next host removes it, the doctor names it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from maverick_tui.host.places import LOCK, SOCKET, is_at, require_own, runtime_folder
from maverick_tui.host.waiting_line import NUMBER, numbers_folder, remove_left
from maverick_tui.journal.folders import is_alive, is_run_id


def left_behind() -> list[Path]:
    """Sockets, locks and numbers that nobody holds. ConfigError if the folder is not ours alone."""
    left: list[Path] = []
    with suppress(OSError):
        require_own(runtime_folder())
        left += filter(_is_left, sorted(runtime_folder().iterdir()))
    with suppress(OSError):
        left += filter(_is_left, sorted(numbers_folder().iterdir()))
    return left


def tidy_up() -> None:
    """Remove what nobody holds; what cannot be removed does no harm, and stays."""
    for path in left_behind():
        if path.suffix == NUMBER:
            remove_left(path)
        else:
            _remove_place(path.with_suffix(LOCK))


def _is_left(path: Path) -> bool:
    """Whether it is a file of a host's, and no host has it."""
    with suppress(OSError):
        about = path.lstat()
        is_mark = stat.S_ISREG(about.st_mode) and not about.st_size
        if path.suffix == NUMBER:
            return is_mark and path.stem.isdecimal() and not is_alive(path)
        if stat.S_ISSOCK(about.st_mode) if path.suffix == SOCKET else is_mark and path.suffix == LOCK:
            return is_run_id(path.stem) and not is_alive(path.with_suffix(LOCK))
    return False


def _remove_place(lock: Path) -> None:
    """Remove the lock and the socket of a run, unless it has a host by now: only who holds the lock may."""
    import fcntl

    with suppress(OSError):
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(lock, descriptor):
                with suppress(FileNotFoundError):
                    if stat.S_ISSOCK(lock.with_suffix(SOCKET).lstat().st_mode):
                        lock.with_suffix(SOCKET).unlink()
                lock.unlink()
        finally:
            os.close(descriptor)
