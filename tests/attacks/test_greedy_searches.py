"""A pattern of the model cannot take the machine's memory or time, whatever file it meets."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maverick_tui.executor.files import search_worker
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import ToolContext
from tests.support.processes import marked, wait_until_gone

ROOT = Path(__file__).parents[2]
LINE = "xy" * (search_worker.MOST_BYTES // 2)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory, and tells how much was used")


async def grep(pattern: str) -> str:
    tools = {tool.name: tool for tool in file_tools(Path.cwd())}
    return str(await tools["Grep"].execute({"pattern": pattern}, ToolContext()))


GREP = f"""
import asyncio, resource
from pathlib import Path
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import ToolContext, ToolError
{inspect.getsource(grep)}
"""
"""For another program, which need not import what the tests do."""


def most_memory(pattern: str) -> tuple[str, int]:
    """What a search answers, and the most bytes that its process had; asked by a program that has no other child."""
    program = f"""{GREP}
try:
    print(asyncio.run(grep({pattern!r})))
except ToolError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return done[0], int(done[-1])


@pytest.mark.explore
@pytest.mark.slow
def test_a_repeated_choice_on_a_long_line_takes_little_memory(mark: str) -> None:
    Path("long.txt").write_text(LINE)
    answer, memory = most_memory("(?:(x)|(y))*z")
    assert answer.startswith("No matches")
    assert memory < 10 * len(LINE)


@pytest.mark.slow
def test_what_only_python_can_match_is_held_to_a_limit_which_is_said(mark: str) -> None:
    Path("long.txt").write_text(LINE)
    answer, memory = most_memory("(?=x)(?:(x)|(y))*z")
    assert answer.startswith("The search needs more than 1,000,000,000 bytes of memory in long.txt.")
    assert "Use a pattern without lookaround" in answer
    assert memory <= search_worker.MOST_MEMORY


async def test_a_pattern_that_explodes_for_python_is_simply_answered(mark: str) -> None:
    Path("a.txt").write_text("a" * 60 + "!\n")
    assert (await grep("^(a+)+$")).startswith("No matches")


def test_a_search_ends_when_its_owner_is_killed(mark: str) -> None:
    Path("a.txt").write_text("a" * 60 + "!\n")
    program = f"{GREP}\nasyncio.run(grep('^(?=.)(a+)+$'))"
    owner = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        until = time.monotonic() + 40.0
        while not any("search_worker" in command for command in marked(mark).values()):
            assert owner.poll() is None
            assert time.monotonic() < until, "the search did not begin"
            time.sleep(0.02)
        os.kill(owner.pid, signal.SIGKILL)
    finally:
        owner.kill()
        owner.wait()
    assert wait_until_gone(mark) == {}
