"""One writer at a time, among all programs of the user that write to a folder's files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = ".lock"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """While nobody else writes to the folder's files. On Windows two may collide."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
