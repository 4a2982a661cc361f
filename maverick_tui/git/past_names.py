"""The names that files have in any commit of a repository: its index may have them no more, or not yet."""

from __future__ import annotations

import os
import time
from math import inf
from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import find_repository, read_small
from maverick_tui.git.tips import tips_of

SECONDS = 3.0
"""How long git may look through the commits: somebody waits for a call to be judged."""
_AGAIN_AFTER = 60.0
"""Seconds in which nobody waits again for a git that was not done in time."""
_CUT_OFF_BY = ("shallow", "info/grafts")
"""Files that say where history ends, or goes on: `git fetch --unshallow` brings all of it to the same tips."""
_MOST_CUT_OFF = 16 << 20
"""Bytes of such a file that are read."""
_known: dict[Path, tuple[object, frozenset[bytes]]] = {}
_given_up_at: dict[Path, float] = {}


def past_names(top: Path) -> frozenset[bytes] | None:
    """All names, from the top on; None if git does not tell them in time."""
    if time.monotonic() - _given_up_at.get(top, -inf) < _AGAIN_AFTER:
        return None
    history = _history(top)
    known_of, names = _known.get(top, (None, None))
    if history is not None and history != known_of:
        names = _names(top)
        if names is not None:
            _known[top] = history, names
    if history is None or names is None:
        _given_up_at[top] = time.monotonic()
        return None
    return names


def _history(top: Path) -> object | None:
    """What decides which commits there are: two that are equal have the same; None if git does not tell it in time."""
    begin, repository = tips_of(top), find_repository(top)
    tips = None if begin is None else ask(top, "log", *begin, "--no-walk", "--format=%H", seconds=SECONDS)
    if tips is None or repository is None:
        return None
    cut_off = (repository.common / name for name in _CUT_OFF_BY)
    ends = [read_small(file, _MOST_CUT_OFF) if os.path.lexists(file) else "" for file in cut_off]
    return None if None in ends else (tips, *ends)


def _names(top: Path) -> frozenset[bytes] | None:
    # A merge may have what none of its parents has.
    shown = ("--root", "-c", "--no-renames", "--name-only", "--format=", "-z")
    begin = tips_of(top)
    told = None if begin is None else ask(top, "log", *begin, *shown, seconds=SECONDS)
    return None if told is None else frozenset(filter(None, told.split(b"\0")))
