"""A disk that is full: nothing that is typed can be written to it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from maverick_tui.history import whole_files


class FullDisk:
    """Takes nothing until there is room."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = True
        self.refused = 0
        self._write = whole_files.write_whole
        monkeypatch.setattr(whole_files, "write_whole", self._write_if_there_is_room)

    def _write_if_there_is_room(self, target: Path, pieces: Iterable[str]) -> int:
        if self.is_full:
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._write(target, pieces)
