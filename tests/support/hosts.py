"""Runs in processes of their own, for tests: which there are, and the end of all of them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from tests.support.processes import PAUSE, kill_marked, marked

PATIENCE = 120.0


def hosts(mark: str) -> list[int]:
    """The processes of all hosts that carry the mark."""
    return [pid for pid, command in marked(mark).items() if is_host(command)]


def is_host(command: str) -> bool:
    """Whether it is the command of a host."""
    return "maverick_tui.host" in command


def end_hosts(mark: str, number: signal.Signals = signal.SIGTERM) -> None:
    """End all hosts of a test: they go on when the application is gone. What they have started ends with them."""
    kill_marked(mark, is_host, number)


def until(is_so: Callable[[], object], what: str) -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(PAUSE)
