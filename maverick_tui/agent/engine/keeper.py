"""Runs one command and sees to it that nothing of it outlives us: `python -I -S keeper.py COMMAND ARGUMENT...`

The CLI starts its tools in sessions of their own, so no process group reaches them all, and a killed parent leaves
them behind. This small process stands between Maverick and the CLI:

- Maverick is gone (killed, crashed): the CLI is told to end, which ends its tools; after a grace period it is killed.
- The CLI is gone (killed): what it left is inherited by this process (Linux) and ended.
- This process is killed: the kernel tells the CLI to end (Linux).

It must start fast and stay small: standard library only, no import of the package.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

GRACE = 2.0
POLL = 0.25
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_IS_LINUX = sys.platform == "linux"


def main(command: list[str]) -> int:
    """Run the command to its end, or to ours; returns its exit code."""
    parent = os.getppid()
    with contextlib.suppress(OSError):
        os.setsid()  # out of reach of the terminal's signals
    libc = ctypes.CDLL(None, use_errno=True) if _IS_LINUX else None
    if libc is not None:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, told_to_end = _listen()

    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != keeper:
                os._exit(1)
        try:
            os.execv(command[0], command)
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            os._exit(126)

    # The pipes are the CLI's: held here, they would not end with it.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)

    ending_since: float | None = None
    while (status := _reap(child)) is None:
        select.select([wake], [], [], POLL)
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 512)
        if ending_since is None:
            if told_to_end or os.getppid() != parent:
                ending_since = time.monotonic()
                _send(child, signal.SIGTERM)
        elif time.monotonic() - ending_since > GRACE:
            _send(child, signal.SIGKILL)
    if _IS_LINUX:
        _end_descendants()
    return status


def _listen() -> tuple[int, list[int]]:
    """A pipe that becomes readable on any signal, and a list that fills when we are told to end."""
    told: list[int] = []
    wake, write = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: told.append(received))
    signal.signal(signal.SIGCHLD, lambda _received, _frame: None)
    return wake, told


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _reap(child: int) -> int | None:
    """Collect whoever has ended; the exit code of the child, negative for a signal, once it is among them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
    return code


def _end_descendants() -> None:
    """End what the CLI has left: first politely, then not."""
    for number, seconds in ((signal.SIGTERM, 0.3), (signal.SIGKILL, 1.0)):
        until = time.monotonic() + seconds
        while left := _descendants(os.getpid()):
            for pid in left:
                _send(pid, number)
            time.sleep(0.01)
            _reap(0)
            if time.monotonic() > until:
                break


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - pathlib would take longer to import than all the rest
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{entry}/stat", "rb") as stat:  # noqa: PTH123
                state, parent = stat.read().rpartition(b")")[2].split()[:2]
                if state != b"Z":
                    children.setdefault(int(parent), []).append(int(entry))
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code < 0:  # die as the CLI did, so that whoever waits for us sees the same
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)
