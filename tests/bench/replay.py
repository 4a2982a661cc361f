"""A kept run of a hundred thousand events plays again: how soon a moment is there, and keys while it is looked for."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch, load_rest, load_runs
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.replay.playing import Player
from maverick_tui.ui.replay.recording import Recording, read_recording
from maverick_tui.ui.replay.screen import ReplayScreen
from tests.bench.history import LARGE, Words, write_run
from tests.bench.measure import Figure, median

ROUNDS = 15
STEP = 0.001
"""Seconds between two looks, about as long as a key may wait without anybody noticing."""
DRAGGED = 60
"""Places that the mouse goes through on its way from the end to the beginning, 30 in a second."""
RUN = "1a4e00000000"


def long_run_replayed() -> Iterable[Figure]:
    """From reading it to any moment of it, on a screen of 120x40."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MAVERICK_STATE_DIR"] = folder
        try:
            write_run(RUN, LARGE, Words(7), time.time() - 86_400)
            began = time.perf_counter()
            recording = read_recording(RUN)
            read = time.perf_counter() - began
        finally:
            del os.environ["MAVERICK_STATE_DIR"]
    load_runs()
    load_rest()
    name = f"a replay of {LARGE:,} events"
    yield Figure(f"{name}: read", 1000 * read, "ms")
    yield from asyncio.run(replayed(name, recording))


async def replayed(name: str, recording: Recording) -> list[Figure]:
    """How soon its moments are there, and how long a key had to wait."""
    app = MaverickApp(Launch(Path.cwd(), replays=recording), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        while screen.player is None:
            await pilot.pause(0.01)
        player, chance, total = screen.player, random.Random(1), len(recording)
        player.pause()
        await pilot.pause(1.0)
        anywhere = [await _sought(player, lambda: player.go_to_event(chance.randint(1, total))) for _ in range(ROUNDS)]
        await _sought(player, lambda: player.go_to_event(total))
        back = [await _sought(player, lambda: player.step(-1)) for _ in range(ROUNDS)]
        held_up = await _dragged(player)
    return [
        Figure(f"{name}: any moment of it", 1000 * median(anywhere), "ms", gate=300),
        Figure(f"{name}: an event back from the end", 1000 * median(back), "ms", gate=300),
        Figure(f"{name}: a key held up while the mouse goes through it", 1000 * held_up, "ms", gate=50),
    ]


async def _sought(player: Player, seek: Callable[[], None]) -> float:
    """Seconds until it is on the screen."""
    began = time.perf_counter()
    seek()
    while player.is_seeking:
        await asyncio.sleep(STEP)
    return time.perf_counter() - began


async def _dragged(player: Player) -> float:
    """The longest that a key had to wait while somebody dragged the time line from its end to its beginning."""
    held_up = 0.0
    for place in range(DRAGGED, -1, -1):
        before = time.perf_counter()
        player.go_to(player.rhythm.length * place / DRAGGED)
        held_up = max(held_up, time.perf_counter() - before)
        until = before + 1 / 30
        while (before := time.perf_counter()) < until:
            await asyncio.sleep(STEP)
            held_up = max(held_up, time.perf_counter() - before - STEP)
    return held_up


BENCHMARKS = (long_run_replayed,)
