"""What is in a snapshot: its files, and their bytes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import NamedTuple

from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import EMPTY_TREE, Snapshot

_FEW = 50
"""Files up to which git is asked for them by their names; beyond, for all there are."""


class Entry(NamedTuple):
    """A file in a snapshot: its kind as git writes it, and the name of its bytes."""

    mode: str
    blob: str


def files(shadow: Shadow, snapshot: Snapshot) -> dict[str, Entry]:
    """All files in a snapshot by their paths."""
    return {
        f"{part.at}{path}": entry
        for part in snapshot.parts
        for tree in (part.kept, part.ignored)
        for path, entry in _listed(shadow, tree, "-r")
    }


def entries_of(shadow: Shadow, snapshot: Snapshot, paths: Collection[str]) -> dict[str, Entry]:
    """Those of some files that are in a snapshot."""
    if len(paths) > _FEW:
        return {path: entry for path, entry in files(shadow, snapshot).items() if path in paths}
    found: dict[str, Entry] = {}
    for part in snapshot.parts:
        names = [path[len(part.at) :] for path in paths if path.startswith(part.at)]
        for tree in (part.kept, part.ignored) if names else ():
            found |= {f"{part.at}{path}": entry for path, entry in _listed(shadow, tree, "--", *names)}
    return found


def entry_of(shadow: Shadow, snapshot: Snapshot, path: str) -> Entry | None:
    """One file in a snapshot; None if it is not there."""
    return entries_of(shadow, snapshot, {path}).get(path)


def bytes_of(shadow: Shadow, snapshot: Snapshot, path: str) -> bytes | None:
    """What was in a file; None if there was none. The bytes of a link are where it leads."""
    entry = entry_of(shadow, snapshot, path)
    return None if entry is None else shadow.blob(entry.blob)


def _listed(shadow: Shadow, tree: str, *which: str) -> Iterator[tuple[str, Entry]]:
    if tree == EMPTY_TREE:
        return
    options, names = (which, ()) if which[0] != "--" else ((), which)
    for line in shadow.git("ls-tree", *options, "-z", "--full-tree", tree, *names).split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, kind, blob = about.decode().split(" ")
        if kind == "blob":
            yield os.fsdecode(path), Entry(mode, blob)
