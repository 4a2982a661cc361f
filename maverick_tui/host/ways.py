"""How a run's host is reached: by its socket on this machine, or by whatever leads to another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import NetworkError
from maverick_tui.host.places import has_host, require_own, require_same_user, runtime_folder, socket_of
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal

LONGEST_EVENT = 64 * 1024 * 1024
"""Bytes of the longest line of a host's: one event, with all that a tool has returned."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class HostGoneError(NetworkError):
    """It is known that nobody serves the run any more: to try again would be in vain."""


class AwayError(NetworkError):
    """A machine cannot be reached. If that `is_lasting`, it stays so until somebody puts it right."""

    def __init__(self, message: str, *, hint: str = "", is_lasting: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.is_lasting = is_lasting


class Way(Protocol):
    """A way to the hosts of one machine."""

    @property
    def machine(self) -> str:
        """The machine that it leads to; empty for this one."""

    def opened(self, run_id: str) -> AbstractAsyncContextManager[Streams]:
        """What a run's host says, and is told. NetworkError if there is no way now, ConfigError if never."""

    async def may_live(self, run_id: str) -> bool:
        """Whether a host that could not be read may still be there."""

    async def kept(self, run_id: str, since: int) -> list[Event]:
        """What is kept of the run, from that event on. ConfigError if it is not kept."""


class LocalWay:
    """The sockets of this machine."""

    machine = ""

    @asynccontextmanager
    async def opened(self, run_id: str) -> AsyncIterator[Streams]:
        """The socket of the run's host."""
        path = socket_of(run_id)
        try:
            require_own(runtime_folder())
            reader, writer = await asyncio.open_unix_connection(str(path), limit=LONGEST_EVENT)
        except (FileNotFoundError, ConnectionError) as error:
            raise NetworkError(f"The run {run_id} has no host on this machine.") from error
        try:
            require_same_user(writer.get_extra_info("socket"))
            yield reader, writer
        finally:
            writer.close()

    async def may_live(self, run_id: str) -> bool:
        """Whether its process holds its place: the system knows."""
        return await asyncio.to_thread(has_host, run_id)

    async def kept(self, run_id: str, since: int) -> list[Event]:
        """What its journal has."""
        return (await asyncio.to_thread(read_journal, journal_of(run_id))).events[since:]


THIS_MACHINE = LocalWay()
