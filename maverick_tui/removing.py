"""Removes folders with all that is in them, also where they are nested deeper than Python's own way goes."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PRIVATE = 0o700


class _Level(NamedTuple):
    """A folder on the way down: its name, what it is to the file system, and the names of folders left in it."""

    name: str
    number: tuple[int, int]
    folders: list[str]


def remove_folder(folder: Path) -> None:
    """Remove a folder and all in it; through no link. What cannot be removed stays."""
    if folder.is_symlink():
        folder.unlink()
        return
    with suppress(RecursionError):  # `shutil` also takes a file descriptor for each level
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32" and os.path.lexists(folder):
        with suppress(OSError):
            _remove_level_by_level(folder)


def _remove_level_by_level(folder: Path) -> None:
    """With two open folders, however deep it goes. Each is made ours to change: generated ones are read-only."""
    here = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    levels = [_Level("", _number_of(here), [folder.name])]
    try:
        while True:
            level = levels[-1]
            if level.folders:
                name = level.folders.pop()
                with suppress(OSError):  # not ours to look into
                    below = _opened(name, here)
                    os.close(here)
                    here = below
                    levels.append(_Level(name, _number_of(here), []))
                    levels[-1].folders.extend(_emptied(here))
                continue
            levels.pop()
            if not levels:
                return
            above = os.open("..", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = above
            if _number_of(here) != levels[-1].number:
                return  # somebody has moved it meanwhile
            with suppress(OSError):
                os.rmdir(level.name, dir_fd=here)
    finally:
        os.close(here)


def _opened(name: str, here: int) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(OSError):
        if stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            os.chmod(name, _PRIVATE, dir_fd=here)
    return os.open(name, flags, dir_fd=here)


def _emptied(here: int) -> list[str]:
    """Remove what is no folder; the names of the folders."""
    folders = []
    with os.scandir(here) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                with suppress(OSError):
                    os.unlink(entry.name, dir_fd=here)
    return folders


def _number_of(folder: int) -> tuple[int, int]:
    about = os.fstat(folder)
    return about.st_dev, about.st_ino
