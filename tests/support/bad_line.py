"""A line that takes its time: passes bytes on late, holds some of them up as a lost packet would, and can be cut."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class BadLine:
    """Leads from a port of its own to another one. Each piece is late by `delay`, some by one more `stall`."""

    def __init__(self, port: int, delay: float, loss: float, stall: float) -> None:
        self.port = 0
        self.came = 0
        """How many have come by it."""
        self.is_away = False
        """Whether it lets nobody through now."""
        self._to = port
        self._delay = delay
        self._loss = loss
        self._stall = stall
        self._chance = random.Random(7)
        self._writers: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Break every connection, at once and without a word."""
        for writer in self._writers:
            writer.transport.abort()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        if self.is_away:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        ends = {writer, back}
        self._writers |= ends
        try:
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        finally:
            self._writers -= ends
            for end in ends:
                end.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on in order; what is late makes late what follows, as it is with TCP."""
        loop = asyncio.get_running_loop()
        due: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def write() -> None:
            while True:
                at, data = await due.get()
                await asyncio.sleep(at - loop.time())
                writer.write(data)
                if not data:
                    writer.close()
                    return

        writing = asyncio.create_task(write())
        with suppress(OSError):
            while data := await reader.read(1400):
                lost = self._stall if self._chance.random() < self._loss else 0.0
                due.put_nowait((loop.time() + self._delay + lost, data))
        due.put_nowait((loop.time(), b""))
        await writing


@asynccontextmanager
async def bad_line(port: int, *, delay: float, loss: float = 0.01, stall: float = 0.3) -> AsyncIterator[BadLine]:
    """The line, while it is there."""
    line = BadLine(port, delay, loss, stall)
    async with await asyncio.start_server(line._welcome, "127.0.0.1", 0) as server:
        line.port = server.sockets[0].getsockname()[1]
        yield line
        line.cut()
