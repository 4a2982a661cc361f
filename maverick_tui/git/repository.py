"""Where a folder's repository is, read from files, and what lies in git's own folder that is no plain file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_MOST = 8_192
"""Bytes that one of git's small files may have."""
_MOST_ENTRIES = 20_000
"""Entries of git's own folder that are looked at."""
_NOT_ENTERED = frozenset("objects hooks modules worktrees lfs annex".split())
"""Folders of git's own that hold many files, or none that git reads lines of."""


class Repository(NamedTuple):
    """The folder that is worked in, git's own folder for it, and the one that all its worktrees share."""

    top: Path
    own: Path
    common: Path


def find_repository(folder: Path) -> Repository | None:
    """The repository around a folder; a bare one is none, for a clone may contain what looks like it."""
    folder = Path(os.path.realpath(folder))
    for top in (folder, *folder.parents):
        linked = read_small(top / ".git")
        own = _linked(top, linked) if linked is not None else top / ".git"
        if os.path.lexists(own / "HEAD"):
            shared = read_small(own / "commondir")
            common = own / shared.rstrip("\n") if shared else own
            if os.path.isdir(common / "objects"):  # noqa: PTH112 - Path.is_dir raises where it may not look
                return Repository(top, own, Path(os.path.realpath(common)))
        if linked is not None:  # git looks no further, either
            return None
    return None


def read_small(path: Path, most: int = _MOST) -> str | None:
    """The text of a small ordinary file; None if it is anything else. A pipe would be waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        return os.fsdecode(os.read(descriptor, most))
    finally:
        os.close(descriptor)


class OddFile(NamedTuple):
    """Something in git's own folder where a plain file belongs."""

    path: Path
    is_waited_for: bool
    """Whether who opens it may wait for ever, as with a pipe."""


def odd_files(repository: Repository) -> Iterator[OddFile]:
    """Links to files, pipes and devices among what git reads line by line.

    Git shows lines that it cannot make sense of, so a link leads it to tell any file of the machine. Links to folders
    are ordinary, and so are those among hooks; a socket can be opened by nobody.
    """
    left = _MOST_ENTRIES
    for folder in _folders(repository):
        for entry in _entries(folder):
            left -= 1
            if left < 0:
                yield OddFile(folder, False)
                return
            if odd := _odd(entry):
                yield odd


def _folders(repository: Repository) -> Iterator[Path]:
    """All folders of git's own in which it reads files by their names: its own, those in them, and other worktrees'."""
    worktrees = [Path(entry.path) for entry in _entries(repository.common / "worktrees") if entry.is_dir()]
    for folder in dict.fromkeys((repository.own, repository.common, *worktrees)):
        yield folder
        yield from (Path(one.path) for one in _entries(folder) if one.name not in _NOT_ENTERED and one.is_dir())
    yield repository.common / "objects" / "info"


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, _MOST_ENTRIES + 1))
    except OSError:
        return []


def _odd(entry: os.DirEntry[str]) -> OddFile | None:
    try:
        mode = entry.stat().st_mode
    except OSError:  # a link that leads nowhere yet
        return OddFile(Path(entry.path), False) if entry.is_symlink() else None
    is_waited_for = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    if is_waited_for or stat.S_ISBLK(mode) or (entry.is_symlink() and not stat.S_ISDIR(mode)):
        return OddFile(Path(entry.path), is_waited_for)
    return None


def _linked(top: Path, text: str) -> Path:
    """Where the file `.git` of a worktree or a submodule points; nowhere if it is another file."""
    return top / text.removeprefix("gitdir: ").rstrip("\n") if text.startswith("gitdir: ") else top / ".git" / "none"
