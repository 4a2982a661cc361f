"""The offline model in a process of its own, for owners that want its work off their core and out of their imports."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.interpreter import python_environment

START_TIMEOUT = 20.0


@asynccontextmanager
async def offline_process(script: Path) -> AsyncIterator[str]:
    """A process that serves the script, gone with us whatever happens to us; yields its URL."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "maverick_tui", "offline", "serve", "--until-eof", "--script", str(script)),
        env=python_environment(),
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
