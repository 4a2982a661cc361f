"""Writes a file as a whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from maverick_tui.paths import named_if_it_fails


def in_the_way(target: Path) -> str:
    """What a person is to be asked about before a file is written there; nothing if they need not be.

    A link of a clone may lead anywhere, also to where nothing is yet. What the system has for it, as /dev/stdout, is
    for being written to.
    """
    if is_no_file(target) and (target.is_relative_to("/dev") or target.is_relative_to("/proc")):
        return ""
    if target.is_symlink():
        return f"is a link to {os.path.realpath(target)}"
    if is_no_file(target):
        return "is a pipe" if target.is_fifo() else "is not a file"
    return "exists already" if target.exists() else ""


def is_no_file(target: Path) -> bool:
    """Whether it is a pipe or a device: written to as it is, and not replaced."""
    return target.exists() and not target.is_file()


def write_whole(target: Path, pieces: Iterable[str]) -> int:
    """Write the pieces in UTF-8 and put them in the place of whatever is there; how many bytes they are.

    A new file is for its owner alone; one that is replaced keeps its mode. Pipes and devices are written to
    as they are: OSError if nobody reads from a pipe, which would be waited for. One of a full disk names the target.
    """
    if is_no_file(target):
        with _opened(target) as stream:
            return sum(stream.write(_encoded(piece)) for piece in pieces)
    target = target.resolve()  # what a link leads to is replaced, not the link
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    new = Path(name)
    try:
        with named_if_it_fails(target), os.fdopen(descriptor, "wb") as stream:
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


def _opened(target: Path) -> BinaryIO:
    if sys.platform == "win32":
        return target.open("wb")
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO and target.is_fifo():
            raise OSError(errno.ENXIO, "it is a pipe, and nobody reads from it") from error
        raise
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _encoded(piece: str) -> bytes:
    return piece.encode("utf-8", "replace")  # a half of a character has no bytes of its own
