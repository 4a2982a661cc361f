"""What a run has changed, in the application: from the key to the first diff, and keys in a long one."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from maverick_tui.ui.app import SWITCH_INTERVAL, MaverickApp
from maverick_tui.ui.changes.screen import ChangesScreen
from maverick_tui.ui.launch import Launch, load_rest, load_runs
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.bench.measure import Figure, median
from tests.bench.snapshots import CHANGED, SMALL, _folder, _name
from tests.review.played import PlayedRun

ROUNDS = 7
PATIENCE = 60.0
STEP = 0.001
RUN = "c4a6e0000000"
LONG = 10_000
"""Lines of the long diff."""


def first_diff_on_screen() -> Iterable[Figure]:
    """Of a run in a folder of ten thousand files, which has changed ten; and of a file with ten thousand lines."""
    words, interval = random.Random(5), sys.getswitchinterval()
    with _folder(SMALL) as top:
        run = PlayedRun(top, RUN, "Change ten of them")
        for number in range(CHANGED):
            name = _name(words.randrange(SMALL))
            first = (top / name).read_text().split("\n")[3]
            run.edit(name, first, f"    changed_{number} = {number}")
        run.end_turn()
        run.close()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            load_runs()
            load_rest()
            rounds = [asyncio.run(_opened(top)) for _ in range(ROUNDS)]
            note = f"{1000 * median(worked for _, worked in rounds):.0f} ms of the processor"
            value = 1000 * median(taken for taken, _ in rounds)
            yield Figure("the first diff on the screen", value, "ms", gate=100, note=note)
            long = PlayedRun(top, f"{RUN[:-1]}1", "Write much")
            text = "".join(f"def function_{one}(left: int) -> int:  # {one}\n" for one in range(LONG))
            long.write("long.py", text)
            long.close()
            taken, key = asyncio.run(_long(top, long.run_id))
            yield Figure(f"a diff of {LONG:,} lines on the screen", 1000 * taken, "ms")
            yield Figure(f"a diff of {LONG:,} lines: a page down", 1000 * key, "ms", gate=50)
        finally:
            sys.setswitchinterval(interval)


async def _opened(top: Path, run_id: str = RUN) -> tuple[float, float]:
    """Seconds until the diff is painted, and those of our processor."""
    app = MaverickApp(Launch(top), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        return await _shown(app, pilot, run_id)


async def _shown(app: MaverickApp, pilot: Pilot[Any], run_id: str) -> tuple[float, float]:
    await pilot.pause(0.5)
    app.open_kept(run_id)
    await _until(lambda: isinstance(app.screen, RunScreen) and app.screen.is_mounted)
    await pilot.pause(0.5)
    began, worked = time.perf_counter(), time.process_time()
    app.simulate_key("alt+c")
    await _until(lambda: isinstance(app.screen, ChangesScreen) and app.screen.diff.diff is not None)
    await _painted(app)
    return time.perf_counter() - began, time.process_time() - worked


async def _long(top: Path, run_id: str) -> tuple[float, float]:
    app = MaverickApp(Launch(top), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        taken, _ = await _shown(app, pilot, run_id)
        await pilot.pause(1.0)
        times = []
        for _ in range(20):
            began = time.perf_counter()
            app.simulate_key("pagedown")
            await asyncio.sleep(0)
            await _painted(app)
            times.append(time.perf_counter() - began)
        return taken, median(times)


async def _painted(app: MaverickApp) -> None:
    painted = asyncio.Event()
    app.screen.call_after_refresh(painted.set)
    await painted.wait()


async def _until(is_so: Callable[[], bool]) -> None:
    end = time.perf_counter() + PATIENCE
    while not is_so():
        assert time.perf_counter() < end, "it was never shown"
        await asyncio.sleep(STEP)


BENCHMARKS = (first_diff_on_screen,)
