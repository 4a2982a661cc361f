"""Writes a file as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def in_the_way(target: Path) -> str:
    """What a person is to be asked about before a file is written there; nothing if they need not be.

    A link of a clone may lead anywhere, also to where nothing is yet.
    """
    if target.is_symlink():
        return f"is a link to {os.path.realpath(target)}"
    return "exists already" if target.exists() else ""


def write_whole(target: Path, pieces: Iterable[str]) -> int:
    """Write the pieces in UTF-8 and put them in the place of whatever is there; how many bytes they are.

    A new file is for its owner alone; one that is replaced keeps its mode. Pipes and devices are written to
    as they are.
    """
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            return sum(stream.write(_encoded(piece)) for piece in pieces)
    target = target.resolve()  # what a link leads to is replaced, not the link
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            size = sum(stream.write(_encoded(piece)) for piece in pieces)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            new.chmod(target.stat().st_mode & 0o777)
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return size


def _encoded(piece: str) -> bytes:
    return piece.encode("utf-8", "replace")  # a half of a character has no bytes of its own
