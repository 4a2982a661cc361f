"""Scenes of runs in processes of their own: somebody comes back to a long one, and many stream at once."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.terminal.cost import cost
from tests.bench.terminal.fed_hosts import LAST, run_id
from tests.bench.terminal.programs import HERE, Program
from tests.bench.terminal.recording import Recording
from tests.bench.terminal.scenes import CALM, Typist, delays, started
from tests.bench.terminal.screen import Echoes, Shown, replay

SHOWN_WITHIN = 30.0
SETTLED = 1.0
"""Seconds after which nothing of opening them is left to do."""
CALM_FOR = 0.4
"""Seconds without a byte after which a screen is there, with all rows that come later."""
ENTER, CTRL_N, DOWN = b"\r", b"\x0e", b"\x1b[B"


@contextlib.contextmanager
def fed(runs: int, events: int, deltas: int = 0) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """So many runs at their sockets, each with a past of so many events; and the variables that lead there."""
    with tempfile.TemporaryDirectory(prefix="mb") as folder:
        variables = {"MAVERICK_RUNTIME_DIR": str(Path(folder, "r"))}
        command = [sys.executable, str(HERE / "fed_hosts.py"), *map(str, (runs, events, deltas))]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"HOME": folder, **variables},
            cwd=folder,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            try:
                yield process, variables
            finally:
                process.terminate()


def came_back(program: Program, events: int, _seed: int) -> dict[str, Any]:
    """From the command to the first frame that shows the end of a run that has told so many events."""
    with fed(1, events) as (_, variables):
        command = (program.command[0], "attach", run_id(0))
        attaching = replace(program, command=command, variables=variables, ready=LAST.encode())
        with started(attaching) as recording:
            time.sleep(0.5)
    frame = Shown([*program.frame, re.compile(LAST)])
    replay(recording.chunks, frame)
    assert frame.moment is not None, "its end was not shown"
    return {"first_frame_ms": 1000 * (frame.moment - recording.started)}


def streamed_at_once(program: Program, runs: int, deltas: int, seed: int) -> dict[str, Any]:
    """So many runs on the board, all of which tell an answer; somebody types to one of them."""
    with fed(runs, 40, deltas) as (process, variables):
        command = (program.command[0], "attach", run_id(0))
        with started(replace(program, command=command, variables=variables, ready=LAST.encode())) as recording:
            for number in range(1, runs):
                _open_next(recording, number)
            time.sleep(SETTLED)
            assert process.stdin is not None
            assert process.stdout is not None
            telling = threading.Thread(target=process.stdout.readline, daemon=True)
            telling.start()
            typist, before = Typist(recording, CALM, seed), cost(recording.pid, time.monotonic())
            process.stdin.write("go\n")
            process.stdin.flush()
            while telling.is_alive():
                typist.type_one()
                time.sleep(typist.pause())
            time.sleep(0.5)
            after = cost(recording.pid, time.monotonic())
    echoes = Echoes(program.prompt, recording.keys)
    replay(recording.chunks, echoes)
    return {**delays(echoes), "cpu_s": after.own - before.own, "rss_mb": after.resident}


def _open_next(recording: Recording, number: int) -> None:
    """Open the next run of the picker's list: those that are open already stand above it."""
    seen = len(recording.chunks)
    for keys in (CTRL_N, DOWN * number, ENTER):
        recording.press(keys)
        _calm(recording)
    end = time.monotonic() + SHOWN_WITHIN
    while not recording.has_written(LAST.encode(), seen):
        assert time.monotonic() < end, f"run {number} was not shown"
        time.sleep(0.02)


def _calm(recording: Recording) -> None:
    """Wait until nothing more is written: on a busy machine runs are listed late."""
    written = -1
    while written < (now := len(recording.chunks)):
        written = now
        time.sleep(CALM_FOR)
