"""A kept run of a hundred thousand events in the application: its first screen, and keys while the rest is read."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from maverick_tui.history.index import RunIndex
from maverick_tui.ui.app import SWITCH_INTERVAL, MaverickApp
from maverick_tui.ui.kept_runs import READING
from maverick_tui.ui.launch import Launch, load_rest, load_runs
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.bench.history import LARGE, Words, write_run
from tests.bench.measure import Figure, median

ROUNDS = 7
PATIENCE = 60.0
SETTLED = 1.0
"""Seconds after which the picker has nothing left to do."""
STEP = 0.001
"""Seconds between two looks, about as long as a key may wait without anybody noticing."""
RUN = "1a4e00000000"


class Opened(NamedTuple):
    """Seconds until something could be read and until all could be, and the longest that a key had to wait then."""

    first: float
    worked: float
    """Of the processor, until something could be read."""
    whole: float
    held_up: float


def long_run_opened() -> Iterable[Figure]:
    """From the key to the first screen, in an application that has shown the picker before."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MAVERICK_STATE_DIR"], interval = folder, sys.getswitchinterval()
        try:
            made = write_run(RUN, LARGE, Words(7), time.time() - 86_400)
            with RunIndex():
                pass
            sys.setswitchinterval(SWITCH_INTERVAL)
            load_runs()
            load_rest()
            rounds = [asyncio.run(opened(None)) for _ in range(ROUNDS)]
            middle = [asyncio.run(opened(made // 2)) for _ in range(ROUNDS)]
        finally:
            sys.setswitchinterval(interval)
            del os.environ["MAVERICK_STATE_DIR"]
    name = f"a run of {LARGE:,} events"
    for place, times in (("its first screen", rounds), ("its first screen, at an event", middle)):
        note = f"{1000 * median(one.worked for one in times):.0f} ms of the processor"
        yield Figure(f"{name}: {place}", 1000 * median(one.first for one in times), "ms", gate=150, note=note)
    yield Figure(f"{name}: all of it", 1000 * median(one.whole for one in rounds), "ms")
    yield Figure(f"{name}: a key held up meanwhile", 1000 * median(one.held_up for one in rounds), "ms", gate=100)


async def opened(number: int | None) -> Opened:
    """Open it once, at the event with that number."""
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(SETTLED)
        began, worked = time.perf_counter(), time.process_time()
        app.open_kept(RUN, number)
        while not _is_shown(app):
            assert time.perf_counter() - began < PATIENCE, "it was never shown"
            await asyncio.sleep(STEP)
        first, worked = time.perf_counter() - began, time.process_time() - worked
        run, held_up = app.board.runs[RUN], 0.0
        while run.rest is not None and run.rest.words.startswith(READING):
            assert time.perf_counter() - began < PATIENCE, "it was never read as a whole"
            before = time.perf_counter()
            await asyncio.sleep(STEP)
            held_up = max(held_up, time.perf_counter() - before - STEP)
        return Opened(first, worked, time.perf_counter() - began, held_up)


def _is_shown(app: MaverickApp) -> bool:
    screen = app.screen
    return isinstance(screen, RunScreen) and screen.is_mounted and screen.transcript.page.blocks.lines > 0


BENCHMARKS = (long_run_opened,)
