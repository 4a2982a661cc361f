"""Processes around the offline model: one that serves it, and what the CLI is told so that it talks to nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.interpreter import python_environment

START_TIMEOUT = 60.0

_OTHER_PROVIDERS = tuple(
    f"CLAUDE_CODE_USE_{name}"
    for name in ("BEDROCK", "VERTEX", "FOUNDRY", "MANTLE", "ANTHROPIC_AWS", "ANTHROPIC_GOOGLE_CLOUD", "GATEWAY")
)


@asynccontextmanager
async def offline_process(script: Path) -> AsyncIterator[str]:
    """A process that serves the script, off our core and out of our imports; gone with us, whatever happens to us."""
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


def offline_environment(url: str, home: Path) -> dict[str, str]:
    """Variables for the CLI (`MaverickConfig.env`): one connection, to loopback, and all its files below `home`."""
    return {
        "MAVERICK_OFFLINE": "1",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "offline",
        "ANTHROPIC_AUTH_TOKEN": "",
        "ANTHROPIC_UNIX_SOCKET": "",
        "CLAUDE_CODE_OAUTH_TOKEN": "",
        **dict.fromkeys(_OTHER_PROVIDERS, ""),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_SIMPLE": "",
    }
