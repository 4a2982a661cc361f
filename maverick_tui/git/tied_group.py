"""Runs the person's git so that a hook ends with it: `python -I -S tied_group.py OWNER GIT...`

The kernel can end git with whoever has started it, but not the hook, filter or signer that git waits for: these are in
its process group, all of which ends if we are told to, or if our owner is gone. What has a session of its own, as the
agent that a signer starts, stays. It must start fast: standard library only, no import of the package.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

GRACE = 2.0
"""Seconds that the group has to end once it is told to; then it is killed."""
LONGEST = 2 * GRACE + 2.0
"""Seconds after which all of it is gone in any case."""
_PR_SET_PDEATHSIG = 1
_LOOK_EVERY = 1.0
_PAUSE = 0.01


class _Told(Exception):
    """We are to end."""


def tied_group(line: list[str]) -> list[str]:
    """The command with this before it; alone where that cannot be done."""
    if os.name != "posix":
        return line
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *line]


def main(owner: int, line: list[str]) -> int:
    """Run it to its end, or to the owner's; its exit code."""
    git = 0

    def told(_number: int, _frame: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        raise _Told

    def look(number: int, frame: object) -> None:
        if os.getppid() != owner:  # only Linux tells
            told(number, frame)

    try:
        signal.signal(signal.SIGTERM, told)
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
        _end_with_parent()
        look(0, None)
        keeper = os.getpid()
        git = os.fork()
        if git == 0:
            _become(line, keeper)
        code = os.waitstatus_to_exitcode(os.waitpid(git, 0)[1])
    except _Told:
        if git:
            _end(git)
        return 128 + signal.SIGTERM
    return code if code >= 0 else 128 - code


def _become(line: list[str], keeper: int) -> NoReturn:
    try:
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores the last ones
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        _end_with_parent()
        if os.getppid() == keeper:
            os.execv(line[0], line)
    finally:
        os._exit(126)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def _end(group: int) -> None:
    """Politely first: git removes its locks, and a hook may have something to put back."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + GRACE
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
            while time.monotonic() < until:
                with suppress(ChildProcessError):
                    os.waitpid(group, os.WNOHANG)
                os.killpg(group, 0)  # until nobody is left
                time.sleep(_PAUSE)
            continue
        return


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
