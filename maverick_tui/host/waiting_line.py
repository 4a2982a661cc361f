"""WaitingLine: of all runs with hosts, so many work at once; the others wait in the order of asking.

Whoever wants to work draws a number: a file that its owner locks, in a folder that stays when the user logs out, while
runs work on. Those with the lowest numbers whose owners live may work. There is no list that could be wrong, and nobody
who keeps it: the system lets go of the lock of a process that was killed, and the next in the line sees it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.events.kinds import Noticed
from maverick_tui.exceptions import ConfigError
from maverick_tui.host.places import is_at, make_runtime_folder, require_own, runtime_folder
from maverick_tui.journal.folders import is_alive
from maverick_tui.runs.admission import TURN_COMES, WAITS_FOR_TURN
from maverick_tui.runs.log import EventLog

log = logging.getLogger(__name__)

LOOK_EVERY = 0.2
"""Seconds between looks whether it is one's turn."""
RESTS_AFTER = 0.5
"""Seconds between looks whether a run that may work has nothing to do."""
NUMBER = ".turn"

_MACHINE = Path("/etc/machine-id")


def numbers_folder() -> Path:
    """Where numbers are drawn; it need not exist. Each machine has its own, for several may share a home directory."""
    try:
        machine = _MACHINE.read_text().strip()
    except OSError:  # not every system has one
        machine = ""
    return paths.user_state() / "turns" / (machine or "here")


class WaitingLine:
    """The place of one run among those that work, or wait."""

    def __init__(self, run_id: str, most: int, events: EventLog) -> None:
        """`most` runs work at once; with 0 this one need not wait, and counts for others that have to."""
        self._run_id = run_id
        self._most = most
        self._events = events
        self._number: _Number | None = None
        self._may_work = asyncio.Event()
        self._told = 0
        """How many were before it when that was last told."""

    def try_enter(self) -> bool:
        """Whether it may work, from now until it leaves. If not, it has its place among those that wait."""
        if self._may_work.is_set():
            return True
        try:
            before = self._before()
        except (ConfigError, OSError):  # to work above the limit is better than not to work
            log.exception("Nobody knows whether it is this run's turn, so it is")
            before = 0
        self._tell(before)
        if not before:
            self._may_work.set()
        return not before

    async def enter(self) -> None:
        """Wait until it may work."""
        while not self.try_enter():  # noqa: ASYNC110 - it depends on other processes
            await asyncio.sleep(LOOK_EVERY)

    async def entered(self) -> None:
        """Return when it may work, without asking for it."""
        await self._may_work.wait()

    def leave(self) -> None:
        """It works no more, and waits no more."""
        number, self._number, self._told = self._number, None, 0
        self._may_work.clear()
        if number is not None:
            number.give_back()

    async def give_way(self, is_idle: Callable[[], bool]) -> None:
        """Leave whenever the run has nothing to do: it asks again when it has."""
        while True:
            await self._may_work.wait()
            await asyncio.sleep(RESTS_AFTER)
            if is_idle():
                self.leave()

    def _before(self) -> int:
        """How many runs have to rest before it is this one's turn."""
        if self._number is None:
            self._number = _drawn(self._run_id)
        return max(self._number.before() - self._most + 1, 0) if self._most else 0

    def _tell(self, before: int) -> None:
        if before == self._told:
            return
        self._told, at = before, self._events.now()
        if before:
            text = f"It waits for its turn: {before} before it (max_runs is {self._most})."
            self._events.emit(Noticed(at, WAITS_FOR_TURN, text))
        else:
            self._events.emit(Noticed(at, TURN_COMES, "It is its turn."))


class _Number:
    """A number that was drawn, and the file that stands for it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @property
    def value(self) -> int:
        return int(self.path.stem)

    def before(self) -> int:
        """How many come before it, and live; what the others have left is removed."""
        numbers = [path for path in _numbers(self.path.parent) if int(path.stem) < self.value]
        if self.path.parent == numbers_folder():
            numbers += _beside_sockets()
        alive = 0
        for path in numbers:
            if is_alive(path):
                alive += 1
            else:
                remove_left(path)
        return alive

    def give_back(self) -> None:
        if is_at(self.path, self._descriptor):
            with suppress(OSError):
                self.path.unlink()  # while it is still locked
        os.close(self._descriptor)


def _numbers(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.suffix == NUMBER and path.stem.isdecimal())


def _beside_sockets() -> list[Path]:
    """Numbers of hosts of older versions, which draw them there alone.

    All of them come first: those hosts know of no others, so none of them ever waits for us.
    """
    folder = runtime_folder()
    with suppress(OSError, ConfigError):  # it may be gone, or somebody else's
        require_own(folder)
        return [*_numbers(folder)]
    return []


def _drawn(run_id: str) -> _Number:
    """Draw the next number; beside the sockets where the disk is full, cannot be written, or has no locks."""
    try:
        paths.make_private(numbers_folder())
        return _drawn_in(numbers_folder(), run_id)
    except OSError as error:
        log.info("No number can be drawn in %s: %s", numbers_folder(), error)
        return _drawn_in(make_runtime_folder(), run_id)


def _drawn_in(folder: Path, run_id: str) -> _Number:
    import fcntl

    coming = folder / f"{run_id}.drawing"
    coming.unlink(missing_ok=True)
    descriptor = os.open(coming, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        # It is locked before it has its name: else its owner would seem to be gone.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        value = max((int(path.stem) for path in _numbers(folder)), default=0) + 1
        while True:
            path = folder / f"{value:012d}{NUMBER}"
            try:
                path.hardlink_to(coming)
            except FileExistsError:  # somebody was quicker
                value += 1
            else:
                break
    except OSError:
        os.close(descriptor)
        raise
    finally:
        coming.unlink(missing_ok=True)
    return _Number(path, descriptor)


def remove_left(path: Path) -> None:
    """Remove the number of one that was killed, unless somebody else has that number by now."""
    import fcntl

    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(path, descriptor):
                path.unlink()
        finally:
            os.close(descriptor)
