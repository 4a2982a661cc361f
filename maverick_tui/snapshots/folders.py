"""The folders that are in a snapshot, and their permissions, of which git knows nothing."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from maverick_tui.git.keeping import KeepingGit
from maverick_tui.snapshots.snapshot import EMPTY_TREE, PRIVATE


def folders_in(git: KeepingGit, tree: str) -> set[str]:
    """All folders of a tree."""
    if tree == EMPTY_TREE:
        return set()
    told = git("ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", tree)
    return {os.fsdecode(name) for name in told.split(b"\0") if name}


def folders_around(paths: Iterable[str]) -> set[str]:
    """All folders that these are in; a path with a slash at its end is a folder, which is among them."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def modes_of(top: Path, folders: Iterable[str]) -> dict[str, int]:
    """The permissions of those of the folders that are there."""
    return {path: mode for path in folders if (mode := _mode(f"{top}/{path}")) is not None}


def as_noted(modes: Mapping[str, int]) -> dict[str, int]:
    """The permissions of folders as a snapshot has them: those that most have once."""
    counts = Counter(modes.values())
    usual = max(counts, key=lambda mode: (counts[mode], mode), default=PRIVATE)
    return {"": usual, **{path: mode for path, mode in modes.items() if mode != usual}}


def _mode(path: str) -> int | None:
    try:
        about = os.lstat(path)
    except (OSError, ValueError):
        return None
    return stat.S_IMODE(about.st_mode) if stat.S_ISDIR(about.st_mode) else None
