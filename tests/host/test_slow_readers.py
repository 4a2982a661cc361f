"""Readers that take nothing, or too much room: the run goes on, its host does not grow, and nobody misses anything."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host.lines import VERSION, line
from maverick_tui.host.places import socket_of
from maverick_tui.runs.log import numbered
from tests.host.served_run import RUN, Served, serving, until
from tests.support.sampling import examples

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what memory a process has")

HELLO = line({"hello": {"version": VERSION, "since": 0}})
MB = 1_000_000
WORDS = "words " * 2_000
"""The text of each event, once in memory: what grows is what waits for readers."""
READER = """
import hashlib, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    line.sendall(sys.argv[2].encode())
    lines, told = line.makefile("rb"), hashlib.sha256()
    lines.readline()
    print("reads", flush=True)
    for text in lines:
        told.update(text)
    print(told.hexdigest(), flush=True)
"""


def memory() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def burst(count: int) -> list[ev.Event]:
    return [ev.Noticed(float(number), "much", WORDS) for number in range(count)]


def told_by(run: Served) -> str:
    """What a reader must have read at the end."""
    told = hashlib.sha256()
    for number, event in enumerate(run.events.since(0)):
        told.update(line(numbered(number, event)))
    told.update(line({"end": len(run.events)}))
    return told.hexdigest()


@contextmanager
def reader() -> Iterator[subprocess.Popen[str]]:
    """A reader in a process of its own."""
    words = [sys.executable, "-I", "-c", READER, str(socket_of(RUN)), HELLO.decode()]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def says(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return (await asyncio.to_thread(process.stdout.readline)).strip()


def stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)


@pytest.mark.explore
async def test_one_that_is_stopped_in_a_burst_costs_no_memory_and_catches_up_exactly(mark: str) -> None:
    async with serving() as run:
        with reader() as stopped, reader() as quick:
            assert (await says(stopped), await says(quick)) == ("reads", "reads")
            run.tell(burst(200))
            await asyncio.to_thread(stop, stopped)
            before = memory()
            for _ in range(examples(9, 12)):  # 22 MB
                run.tell(burst(200))
                await asyncio.sleep(0)
            run.events.close()
            read = await says(quick)
            assert memory() - before < 16 * MB
            assert read == (told := told_by(run)), "nobody else waits for it"
            assert run.server.readers == 1
            stopped.send_signal(signal.SIGCONT)
            assert await says(stopped) == told


async def test_a_line_without_an_end_takes_no_memory_and_is_refused(mark: str) -> None:
    async with serving() as run:
        with reader() as other:
            assert await says(other) == "reads"
            before, sent = memory(), 0
            _, writer = await asyncio.open_unix_connection(str(socket_of(RUN)))
            with suppress(ConnectionError):
                writer.write(HELLO)
                for _ in range(100):
                    writer.write(b"x" * MB)
                    await writer.drain()
                    sent += MB
            writer.close()
            assert sent < 100 * MB, "it was refused before it had said all"
            await until(lambda: run.server.readers == 1, "it is gone")
            assert memory() - before < 40 * MB
            run.tell(burst(3))
            run.events.close()
            assert await says(other) == told_by(run)


@pytest.mark.explore
@pytest.mark.slow
async def test_for_a_minute(mark: str) -> None:
    """One is stopped for 60 s, one takes 1 KB/s: what a quick reader costs stays the same, within two hundredths."""
    async with serving() as run:
        with reader() as quick:
            assert await says(quick) == "reads"
            alone = [await _cost_of_a_second(run) for _ in range(15)]
            with reader() as stopped:
                assert await says(stopped) == "reads"
                trickle, writer = await asyncio.open_unix_connection(str(socket_of(RUN)), limit=1024)
                writer.write(HELLO)
                dripping = asyncio.create_task(_drip(trickle))
                run.tell(burst(100))
                await asyncio.to_thread(stop, stopped)
                before = memory()
                beside = [await _cost_of_a_second(run) for _ in range(60)]
                assert memory() - before < 16 * MB
                dripping.cancel()
                writer.close()
                stopped.send_signal(signal.SIGCONT)
                run.events.close()
                assert await says(stopped) == await says(quick) == told_by(run)
        middle, middle_beside = sorted(alone)[len(alone) // 2], sorted(beside)[len(beside) // 2]
        assert middle_beside < middle * 1.02, (middle, middle_beside)


async def _cost_of_a_second(run: Served) -> float:
    """Seconds of CPU that a hundred events take, told in a second."""
    before = time.process_time()
    for _ in range(20):
        run.tell(burst(5))
        await asyncio.sleep(0.05)
    return time.process_time() - before


async def _drip(stream: asyncio.StreamReader) -> None:
    while await stream.read(1024):
        await asyncio.sleep(1)
