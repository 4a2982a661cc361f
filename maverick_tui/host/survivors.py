"""Processes of agents that have outlived Maverick and both keepers, all killed at once: the next Maverick ends them.

That this has happened is told by a note that the keepers have left (`kept.py`). What carries its mark need not be the
agent's: editors and terminals hand an environment on to what they start for somebody, and that is the person's own. So
it must also hang on a process that has lost its parent, and that one must be where its keepers were.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui import keeper
from maverick_tui.host.strays import environment_of, own_processes
from maverick_tui.inert import one_line
from maverick_tui.kept import notes

_USERS_INIT = b"systemd"
"""Whoever inherits orphans if not the first process of all: that of a user."""
_PAUSE = 0.1
"""Seconds between two looks at all processes."""

log = logging.getLogger(__name__)


class Survivor(NamedTuple):
    """A process, and when it began: its number may be another's by now."""

    pid: int
    start: int
    program: str

    @property
    def is_there(self) -> bool:
        """Whether it still runs."""
        with suppress(OSError, ValueError):
            status = keeper.Status(self.pid)
            return status.start == self.start and not status.has_ended
        return False

    def tell(self, number: int) -> None:
        """Send a signal to it, and to no other."""
        handle = None
        with suppress(OSError):  # it is gone, or the kernel is old
            handle = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None  # some builds of Python lack it
        try:
            if self.is_there:
                with suppress(ProcessLookupError, PermissionError):
                    if handle is None:
                        os.kill(self.pid, number)
                    else:
                        signal.pidfd_send_signal(handle, number)
        finally:
            if handle is not None:
                os.close(handle)


def end_survivors(say: Callable[[str], object] = log.warning) -> None:
    """End them, first politely, then not, and say what that were. Where nobody was killed this looks into a folder."""
    found: set[Survivor] = set()

    def left() -> list[Survivor]:
        found.update(survivors())
        return [one for one in found if one.is_there]

    keeper.end(left, Survivor.tell, _PAUSE)
    if gone := sorted(f"{one.program} ({one.pid})" for one in found if not one.is_there):
        say(f"What a killed Maverick's agent had left behind was ended: {one_line(', '.join(gone))}.")
    if not left():
        for note in _of_killed() - _around_us():
            (notes() / note).unlink(missing_ok=True)


def survivors() -> set[Survivor]:
    """Those that there are at this moment; none where the system does not tell (not Linux)."""
    found = set()
    for note in _of_killed() - _around_us():
        carriers = dict(_carriers(note))
        with suppress(OSError):  # another Maverick has removed it
            place = (notes() / note).read_bytes()
            found |= {carriers[pid][0] for pid in carriers if _hangs_on_orphan(pid, carriers, place)}
    return found


def _of_killed() -> set[str]:
    """The marks of what was kept by keepers that are gone, and have not come to its end."""
    if sys.platform != "linux":
        return set()
    import fcntl

    found = set()
    with suppress(OSError):  # there is no such folder
        for note in notes().iterdir():
            with suppress(OSError), note.open("rb") as file:  # it goes, or a keeper lives, who has locked it
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.add(note.name)
    return found


def _around_us() -> set[str]:
    """The marks of what we were started in."""
    found, pid = set[str](), os.getpid()
    while pid > 1:
        with suppress(OSError):  # somebody else's
            found.update(environment_of(pid))
        try:
            pid = keeper.Status(pid).parent
        except OSError:  # it has ended meanwhile
            break
    return found


def _carriers(mark: str) -> Iterator[tuple[int, tuple[Survivor, int]]]:
    """The processes with a mark, by their numbers, and who their parents are."""
    for pid, words in own_processes():
        with suppress(OSError, ValueError):  # it has ended meanwhile, or is not for us to read
            status = keeper.Status(pid)  # before its marks: those of another by that number are not taken for its own
            if mark in environment_of(pid):
                yield pid, (Survivor(pid, status.start, Path(os.fsdecode(words[0])).name), status.parent)


def _hangs_on_orphan(pid: int, carriers: Mapping[int, tuple[Survivor, int]], place: bytes) -> bool:
    """Whether the first of its line with this mark was inherited by somebody, and is where its keepers were."""
    for _ in carriers:
        if (parent := carriers[pid][1]) not in carriers:
            break
        pid = parent
    with suppress(OSError):
        if parent == 1 or Path(f"/proc/{parent}/comm").read_bytes().strip() == _USERS_INIT:
            return keeper.place_of(pid) == place
    return False
