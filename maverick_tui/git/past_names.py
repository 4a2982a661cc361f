"""The names that files have in any commit of a repository: its index may have them no more, or not yet."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from maverick_tui.git.asking import ask

_SECONDS = 3.0
"""How long git may look through the commits: somebody waits for a call to be judged."""
_ALL = ("--all", "--reflog")


def past_names(top: Path) -> frozenset[bytes] | None:
    """All names, from the top on; None if git does not tell them in time."""
    tips = ask(top, "log", *_ALL, "--no-walk", "--format=%H", seconds=_SECONDS)
    return None if tips is None else _names(top, tips)


@lru_cache(maxsize=8)
def _names(top: Path, _tips: bytes) -> frozenset[bytes] | None:
    # A merge may have what none of its parents has.
    shown = ("--root", "-c", "--no-renames", "--name-only", "--format=", "-z")
    told = ask(top, "log", *_ALL, *shown, seconds=_SECONDS)
    return None if told is None else frozenset(filter(None, told.split(b"\0")))
