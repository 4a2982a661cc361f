"""What an agent's own code asks apart, in threads, ends with the run: its commands do, and no model is asked again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

import pytest

from maverick_tui import paths
from tests.conftest import ServeModel
from tests.support.model import bash, say, scene
from tests.terminal.application import MAVERICK

PATIENCE = 40.0
"""Less than the CLI gives a command."""
FILE = """
import asyncio, threading, time
from concurrent.futures import ThreadPoolExecutor
from maverick_tui import MaverickAgent

class Helper(MaverickAgent):
    "Helps."
    system_prompt = "Help."
    allowed_tools = ("Bash",)

    async def execute(self, context):
        return await self.run("HELPS", context)

class Lead(Helper):
    "Has another one help."

    async def execute(self, context):
        def help_out(*_):
            return asyncio.run(Helper().execute(context))

{way}
"""
A_THREAD = "return await asyncio.to_thread(help_out)"
WAYS = {
    "a thread": A_THREAD,
    "a thread of its own": "threading.Thread(target=help_out).start()\nawait asyncio.sleep(600)",
    "one after the other": "loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(1)\n"
    "await asyncio.gather(*(loop.run_in_executor(pool, help_out) for _ in range(3)))",
    "one that tries again": "def insist():\n    while True:\n        try:\n            help_out()\n"
    "        except BaseException:\n            time.sleep(0.01)\nawait asyncio.to_thread(insist)",
    "beside one that sleeps": f"asyncio.create_task(asyncio.to_thread(time.sleep, 600))\n{A_THREAD}",
}
SCENE = scene(bash("touch begun; tail -f begun"), bash("touch went-on"), say("done"), prompt="HELPS")


def write(way: str) -> None:
    """The agents, as ones of the user's own."""
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    (folder / "lead.py").write_text(FILE.format(way=indent(WAYS[way], " " * 8)))


async def ended(arguments: Sequence[str], numbers: Sequence[int]) -> int:
    """The exit code of `maverick`, which gets the signals while the command of the conversation apart is at work."""
    program = await asyncio.create_subprocess_exec(MAVERICK, *arguments, stdin=asyncio.subprocess.DEVNULL)
    try:
        async with asyncio.timeout(PATIENCE):
            while not Path("begun").exists():
                assert program.returncode is None, "it has ended before its command was at work"
                await asyncio.sleep(0.02)
            for number in numbers:
                program.send_signal(number)
            return await program.wait()
    finally:
        if program.returncode is None:
            program.kill()


@pytest.mark.parametrize(
    ("way", "arguments", "numbers", "code"),
    [
        ("a thread", (), [signal.SIGTERM], 143),
        *(
            pytest.param(*case, marks=pytest.mark.explore)
            for case in [
                ("a thread", (), [signal.SIGINT], 130),
                ("a thread", ("--timeout", "6"), [], 5),
                *((way, (), [signal.SIGTERM], 143) for way in list(WAYS)[1:]),
            ]
        ),
    ],
)
async def test_it_ends_with_a_run_that_is_told_to_end(
    serve: ServeModel, way: str, arguments: Sequence[str], numbers: Sequence[int], code: int
) -> None:
    write(way)
    async with serve([SCENE]) as model:
        assert await ended(["run", "lead", "go", *arguments], numbers) == code
        asked = len(model.requests)
    assert asked == 1
    assert not Path("went-on").exists()


@pytest.mark.explore
@pytest.mark.parametrize("way", WAYS)
async def test_so_it_does_with_the_process_of_a_run_in_a_batch(serve: ServeModel, mark: str, way: str) -> None:
    write(way)
    Path("prompts").write_text("go\n")
    async with serve([SCENE]) as model:
        assert await ended(["batch", "lead", "--each-line", "prompts", "--timeout", "6"], []) != 0
        assert len(model.requests) == 1
    assert not Path("went-on").exists()
