"""Lays a snapshot out in another folder, one that nobody works in yet: a worktree that a fork begins in."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import one_line
from maverick_tui.snapshots.disk import FOLDER, BlockedError, Disk, File, look, opened, opened_top, split
from maverick_tui.snapshots.entries import Entry
from maverick_tui.snapshots.planning import file_of
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import EMPTY_TREE, LINK, Snapshot

_AT_ONCE = 100
"""Files that are read by one question."""
_GIT = ".git"


def lay_out(shadow: Shadow, snapshot: Snapshot, folder: Path) -> list[str]:
    """Have exactly the files of a snapshot in a folder, but for those that git ignores; the paths that this changes.

    What the snapshot has left out stays as it is there, and so does `.git`. Repositories inside are not laid out.
    ConfigError if a path of it leads out of the folder.
    """
    try:
        return _lay_out(shadow, snapshot, folder)
    except BlockedError as error:
        raise ConfigError(f"The files cannot be laid out: {one_line(str(error))}.", path=str(folder)) from error


def _lay_out(shadow: Shadow, snapshot: Snapshot, folder: Path) -> list[str]:
    wanted, disk = _kept(shadow, snapshot), Disk()
    with opened_top(folder) as top:
        gone = [path for path in _paths(top) if path not in wanted and not snapshot.leaves_out(path)]
        for path in gone:
            _remove(disk, top, path)
        missing = {path: file for path, file in wanted.items() if look(top, path) != file}
        for path, file, data in _contents(shadow, missing):
            if look(top, path) is not None:
                _remove(disk, top, path)
            _make_folders(disk, top, split(path)[0])
            with opened(top, split(path)[0]) as inner:
                if file.mode == LINK:
                    disk.symlink(inner, split(path)[1], data)
                else:
                    disk.write(inner, split(path)[1], data, file.permissions)
        for path in snapshot.empty:
            if not any(part.at and path.startswith(part.at) for part in snapshot.parts):
                _make_folders(disk, top, path.rstrip("/"))
    return [*gone, *missing]


def nested(snapshot: Snapshot) -> list[str]:
    """The repositories inside that are not laid out."""
    return [part.at.rstrip("/") for part in snapshot.parts if part.at]


def _kept(shadow: Shadow, snapshot: Snapshot) -> dict[str, File]:
    found: dict[str, File] = {}
    tree = next((part.kept for part in snapshot.parts if not part.at), EMPTY_TREE)
    told = shadow.git("ls-tree", "-r", "-z", "--full-tree", tree) if tree != EMPTY_TREE else b""
    for line in told.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, kind, blob = about.decode().split(" ")
        path = os.fsdecode(name)
        if kind == "blob" and (file := file_of(snapshot, path, Entry(mode, blob))) is not None:
            found[path] = file
    return found


def _paths(top: int, folder: str = "") -> Iterator[str]:
    """All files and links below, and none that a link leads to."""
    with opened(top, folder) as inner:
        names = sorted(os.listdir(inner))  # noqa: PTH208 - it is open, and has no path
        folders = {name for name in names if stat.S_ISDIR(os.stat(name, dir_fd=inner, follow_symlinks=False).st_mode)}
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if name == _GIT:
            continue
        if name in folders:
            yield from _paths(top, path)
        else:
            yield path


def _remove(disk: Disk, top: int, path: str) -> None:
    """Remove a file, or a folder in which there is nothing any more, and those around it in which there is nothing."""
    folder, name = split(path)
    with opened(top, folder) as inner:
        if look(top, path) == FOLDER:
            disk.rmdir(inner, name)
        else:
            disk.unlink(inner, name)
        is_empty = not os.listdir(inner)  # noqa: PTH208 - it is open, and has no path
    if folder and is_empty:
        _remove(disk, top, folder)


def _make_folders(disk: Disk, top: int, folder: str) -> None:
    if folder and look(top, folder) is None:
        _make_folders(disk, top, split(folder)[0])
        with opened(top, split(folder)[0]) as inner:
            disk.mkdir(inner, split(folder)[1])


def _contents(shadow: Shadow, files: Mapping[str, File]) -> Iterator[tuple[str, File, bytes]]:
    """Each of these files with its bytes; a hundred of them are one question."""
    paths = list(files)
    for first in range(0, len(paths), _AT_ONCE):
        some = paths[first : first + _AT_ONCE]
        for path, data in zip(some, _blobs(shadow, [files[path].blob for path in some]), strict=True):
            yield path, files[path], data


def _blobs(shadow: Shadow, names: Sequence[str]) -> Iterator[bytes]:
    told, at = shadow.git("cat-file", "--batch", stdin="\n".join(names).encode()), 0
    for _ in names:
        end = told.index(b"\n", at)
        size = int(told[at:end].split(b" ")[2])
        yield told[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
