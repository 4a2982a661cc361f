"""What a kept-open session costs, with the real CLI and a scripted model: opening, answering, closing while busy."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from claude_agent_sdk import StreamEvent

from maverick_tui import AgentContext, MaverickConfig
from maverick_tui.agent.engines import SdkSession
from maverick_tui.offline.server import OfflineServer
from tests.bench.measure import Figure, median
from tests.support.agents import Worker
from tests.support.model import as_script, bash, say, scene
from tests.support.processes import MARK, marked

COMMAND = f"{sys.executable} -c 'import time; time.sleep(300)'"


def sessions() -> Iterable[Figure]:
    """One session at a time: how long until it is open, until a first token, until it is gone while a tool runs."""
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    opened, first, closed = [], [], []
    script = as_script([scene(say("hello"), prompt="hello"), scene(bash(COMMAND), prompt="BUSY")])
    async with OfflineServer(script) as model:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(
                {
                    "HOME": folder,
                    "CLAUDE_CONFIG_DIR": f"{folder}/.claude",
                    "ANTHROPIC_BASE_URL": model.url,
                    "ANTHROPIC_API_KEY": "not-a-real-key",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                }
            )
            work = Path(folder) / "work"  # among the settings themselves no command would run
            work.mkdir()
            context = AgentContext(cwd=work, branch="main", config=MaverickConfig())
            for number in range(6):
                mark = f"bench-{os.getpid()}-{number}"
                os.environ[MARK] = mark
                began = time.perf_counter()
                async with Worker().session(context) as session:
                    opened.append(time.perf_counter() - began)
                    first.append(await _first_token(session))
                    task = asyncio.create_task(_read(session))
                    async with asyncio.timeout(60):
                        while not any("time.sleep(300)" in command for command in marked(mark).values()):
                            await asyncio.sleep(0.02)
                    began = time.perf_counter()
                closed.append(time.perf_counter() - began)
                assert not marked(mark), "the CLI or its tool is still there"
                await task
    return [
        Figure("open a session (the CLI starts)", 1000 * median(opened), "ms"),
        Figure("first token of an open session", 1000 * median(first), "ms"),
        Figure("close a session whose tool is running", 1000 * median(closed), "ms", gate=1000),
    ]


async def _first_token(session: SdkSession) -> float:
    began = time.perf_counter()
    arrived = [time.perf_counter() async for message in session.query("hello") if isinstance(message, StreamEvent)]
    return arrived[0] - began


async def _read(session: SdkSession) -> None:
    async for _ in session.query("BUSY"):
        pass


BENCHMARKS = (sessions,)
