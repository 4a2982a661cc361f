"""Reads the events of a run while it goes on: from its journal, or from its host where it has none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.events.kinds import Event
from maverick_tui.host import asking
from maverick_tui.host.places import has_host
from maverick_tui.host.remote import RemoteRun
from maverick_tui.journal.folders import journal_of, require_kept
from maverick_tui.journal.following import Follower
from maverick_tui.journal.masked_events import MaskedEvents


class ThreadedFollower:
    """As `journal.following.Follower`, for what a thread of its own hears from elsewhere."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.is_alive = True
        self.problem = ""
        self.is_foreign = False
        """Whether it is a session of Claude Code."""
        self._events: list[Event] = []
        self._has_ended = False
        self._was_alive = True
        """Whether the run was, when the thread had ended."""
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self._is_there = threading.Event()
        """Set once all that was there at the beginning has come."""

    def _start(self) -> None:
        """Wait for what has come so far. Errors are those of the way there."""
        threading.Thread(target=self._run, name="maverick-follower", daemon=True).start()
        self._is_there.wait()
        if self._error is not None:
            raise self._error

    def more(self) -> list[Event]:
        """What has come since the last time."""
        with self._lock:
            events, self._events = self._events, []
            if self._error is not None and not events:
                raise self._error
            self.is_alive = not self._has_ended or self._was_alive
        return events

    def _run(self) -> None:
        try:
            asyncio.run(self._read())
        except Exception as error:  # whoever waits for the run hears of it, instead of waiting for ever
            self._error = error
        finally:
            self._has_ended = True
            self._is_there.set()

    async def _read(self) -> None:
        """Read to the end."""
        raise NotImplementedError

    def _take(self, events: list[Event]) -> None:
        with self._lock:
            self._events += events


class HostFollower(ThreadedFollower):
    """Reads a run that is not kept, masked by what this process knows to be secret.

    It is no reader: nobody looks at the run by it.
    """

    def __init__(self, run_id: str) -> None:
        """Wait for what has come so far. NetworkError or ConfigError if its host cannot be asked."""
        super().__init__(run_id)
        self._start()

    async def _read(self) -> None:
        async with _unseen(self.run_id) as (remote, serving):
            masked, reader = MaskedEvents(), remote.events.reader(0)
            self._take(masked.add(0, reader.take()))
            self._is_there.set()
            while await remote.events.wait(reader.number):
                first = reader.number
                self._take(masked.add(first, reader.take()))
            await serving
            self._was_alive = False


async def masked_past(run_id: str) -> list[Event]:
    """What a run has told so far, masked by its host, which knows what is secret there.

    NetworkError or ConfigError if that cannot be asked.
    """
    async with _unseen(run_id) as (remote, _):
        return await remote.past()


@asynccontextmanager
async def _unseen(run_id: str) -> AsyncIterator[tuple[RemoteRun, asyncio.Task[None]]]:
    """The run as its host tells it to who is no reader, with what has come so far; and what reads it."""
    # A reader would try again for as long as the host lives.
    await asking.ask_host(run_id, asking.HEARS_WITHIN)
    remote = RemoteRun(run_id, is_read_only=True, is_unseen=True)
    serving = asyncio.create_task(remote.serve())
    try:
        await remote.past()
        if remote.hello is None:
            await serving  # which says why
        yield remote, serving
    finally:
        serving.cancel()
        await asyncio.wait({serving})


def follower_of(run_id: str) -> Follower | HostFollower:
    """What reads the run as it grows. ConfigError if nothing is kept of it, and no host lives.

    Of a run that has begun with a full disk, only its host knows anything.
    """
    if not _is_written(journal_of(run_id)) and has_host(run_id):
        return HostFollower(run_id)
    return Follower(require_kept(run_id))


def _is_written(journal: Path) -> bool:
    try:
        return journal.stat().st_size > 0
    except FileNotFoundError:
        return False
