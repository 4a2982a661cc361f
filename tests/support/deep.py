"""Folders nested deeper than Python calls itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maverick_tui.removing import remove_folder


@contextmanager
def dug(top: Path, name: str, depth: int) -> Iterator[int]:
    """Folders in one another; the innermost, open. Pytest could not remove them."""
    here = os.open(top, os.O_RDONLY)
    try:
        for _ in range(depth):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)
        remove_folder(top / name)
