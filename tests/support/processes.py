"""Which processes a test has left behind: they carry a variable that the test has set."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MARK = "MAVERICK_TEST_MARK"
PAUSE = 0.05
"""Seconds between two looks at all processes: one look takes milliseconds, which whoever is waited for could use."""


def marked(mark: str) -> dict[int, str]:
    """Every living process that inherited the mark, with its command; our own is not among them."""
    found = {}
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):  # noqa: PTH208 - paths would take longer than what is read there
        if not name.isdigit():
            continue
        try:
            if wanted in _environment(name).split(b"\0"):
                folder = Path("/proc", name)
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    found[int(name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


def _environment(pid: str) -> bytes:
    file = os.open(f"/proc/{pid}/environ", os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(file, 100_000), b""))
    finally:
        os.close(file)


def kill_marked(
    mark: str, is_meant: Callable[[str], bool] = lambda command: True, number: signal.Signals = signal.SIGKILL
) -> None:
    """Signal every one whose command is meant; one that has ended since it was seen, perhaps with another, is fine."""
    for pid, command in marked(mark).items():
        if is_meant(command):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def wait_until_gone(mark: str, seconds: float = 60.0) -> dict[int, str]:
    """What is still there after a while; empty is what a test wants."""
    until = time.monotonic() + seconds
    while (left := marked(mark)) and time.monotonic() < until:
        time.sleep(PAUSE)
    return left


async def until_running(mark: str, words: str, seconds: float = 120.0) -> None:
    """Wait until a process with the mark has these words in its command."""
    end = time.monotonic() + seconds
    while not any(words in command for command in marked(mark).values()):
        assert time.monotonic() < end, f"nothing that runs says {words!r}: {marked(mark)}"
        await asyncio.sleep(PAUSE)
