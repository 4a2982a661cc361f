"""Processes as killed Mavericks leave them: whoever has started and kept them is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from maverick_tui import keeper
from maverick_tui.kept import notes
from tests.support.processes import PAUSE


def noted(place: bytes | None = None) -> str:
    """A mark whose note nobody holds any more, from where we are if not from another place."""
    notes().mkdir(parents=True, exist_ok=True)
    mark = keeper.new_mark()
    (notes() / mark).write_bytes(keeper.place_of(os.getpid()) if place is None else place)
    return mark


def orphan(words: Sequence[str], mark: str) -> int:
    """Start it, in a session of its own and with a parent that is gone; returns its number."""
    script = 'setsid "$@" </dev/null >/dev/null 2>&1 & echo $!'
    told = subprocess.run(
        ["sh", "-c", script, "sh", *words], env={**os.environ, mark: "1"}, capture_output=True, text=True, check=True
    )
    pid = int(told.stdout)
    while not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(words[0].encode()):
        time.sleep(PAUSE)  # on its way there its environment cannot be read for a moment
    heir = keeper.Status(pid).parent
    if heir != 1 and Path(f"/proc/{heir}/comm").read_text().strip() != "systemd":
        os.kill(pid, signal.SIGKILL)
        pytest.skip("somebody inherits orphans who may be at work with them: a keeper of ours, say")
    return pid


def survivor(mark: str) -> int:
    """One that carries this mark."""
    return orphan(["sleep", "600"], mark)
