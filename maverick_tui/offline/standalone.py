"""The offline model served until somebody ends it: what the process of `offline serve` does."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable

from maverick_tui.offline.script import Script
from maverick_tui.offline.server import OfflineServer


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
