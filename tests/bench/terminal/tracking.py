"""A run that writes all the time in a large folder, with snapshots around each of its calls or without."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.terminal import corpus, scenes
from tests.bench.terminal.programs import Program

AGENT = "implementer"
SETTLE = 8.0
"""Seconds until the first snapshot, which reads every file, is there."""


def written(program: Program, folder: Path, deltas: int, seed: int, *, is_tracked: bool) -> dict[str, Any]:
    """Somebody types while it writes a file after every few words, in a copy of the folder."""

    def prepare(_home: Path, work: Path) -> None:
        shutil.copytree(folder, work, dirs_exist_ok=True)

    with tempfile.TemporaryDirectory(prefix="mt", ignore_cleanup_errors=True) as state:
        variables = {"MAVERICK_STATE_DIR": state, "MAVERICK_TRACK_CHANGES": str(is_tracked).lower()}
        command = (*program.command[:-1], AGENT)
        writing = replace(
            program, command=command, also=(re.compile(AGENT),), prepare=prepare, settle=SETTLE, variables=variables
        )
        found = scenes.answered(writing, deltas, seed, is_paced=True, script=corpus.writing_script)
        taken = [int(file.read_text()) for file in Path(state).glob("snapshots/*/number")]
    return {**found, "snapshots": sum(taken)}
