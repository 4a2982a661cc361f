"""Git that does not outlive us: what only reads, or writes to what is ours, may wait for ever for a pipe of a clone's;
and once the person's own git has committed something, it is for us to bring what is staged up to date.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_TIED = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)
os.getppid() == int(sys.argv[1]) or sys.exit(1)
for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(ignored_by_python, signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes a program that the kernel ends with the thread that has started us (PR_SET_PDEATHSIG)."""

_alive: set[subprocess.Popen[bytes]] = set()


@contextmanager
def ends_with_us(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """While whoever has started it waits for it, perhaps in a thread that nobody waits for."""
    _alive.add(process)
    try:
        yield process
    finally:
        _alive.discard(process)


def tied_to_us(line: Sequence[str]) -> list[str]:
    """A command that also ends if we are killed, but not what it has left in the background; only Linux can do that.

    The thread that starts it has to wait for it. A keeper would end all that is left: a signer's agent is to stay.
    """
    can_be_tied = sys.platform == "linux" and bool(sys.executable)
    return [*line] if not can_be_tied else [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *line]


@atexit.register
def _end_all() -> None:
    for process in [*_alive]:
        process.kill()
