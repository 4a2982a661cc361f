"""The offline model as a process of its own: for other clients, and for owners that want its work off their core."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.offline.script import Script
from maverick_tui.offline.server import OfflineServer

START_TIMEOUT = 20.0


async def serve_until_told(
    script: Script, port: int, announce: Callable[[str], None], *, until_eof: bool = False
) -> None:
    """Serve until SIGINT or SIGTERM, or until standard input ends; a strict script that was not kept raises."""
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


@asynccontextmanager
async def offline_process(script: Path) -> AsyncIterator[str]:
    """A process that serves the script, gone with us whatever happens to us; yields its URL."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "maverick_tui", "offline", "serve", "--until-eof", "--script", str(script)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(START_TIMEOUT):
            line = (await process.stdout.readline()).decode()
        if " at http://" not in line:
            reason = " ".join((await process.stderr.read()).decode(errors="replace").split())
            raise ConfigError(f"The offline model did not start: {reason or line.strip() or 'no reason given'}")
        yield line.rsplit(" at ", 1)[1].strip()
    finally:
        process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()
