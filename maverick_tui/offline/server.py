"""OfflineServer: a scripted model on loopback, in this event loop; and served until somebody ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from types import TracebackType

import uvicorn

from maverick_tui.exceptions import ConfigError
from maverick_tui.offline.app import MessagesApp
from maverick_tui.offline.player import Player
from maverick_tui.offline.script import Script

HOST = "127.0.0.1"


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers, which are the owner's business, and without its pauses at the end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until the end."""
        await self.on_tick(0)
        await self.ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Leave nothing behind: no listener, no connection, no answer in progress."""
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        for connection in list(self.server_state.connections):
            transport: asyncio.Transport | None = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()
        tasks = set(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield


class OfflineServer:
    """Serves a script at `url` while its context is open; a strict one raises at the end if it was not followed."""

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self.player = Player(script)
        self.app = MessagesApp(self.player)
        self.url = ""
        self._port = port
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start serving; the system chooses a port if none was given."""
        listener = self._listen()
        self.url = f"http://{HOST}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            self.app,
            lifespan="off",
            interface="asgi3",
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=0,
        )
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]), name="maverick-offline")
        try:
            while not self._server.started:
                if self._task.done():
                    self._task.result()
                    raise ConfigError("The offline model did not start.", hint="Choose another port.")
                await asyncio.sleep(0.001)
        except BaseException:
            self._task.cancel()
            await asyncio.wait({self._task})
            await self.stop()
            listener.close()
            raise

    def _listen(self) -> socket.socket:
        # The protocol is named, since asyncio sends small pieces at once only on sockets that say they are TCP.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, self._port))
        except (OSError, OverflowError) as error:
            listener.close()
            reason = error.strerror if isinstance(error, OSError) else "there is no such port"
            raise ConfigError(
                f"The port {self._port} of {HOST} cannot be used: {reason}.",
                hint="Choose another port, or 0 for a free one.",
            ) from error
        return listener

    async def stop(self) -> None:
        """End at once, even while answers are in progress."""
        if self._task is None:
            return
        self._server.should_exit = True
        self._server.ending.set()
        await asyncio.wait({self._task})
        self._task = None

    async def __aenter__(self) -> OfflineServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.stop()
        if self.player.script.strict and kind is None:
            self.player.check()


async def serve_until_told(
    script: Script, port: int, announce: Callable[[str], None], *, until_eof: bool = False
) -> None:
    """Serve until SIGINT or SIGTERM, or until standard input ends; a strict script that was not followed raises."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, told.set)
    async with OfflineServer(script, port=port) as server:
        announce(server.url)
        sys.stdout.flush()
        watch = asyncio.create_task(_until_eof(told)) if until_eof else None
        await told.wait()
        if watch is not None:
            watch.cancel()


async def _until_eof(told: asyncio.Event) -> None:
    """Whoever started us holds the other end of our input: when it is gone, so are we."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(4096):
        pass
    told.set()
