"""Which files a prompt can name: those that git knows or would take in; outside a repository, those that are near.

Everything here is done in a thread. Names are split and looked at in portions: one step over a hundred thousand of them
would hold up the keys, whichever thread takes it.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import persons_repository
from maverick_tui.inert import one_line

MOST_WALKED = 20_000
"""Entries of folders that are looked at outside a repository."""
WALK_SECONDS = 2.0
_PORTION = 64 * 1024
"""Bytes of names that are split at once."""
_NOT_ENTERED = frozenset(("node_modules", "__pycache__", "site-packages", "target"))


def read_names(folder: Path, stop: Callable[[], bool] = lambda: False) -> list[str]:
    """Names of the files below a folder, as a prompt would have them: those in the folder itself first."""
    told = None
    if persons_repository(folder) is not None:
        told = ask(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", stop=stop)
    names = _split(told) if told is not None else _walked(folder, stop)
    known = [name for name in names if _can_be_typed(name)]
    near = [name for name in known if "/" not in name]
    return near + [name for name in known if "/" in name]


def _can_be_typed(name: str) -> bool:
    """Whether a name stands in a prompt as it is: in another form it would name another file, or none."""
    if not (name.isascii() and name.isprintable()) and one_line(name) != name:
        return False
    return '"' not in name


def _split(told: bytes) -> Iterator[str]:
    left = b""
    for at in range(0, len(told), _PORTION):
        *whole, left = (left + told[at : at + _PORTION]).split(b"\0")
        yield from _decoded(whole)


def _decoded(names: Iterable[bytes]) -> Iterator[str]:
    for name in names:
        try:
            yield name.decode()
        except UnicodeDecodeError:  # nobody can type it
            continue


def _walked(folder: Path, stop: Callable[[], bool]) -> Iterator[str]:
    """Files in a folder and below it, the nearest first; links are not followed, and hidden folders not entered."""
    left, until = MOST_WALKED, time.monotonic() + WALK_SECONDS
    waiting = deque([""])
    while waiting:
        below = waiting.popleft()
        try:
            with os.scandir(folder / below) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            left -= 1
            if left < 0 or time.monotonic() > until or stop():
                return
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_ENTERED and not entry.name.startswith("."):
                    waiting.append(f"{below}{entry.name}/")
            else:
                yield f"{below}{entry.name}"
