"""Processes of agents that have outlived Maverick and both keepers, all killed at once: the next Maverick ends them.

They carry a mark whose owner is gone. That alone does not tell: editors, terminals and services give an environment on
to what they start for somebody, and that is the person's own. So it must also hang on a process that has lost its
parent, and that one must be where its owner was (`keeper.place_of`).
"""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui import keeper
from maverick_tui.host.places import runtime_folder
from maverick_tui.host.strays import OWNER, environment_of, folder_of, own_processes

_OWNED = re.compile(r"(\d{1,9})\.(\d{1,20})\.(\w{1,64})")
_USERS_INIT = b"systemd"
"""Whoever inherits orphans if not the first process of all: that of a user."""

log = logging.getLogger(__name__)


class Survivor(NamedTuple):
    """A process, and when it began: its number may be another's by now."""

    pid: int
    start: int

    @property
    def is_there(self) -> bool:
        """Whether it still runs."""
        with suppress(OSError, ValueError):
            status = keeper.Status(self.pid)
            return status.start == self.start and not status.has_ended
        return False

    def tell(self, number: int) -> None:
        """Send a signal to it, and to no other."""
        if not hasattr(os, "pidfd_open"):
            return
        with suppress(OSError):  # it is gone
            handle = os.pidfd_open(self.pid)
            try:
                if self.is_there:
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)


class _Marked(NamedTuple):
    words: list[bytes]
    status: keeper.Status
    marks: set[tuple[str, str]]
    """With their values."""


def end_survivors() -> None:
    """End them: first politely, then not."""
    found: set[Survivor] = set()

    def left() -> list[Survivor]:
        found.update(survivors())
        return [one for one in found if one.is_there]

    keeper.end(left, Survivor.tell)
    if found:
        log.warning(
            "A Maverick that was killed had left processes, which were ended: %s", sorted(one.pid for one in found)
        )


def survivors() -> set[Survivor]:
    """Those that there are at this moment; none where the system does not tell (not Linux)."""
    if keeper.owner() == keeper.NOBODY:
        return set()
    marked = dict(_marked())
    ours = {mark for pid in _line_of(os.getpid()) if pid in marked for mark in marked[pid].marks}
    found = set()
    for mark in {mark for one in marked.values() for mark in one.marks} - ours:
        carriers = {pid: one for pid, one in marked.items() if mark in one.marks}
        if (place := _place_without_keeper(mark[1], carriers)) is None:
            continue
        for pid, one in carriers.items():
            if _hangs_on_orphan(pid, carriers, place):
                found.add(Survivor(pid, one.status.start))
    return found


def _marked() -> Iterator[tuple[int, _Marked]]:
    for pid, words in own_processes():
        with suppress(OSError, ValueError):  # it has ended meanwhile, or is not for us to read
            status = keeper.Status(pid)  # before its marks: those of another by that number are not taken for its own
            told = environment_of(pid)
            if marks := {(name, value) for name, value in told.items() if name.startswith(keeper.MARK)}:
                yield pid, _Marked(words, status, marks)


def _line_of(pid: int) -> Iterator[int]:
    """A process, its parent, and so on; without the first of all."""
    with suppress(OSError, ValueError):
        while pid > 1:
            yield pid
            pid = keeper.Status(pid).parent


def _place_without_keeper(value: str, carriers: dict[int, _Marked]) -> str | None:
    """Where the owner was that the mark's value names, if it and its keepers are gone."""
    if (told := _OWNED.fullmatch(value)) is None:
        return None
    pid, start, place = told.groups()
    keeps = [pid.encode()]
    for one in carriers.values():  # a keeper of any Maverick's
        if one.words[OWNER : OWNER + 1] == keeps and Path(os.fsdecode(one.words[OWNER - 1])).name == "keeper.py":
            return None
    return place if _is_gone(int(pid), int(start)) else None


def _is_gone(pid: int, start: int) -> bool:
    try:
        os.kill(pid, 0)
        status = keeper.Status(pid)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's, of whom we may not be told more
        return False
    return status.start != start or status.has_ended


def _hangs_on_orphan(pid: int, carriers: dict[int, _Marked], place: str) -> bool:
    """Whether the first of its line with this mark was inherited by somebody, and is where its owner was."""
    for _ in carriers:
        if (parent := carriers[pid].status.parent) not in carriers:
            break
        pid = parent
    with suppress(OSError):
        if parent == 1 or Path(f"/proc/{parent}/comm").read_bytes().strip() == _USERS_INIT:
            return keeper.place_of(pid) == place and folder_of(pid) == runtime_folder()
    return False
