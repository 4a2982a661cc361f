"""Folders under a lock: written to by one program at a time, or thrown away with the program that made them."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maverick_tui.removing import remove_folder

WRITER = ".lock"
"""The file that is locked while somebody writes to the others of its folder."""
OWNER = ".owner"
"""The file that is locked for as long as somebody works there; the system lets go of it whatever ends them.

It says by numbers of the file system that we have made it there: a repository may have a file of this name, too.
"""
_PREFIX = "maverick-"
_NAMED = re.compile(rf"{_PREFIX}[a-z]+-[a-z0-9_]{{8}}")
_PRIVATE = 0o700
_DAY = 86_400.0


@contextmanager
def alone(folder: Path, *, waits: bool = True) -> Iterator[None]:
    """While nobody else writes to the folder's files. On Windows two may collide.

    Without `waits` it is a BlockingIOError if somebody does.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder / WRITER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """While no other program of ours is here with this folder, in which we have no file. On Windows two may collide."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # not every file system has locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _nothing(_folder: Path) -> bool:
    return False


@contextmanager
def scratch_folder(kind: str, place: Path | None = None, keeps: Callable[[Path], bool] = _nothing) -> Iterator[Path]:
    """A folder of our own, which is removed at the end, or by whoever is the last to hold it.

    If all of them are killed, the next `remove_abandoned` does it. `place` is where it is, else among temporary files.
    One of which `keeps` is true at the end stays, as if we had been killed.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-", dir=place)).resolve()
    lock = _own(folder)
    try:
        yield folder
    finally:
        _let_go(folder, lock, keeps)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """While somebody else's scratch folder stays, also if they have ended. FileNotFoundError if it is gone."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    lock = os.open(folder / OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    fcntl.flock(lock, fcntl.LOCK_SH)
    try:
        if not (folder / OWNER).exists():
            raise FileNotFoundError(f"{folder} has been removed.")
        yield
    finally:
        _let_go(folder, lock)


def _let_go(folder: Path, lock: int | None, keeps: Callable[[Path], bool] = _nothing) -> None:
    """Remove the folder, unless somebody else holds it, or it is to be kept."""
    if sys.platform == "win32" or lock is None:
        _remove(folder, keeps)
        return
    import fcntl

    try:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder, keeps)
    finally:
        os.close(lock)


def _remove(folder: Path, keeps: Callable[[Path], bool]) -> bool:
    """Remove it; whether it is kept instead."""
    if keeps(folder):
        return True
    remove_folder(folder)
    return False


def remove_abandoned(
    place: Path | None = None, keeps: Callable[[Path], bool] = _nothing, *, is_ours: bool = False
) -> list[Path]:
    """Remove the user's folders whose owner is gone. What cannot be read or removed is left alone.

    Those of which `keeps` is true stay, and are returned. A place that `is_ours` has no others of that name: there they
    may come from a copy of the disk, with other numbers.
    """
    if sys.platform == "win32":
        return []
    kept = []
    with suppress(OSError), os.scandir(place or tempfile.gettempdir()) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(_PREFIX)]:
            with suppress(OSError):
                if _remove_if_abandoned(path, keeps, is_ours=is_ours):
                    kept.append(Path(path))
    return kept


def _own(folder: Path) -> int | None:
    """Hold the folder, with others. The file gets its name once it is locked: else its owner would seem to be gone."""
    if sys.platform == "win32":
        return None
    import fcntl

    unnamed = folder / f"{OWNER}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        os.write(lock, _numbers(folder.stat(), os.fstat(lock)))
    except OSError:  # not every file system has locks; nobody removes the folder then but we
        os.close(lock)
        return None
    unnamed.rename(folder / OWNER)
    return lock


def _numbers(folder: os.stat_result, file: os.stat_result) -> bytes:
    return f"{folder.st_ino} {file.st_ino}\n".encode()


def _remove_if_abandoned(path: str, keeps: Callable[[Path], bool], *, is_ours: bool) -> bool:
    """Remove a folder whose lock nobody holds; never through a link, and nothing that others may have written to.

    Elsewhere than in a place of ours not all of that name are. Whether it is kept instead.
    """
    if sys.platform == "win32":
        return False
    import fcntl

    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(folder)
        if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) != _PRIVATE:
            return False
        try:
            lock = os.open(OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            # Its owner was killed before it had a lock. What is not empty stays: any program may use such a name.
            if _NAMED.fullmatch(Path(path).name) and about.st_mtime < time.time() - _DAY:
                Path(path).rmdir()
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while the owner lives
            ours = _numbers(about, os.fstat(lock))
            return (is_ours or os.read(lock, len(ours) + 1) == ours) and _remove(Path(path), keeps)
        finally:
            os.close(lock)
    finally:
        os.close(folder)
