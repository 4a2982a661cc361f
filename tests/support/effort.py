"""What something costs, in a measure that is the same on a slow machine, and on a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable


def effort(work: Callable[[], object]) -> float:
    """How many times as much of a processor this takes as a fixed piece of plain Python does around it."""
    before = _seconds_of(_piece)
    taken = _seconds_of(work)
    return taken / max(before, _seconds_of(_piece))


def _piece() -> None:
    total = 0
    for number in range(1_000_000):
        total += number


def _seconds_of(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
