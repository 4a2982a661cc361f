"""The files of a folder, looked at and changed without ever going through a link."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from maverick_tui.snapshots.snapshot import LINK, PRIVATE, git_mode

_PIECE = 1 << 20
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class File(NamedTuple):
    """A file or a link: its kind as git writes it, the name of its bytes, and its permissions (none of a link)."""

    mode: str
    blob: str
    permissions: int


FOLDER = File("folder", "", 0)
OTHER = File("something else", "", 0)
"""A pipe, a socket or a device."""


_EXCHANGES = {"linux": ("renameat2", 2), "darwin": ("renameatx_np", 2)}
"""By system: the function that renames with flags, and the flag by which two names change places."""
_OF_GIT = frozenset({"", ".", "..", ".git"})
"""Names that no snapshot has: whatever a list or a tree says, nothing outside of the folder is written, and no hook."""


class BlockedError(Exception):
    """The way to a path leads through something that is no folder, or no name in one: `at`."""

    def __init__(self, at: str) -> None:
        super().__init__(f"{at} is no folder any more")
        self.at = at


def _require_name(name: str, at: str) -> None:
    if name.casefold() in _OF_GIT:
        raise BlockedError(at)


class Disk:
    """Every change on the way, one at a time: so that tests can have each of them fail."""

    def write(self, folder: int, name: str, data: bytes, permissions: int) -> None:
        """A new file, which is on the disk when this returns."""
        _require_name(name, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), permissions)
            os.fsync(file.fileno())

    def symlink(self, folder: int, name: str, target: bytes) -> None:
        """A new link."""
        _require_name(name, name)
        os.symlink(target, os.fsencode(name), dir_fd=folder)

    def rename(self, folder: int, name: str, to: int, new: str) -> None:
        """Give it another name, in the place of whatever file has that."""
        _require_name(new, new)
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=to)

    def exchange(self, folder: int, name: str, to: int, new: str) -> None:
        """Have two names change places, at once: both are there at every moment. Not every file system can."""
        _require_name(name, name)
        _require_name(new, new)
        rename, flag = _exchanging()
        if rename(folder, os.fsencode(name), to, os.fsencode(new), flag):
            import ctypes

            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def link(self, folder: int, name: str, to: int, new: str) -> None:
        """Give it a second name, which nothing else has."""
        _require_name(new, new)
        os.link(name, new, src_dir_fd=folder, dst_dir_fd=to, follow_symlinks=False)

    def unlink(self, folder: int, name: str) -> None:
        """Remove a file or a link."""
        os.unlink(name, dir_fd=folder)

    def mkdir(self, folder: int, name: str, permissions: int | None = None) -> None:
        """A new folder; if no permissions are given, with those that new ones have."""
        _require_name(name, name)
        os.mkdir(name, 0o777 if permissions is None else PRIVATE, dir_fd=folder)
        if permissions is not None:
            with opened(folder, name) as made:
                os.fchmod(made, permissions)

    def rmdir(self, folder: int, name: str) -> None:
        """Remove a folder in which there is nothing."""
        os.rmdir(name, dir_fd=folder)

    def keep(self, file: Path, text: str) -> None:
        """A file of ours as a whole or as it was before, which is on the disk when this returns."""
        file.parent.mkdir(mode=0o700, exist_ok=True)
        unnamed = file.with_suffix(".new")
        with unnamed.open("w") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        unnamed.replace(file)
        folder = os.open(file.parent, _OPEN)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def forget(self, file: Path) -> None:
        """Remove a file of ours."""
        for one in (file, file.with_suffix(".new")):
            one.unlink(missing_ok=True)

    def sync(self, folder: int) -> None:
        """Have the names in a folder on the disk."""
        os.fsync(folder)


@cache
def _exchanging() -> tuple[Callable[[int, bytes, int, bytes, int], int], int]:
    """What Python has no function for, and its flag."""
    import ctypes

    name, flag = _EXCHANGES.get(sys.platform, ("", 0))
    found = getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
    if found is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    found.restype = ctypes.c_int
    return found, flag


@contextmanager
def opened_top(folder: str | Path) -> Iterator[int]:
    """A working folder; the way there may well lead through links."""
    descriptor = os.open(folder, _OPEN & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened(top: int, path: str) -> Iterator[int]:
    """A folder below `top` (itself, if the path is empty). FileNotFoundError, or BlockedError at what is no folder."""
    folder, way = os.dup(top), ""
    try:
        for name in path.split("/") if path else []:
            way = f"{way}/{name}" if way else name
            _require_name(name, way)
            try:
                inner = os.open(name, _OPEN, dir_fd=folder)
            except FileNotFoundError:
                raise
            except OSError as error:  # a file or a link
                raise BlockedError(way) from error
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def split(path: str) -> tuple[str, str]:
    """The folder of a path, and the name in it."""
    folder, _, name = path.rpartition("/")
    return folder, name


def look(top: int, path: str) -> File | None:
    """What is there now; None if nothing is. BlockedError if the way there leads through what is no folder."""
    folder, name = split(path)
    _require_name(name, path)
    try:
        with opened(top, folder) as inner:
            return look_in(inner, name)
    except FileNotFoundError:
        return None


def look_in(folder: int, name: str) -> File | None:
    """What has this name in an open folder."""
    try:
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(about.st_mode):
            return FOLDER
        mode = git_mode(about)
        if not mode:
            return OTHER
        if mode == LINK:
            return File(mode, blob_of(os.readlink(os.fsencode(name), dir_fd=folder)), 0)
        return File(mode, _hashed(folder, name), about.st_mode & 0o7777)
    except FileNotFoundError:
        return None


def is_same(folder: int, name: str, other: int, also: str) -> bool:
    """Whether two names are those of one file."""
    try:
        one, two = (os.stat(n, dir_fd=f, follow_symlinks=False) for f, n in ((folder, name), (other, also)))
    except FileNotFoundError:
        return False
    return os.path.samestat(one, two)


def blob_of(data: bytes) -> str:
    """The name that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _hashed(folder: int, name: str) -> str:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        found = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while piece := file.read(_PIECE):
            found.update(piece)
        return found.hexdigest()
