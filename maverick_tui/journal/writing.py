"""Journal: writes a run's events to its file before anybody reads them. It neither ends the run nor holds it up."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from maverick_tui.events.kinds import ConnectFailed, Event, PermissionAsked, RunEnded, TurnEnded
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import hold, let_go, make_folder
from maverick_tui.journal.lines import Encoder
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

SYNC_EVERY = 1.0
"""Seconds after which what was written is on the disk, too, and not only safe from the end of this process."""
TRY_AGAIN = 1.0
"""Seconds until a disk that takes nothing is tried again."""
_WORTH_SYNCING = (TurnEnded, PermissionAsked, ConnectFailed, RunEnded)


class Journal:
    """The journal of one run. `on_trouble` is told, once, why nothing can be kept, and that it can be again.

    With a `size` it is one that is there, of which so many bytes are whole: the run goes on.
    """

    def __init__(self, path: Path, on_trouble: Callable[[str], None], *, size: int | None = None) -> None:
        self.path = path
        self._size = size
        self._on_trouble = on_trouble
        self._encoder = Encoder()
        self._unwritten = bytearray()
        self._descriptor: int | None = None
        self._is_in_trouble = False
        self._is_given_up = False
        self._try_at = 0.0
        self._trying_again: asyncio.TimerHandle | None = None
        self._is_dirty, self._is_urgent = asyncio.Event(), asyncio.Event()
        self._syncing: asyncio.Task[None] | None = None

    def claim(self) -> None:
        """Take the journal of a run that goes on. ConfigError if somebody else has it, or has gone on with the run."""
        run_id = self.path.parent.name
        try:
            self._descriptor = self._open()
        except BlockingIOError as error:
            raise ConfigError(
                f"The run {run_id} is still going on.",
                hint=f"Go to it with `maverick attach {run_id}`, or where it was started.",
            ) from error
        except _WentOnElsewhereError as error:
            text = f"The run {run_id} has gone on in another process meanwhile."
            raise ConfigError(text, hint="Open it again, and go on from there.") from error
        except OSError:
            log.info("%s cannot be opened yet", self.path)  # writing tells it

    def write(self, first: int, events: Sequence[Event]) -> None:
        """Write these events, the first of which has that number; what cannot be written waits in memory."""
        if self._is_given_up:
            return
        self._unwritten += self._encoder.lines(first, events)
        if self._is_in_trouble and time.monotonic() < self._try_at and not isinstance(events[-1], RunEnded):
            return
        self._write_or_tell(at_once=any(isinstance(event, _WORTH_SYNCING) for event in events))

    def _write_or_tell(self, *, at_once: bool) -> None:
        self._call_off_trying()
        try:
            self._write()
        except OSError as error:
            self._tell(error)
            if isinstance(error, _WentOnElsewhereError):
                self._is_given_up = True
                self._unwritten.clear()
            else:
                self._try_later()
            return
        if self._is_in_trouble:
            self._is_in_trouble = False
            self._on_trouble("The run is kept again: what could not be written has been.")
        self._sync_soon(at_once=at_once)

    def _try_later(self) -> None:
        """Try again in a moment, also if nothing comes by then; without an event loop, once something does."""
        self._try_at = time.monotonic() + TRY_AGAIN
        with suppress(RuntimeError):
            loop = asyncio.get_running_loop()
            self._trying_again = loop.call_later(TRY_AGAIN, lambda: self._write_or_tell(at_once=True))

    def _call_off_trying(self) -> None:
        if self._trying_again is not None:
            self._trying_again.cancel()

    def _write(self) -> None:
        if self._descriptor is None:
            self._descriptor = self._open()
        while self._unwritten:
            written = os.write(self._descriptor, self._unwritten)
            del self._unwritten[:written]  # the next attempt goes on where this one has stopped

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        if self._size is None:
            make_folder(self.path)
            descriptor = os.open(self.path, flags | os.O_CREAT | os.O_EXCL, 0o600)
        else:
            descriptor = os.open(self.path, flags)
        try:
            hold(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            raise
        except OSError:  # not every file system has locks
            log.info("%s cannot be locked", self.path)
        if self._size is not None:
            try:
                _cut_off(descriptor, self._size)
            except OSError:
                os.close(descriptor)
                raise
        return descriptor

    def _tell(self, error: OSError) -> None:
        if isinstance(error, _WentOnElsewhereError):
            self._on_trouble("This run has gone on in another process meanwhile: what comes here is not kept.")
        elif not self._is_in_trouble:
            self._is_in_trouble = True
            log.warning("The journal %s cannot be written: %s", self.path, error)
            if isinstance(error, BlockingIOError):
                self._on_trouble("This run goes on in another process, too: what comes here is not kept.")
                return
            hint = "Make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "Make it writable"
            self._on_trouble(
                f"This run is not kept: {error.strerror or error} ({self.path.parent}). It goes on, and what comes "
                f"stays in memory. {hint}, and all of it will be written."
            )

    def _sync_soon(self, *, at_once: bool) -> None:
        """Have the disk take what was written: now, or within a second. Without an event loop, at the end."""
        with suppress(RuntimeError):
            self._syncing = self._syncing or asyncio.get_running_loop().create_task(self._sync())
            self._is_dirty.set()
            if at_once:
                self._is_urgent.set()

    async def _sync(self) -> None:
        while await self._is_dirty.wait():
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(SYNC_EVERY):
                    await self._is_urgent.wait()
            self._is_dirty.clear()
            self._is_urgent.clear()
            if self._descriptor is not None:
                try:
                    await in_thread(_to_disk, os.dup(self._descriptor))  # it may be closed meanwhile
                except OSError as error:
                    self._tell(error)

    def close(self) -> None:
        """Say that the run's process is gone, and have the disk take all of it; nobody waits for that."""
        self._call_off_trying()
        if self._syncing is not None:
            self._syncing.cancel()
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            let_go(descriptor)
            threading.Thread(target=_to_disk_at_last, args=(descriptor,)).start()


class _WentOnElsewhereError(OSError):
    """The journal is not what it was when it was read."""


def _cut_off(descriptor: int, size: int) -> None:
    """Cut off what a process has left of its last line; whole lines behind that are those of somebody else."""
    there = os.fstat(descriptor).st_size
    os.lseek(descriptor, size, os.SEEK_SET)
    if there < size or b"\n" in os.read(descriptor, there - size):
        raise _WentOnElsewhereError
    os.ftruncate(descriptor, size)


def _to_disk(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _to_disk_at_last(descriptor: int) -> None:
    try:
        _to_disk(descriptor)
    except OSError as error:
        log.warning("The end of a journal may be lost if the machine stops now: %s", error)
