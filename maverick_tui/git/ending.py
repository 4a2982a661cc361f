"""Git that only reads, or writes to what is ours, does not outlive us: it may wait for ever for a pipe of a clone's."""

from __future__ import annotations

import atexit
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

_alive: set[subprocess.Popen[bytes]] = set()


@contextmanager
def ends_with_us(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """While whoever has started it waits for it, perhaps in a thread that nobody waits for."""
    _alive.add(process)
    try:
        yield process
    finally:
        _alive.discard(process)


@atexit.register
def _end_all() -> None:
    for process in [*_alive]:
        process.kill()
