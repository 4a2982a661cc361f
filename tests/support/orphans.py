"""Processes as killed Mavericks leave them: whoever has started and kept them is gone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from maverick_tui import keeper
from maverick_tui.kept import notes


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
    return int(told.stdout)


def survivor(mark: str) -> int:
    """One that carries this mark."""
    return orphan(["sleep", "600"], mark)
