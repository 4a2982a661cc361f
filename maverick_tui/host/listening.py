"""A socket in its place: held by one host at a time, and put back where somebody has removed it."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.host.leftovers import tidy_up
from maverick_tui.host.lines import LONGEST
from maverick_tui.host.places import LOCK, is_at, make_runtime_folder, socket_of
from maverick_tui.host.survivors import end_survivors
from maverick_tui.threads import in_thread

LOOK_EVERY = 2.0
"""Seconds after which a socket is missed that somebody has removed: a system does so when its user logs out."""

_TRIES, _TRY_EVERY = 5, 0.02
"""How often, and after how many seconds, a lock is tried: whoever looks whether a host lives has it for a moment."""

Welcome = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(run_id: str, welcome: Welcome) -> AsyncIterator[None]:
    """While readers of a run can come. ConfigError if the place is not ours, or taken by a host that lives."""
    make_runtime_folder()
    tidy_up()
    place = _Place(run_id, welcome)
    try:
        await place.take()
        beside = {
            asyncio.create_task(place.keep(), name="maverick-socket"),
            asyncio.create_task(_end_survivors(), name="maverick-survivors"),
        }
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
    finally:
        place.leave()


async def _end_survivors() -> None:
    await asyncio.sleep(LOOK_EVERY)  # whoever waits for the run goes first
    await in_thread(end_survivors)


class _Place:
    """The socket and the lock of one run."""

    def __init__(self, run_id: str, welcome: Welcome) -> None:
        self._run_id = run_id
        self._welcome = welcome
        self._path = socket_of(run_id)
        self._lock_path = self._path.with_suffix(LOCK)
        self._lock = _locked(self._lock_path, run_id)
        self._server: asyncio.Server | None = None
        self._socket: tuple[int, int] | None = None
        """Which one at the path is ours."""

    async def take(self) -> None:
        """Listen at the path; whoever comes finds either nothing there, or somebody who answers."""
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        coming = self._path.with_name(f".{os.urandom(8).hex()}")
        try:
            _bind(opened, coming)
        except OSError:
            opened.close()
            raise
        opened.setblocking(False)
        old, self._server = self._server, await asyncio.start_unix_server(self._welcome, sock=opened, limit=LONGEST)
        coming.rename(self._path)
        self._socket = _socket_at(self._path)
        if old is not None:
            old.close()

    async def keep(self) -> None:
        """Come back when socket or lock are gone."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            with suppress(OSError, ConfigError):  # the folder may be gone until somebody logs in again
                if not is_at(self._lock_path, self._lock):
                    make_runtime_folder()
                    old, self._lock = self._lock, _locked(self._lock_path, self._run_id)
                    os.close(old)
                if _socket_at(self._path) != self._socket:
                    await self.take()

    def leave(self) -> None:
        """Take away what is ours; what is another one's stays."""
        if self._server is not None:
            self._server.close()
        if self._socket is not None and _socket_at(self._path) == self._socket:
            _remove(self._path)
        if is_at(self._lock_path, self._lock):
            _remove(self._lock_path)  # while it is still locked
        os.close(self._lock)


def _locked(path: Path, run_id: str) -> int:
    """Hold the place of this run. ConfigError if a host that lives has it."""
    import fcntl

    tries = _TRIES
    while True:
        if path.is_symlink():
            raise ConfigError(f"{path}, by which the host of the run {run_id} is known, is a link.", hint="Remove it.")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if tries := tries - 1:
                time.sleep(_TRY_EVERY)
                continue
            raise ConfigError(
                f"The run {run_id} has a host already.", hint=f"See it with `maverick attach {run_id}`."
            ) from error
        if is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # its owner has removed it meanwhile


def _bind(opened: socket.socket, path: Path) -> None:
    """Give the socket its path, for us alone.

    A system may tell all its users what sockets there are, by the words that they were bound with. So these are,
    where that can be, neither the folder's nor the run's.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    before = os.umask(0o177)
    try:
        nameless = Path(f"/proc/self/fd/{folder}")
        opened.bind(str((nameless if nameless.exists() else path.parent) / path.name))
    finally:
        os.umask(before)
        os.close(folder)


def _socket_at(path: Path) -> tuple[int, int] | None:
    """Which socket is there, if any."""
    with suppress(OSError):
        about = path.lstat()
        if stat.S_ISSOCK(about.st_mode):
            return about.st_dev, about.st_ino
    return None


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
