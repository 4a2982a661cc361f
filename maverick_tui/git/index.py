"""What the index of a repository has besides files: links and submodules."""

from __future__ import annotations

import os
from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import Repository

LINK, SUBMODULE = b"120000 ", b"160000 "
"""The modes of what is no file, as git says them."""
_STORED = {LINK: b"\x00\x00\xa0\x00", SUBMODULE: b"\x00\x00\xe0\x00"}
"""The same, as they are in an index."""
_SPARSE = b"sdir"
"""Marks an index that has whole folders as one entry, in which there may be anything."""
_LARGEST = 256 * 1024 * 1024
"""Bytes that indexes may have together: git looks only at those that it needs, and an empty one can seem large."""


def in_index(repository: Repository, *modes: bytes, is_sparse: bool = False) -> dict[bytes, list[Path]] | None:
    """Where the index of a repository has something with each of these modes; None if that cannot be known.

    `is_sparse` says that settings have it leave out folders.
    """
    found: dict[bytes, list[Path]] = {mode: [] for mode in modes}
    try:
        files = [repository.own / "index", *repository.own.glob("sharedindex.*")]
        if sum(file.stat().st_size for file in files if file.is_file()) > _LARGEST:
            return None
        indexes = [file.read_bytes() for file in files if file.is_file()]
    except OSError:
        return None
    signs = [_SPARSE, *(_STORED[mode] for mode in modes)]
    if not is_sparse and not any(sign in index for index in indexes for sign in signs):
        return found  # quicker than asking, and nearly always so
    told = ask(repository.top, "ls-files", "--stage", "-z", only=modes)
    if told is None:
        return None
    for entry in told.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        found[about[: len(LINK)]].append(repository.top / os.fsdecode(name))
    return found
