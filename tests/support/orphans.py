"""Processes as killed Mavericks leave them: whoever has started them is gone, and so is whose mark they carry."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from maverick_tui import keeper


def gone_owner() -> str:
    """The value of a mark, of a process that was where we are, and is gone."""
    code = "from maverick_tui import keeper; print(keeper.owner())"
    told = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def orphan(words: Sequence[str], **variables: str) -> int:
    """Start it, in a session of its own and with a parent that is gone; returns its number."""
    script = 'setsid "$@" </dev/null >/dev/null 2>&1 & echo $!'
    told = subprocess.run(
        ["sh", "-c", script, "sh", *words], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return int(told.stdout)


def survivor(value: str) -> int:
    """One that carries a mark with this value."""
    return orphan(["sleep", "600"], **{keeper.new_mark(): value})
