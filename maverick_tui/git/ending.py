"""Git that does not outlive us: what only reads, or writes to what is ours, may wait for ever for a pipe of a clone's;
and once the person's own git has committed something, it is for us to bring what is staged up to date.

All git of ours is also away from our terminal (`start_new_session`): a repository may name /dev/tty for a file of
settings, and what git reads there, the person has typed for us.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

from maverick_tui.paths import working_folder
from maverick_tui.programs import find_program

_TIED = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)
os.getppid() == int(sys.argv[1]) or sys.exit(1)
for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(ignored_by_python, signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes a program that the kernel ends with the thread that has started us (PR_SET_PDEATHSIG)."""
_MAY_WAIT = frozenset(
    """
    blame check-attr check-ignore checkout-index config diff diff-files diff-tree hash-object log ls-files merge-tree
    status update-index
    """.split()
)
"""What opens files that a repository names or has, any of which may be a pipe, or compares them."""

_alive: set[subprocess.Popen[bytes]] = set()


@contextmanager
def ends_with_us(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """While whoever has started it waits for it, perhaps in a thread that nobody waits for."""
    _alive.add(process)
    try:
        yield process
    finally:
        _alive.discard(process)


def tied_if_it_may_wait(line: Sequence[str], folder: Path) -> list[str]:
    """A command of ours that also ends if we are killed. To tie one takes longer than some take, so only these are."""
    return [*line] if _MAY_WAIT.isdisjoint(line[1:4]) else tied_to_us(line, folder)


def tied_to_us(line: Sequence[str], folder: Path) -> list[str]:
    """A command that also ends if we are killed, but not what it has left in the background; only Linux can do that.

    It works in this folder. The thread that starts it has to wait for it.
    """
    if sys.platform != "linux":
        return [*line]
    # That of util-linux does it ten times faster than Python, which counts where git is asked often.
    setpriv = _setpriv(folder, os.environ.get("PATH", ""), working_folder())
    if setpriv is not None and _ties(setpriv):
        return [setpriv, "--pdeathsig", "KILL", *line]
    if not bool(sys.executable):
        return [*line]
    return [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *line]


@lru_cache(maxsize=200)
def _setpriv(folder: Path, _path: str, _cwd: Path) -> str | None:
    """Where it is for a folder; the others are what else that depends on."""
    return find_program("setpriv", folder)


@cache
def _ties(setpriv: str) -> bool:
    """Whether it can: that of busybox cannot, nor can old ones."""
    asked = [setpriv, "--pdeathsig", "KILL", "/bin/sh", "-c", ":"]
    try:
        return subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@atexit.register
def _end_all() -> None:
    for process in [*_alive]:
        process.kill()
