"""Our application with a long past, and how much memory that takes."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.terminal.cost import cost
from tests.bench.terminal.programs import HERE, Program
from tests.bench.terminal.scenes import started

FLOOD_TIMEOUT = 900.0


def preloaded(program: Program, turns: int) -> Program:
    """The same with so many turns in its transcript; none are put there the same way, for a fair comparison."""
    return _launched(program, "--turns", str(turns))


def _launched(program: Program, *options: str) -> Program:
    return replace(
        program, command=(sys.executable, str(HERE / "preload.py"), *options, "--", *program.command[1:]), settle=4.0
    )


def resident(program: Program, _seed: int) -> dict[str, Any]:
    """How large it is when it has come to rest."""
    with started(program) as recording:
        time.sleep(program.settle)
        found = cost(recording.pid, time.monotonic())
    return {"rss_mb": found.resident, "peak_mb": found.peak}


def flooded(program: Program, count: int) -> dict[str, Any]:
    """How large it is after each tenth of so many deltas, which come as fast as it takes them."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes.json")
        with started(_launched(program, "--flood", str(count), "--notes", str(notes))):
            began = time.monotonic()
            while not notes.exists():
                if time.monotonic() - began > FLOOD_TIMEOUT:
                    raise RuntimeError(f"{program.name} did not take {count} deltas in {FLOOD_TIMEOUT:g} s")
                time.sleep(0.5)
        sizes = json.loads(notes.read_text(encoding="utf-8"))
    return {"rss_mb": [size for size, _ in sizes], "text_mb": [text for _, text in sizes]}
