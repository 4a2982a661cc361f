"""Reads what somebody else may have made: a link to a device has no end, and would take all memory."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

_PIECE = 1_000_000


def read_whole(path: Path, most: int) -> bytes:
    """All of a file, or of a pipe, as `<(...)` is one to whoever names it. OSError if it is none, or has more bytes."""
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise OSError(errno.EINVAL, "It is not a file")
        return read_to_end(file, most)


def read_to_end(file: BinaryIO, most: int) -> bytes:
    """What comes to the end. OSError if it is more bytes."""
    content = bytearray()
    # In pieces: room for all that is allowed would be taken at once.
    while piece := file.read(min(_PIECE, most + 1 - len(content))):
        content += piece
        if len(content) > most:
            raise OSError(errno.EFBIG, f"It has more than {most:,} bytes")
    return bytes(content)


def from_json(text: str | bytes) -> Any:
    """What it says. ValueError if it is no JSON, or nested deeper than Python follows."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
