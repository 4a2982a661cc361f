"""Runs one command and makes sure that nothing of it outlives us: `python -I -S keeper.py OWNER PAPERS COMMAND...`

The CLI and MCP servers start processes in sessions of their own, so no process group reaches them all, and a killed
parent leaves them behind. Between Maverick and the command stand two small processes, an outer and an inner keeper:

- Maverick is gone (killed, crashed): the command is told to end; after a grace period it is killed.
- The command is gone: what it left is inherited by the inner keeper (Linux) and ended.
- The inner keeper is killed: the outer one inherits all of it (Linux) and ends it.
- The outer keeper is killed: the inner one ends everything, as if Maverick were gone.
- A keeper is stopped, and Maverick is gone: the inner keeper sees that for itself and wakes the outer one, which the
  kernel does as well (Linux); the outer one kills an inner one that does not move.
- Both are killed: the kernel tells the command to end (Linux), and Maverick ends what carries the mark of this run in
  its environment (`end_marked`). If Maverick is killed as well, the next one does (`host/survivors.py`): it finds the
  note that keepers have locked while they live and remove when all is done. What has thrown its environment away, or
  lets nobody read it, is not found.

On macOS orphans are inherited by nobody of ours and environments cannot be read: there the command and its process
group are ended, by whichever keeper is left. On Windows there is no keeper.

Papers are texts that nobody else may see, such as tokens: arguments can be read by every user of the machine. They
come on standard input before anything else, and the command finds them under `paper_path`: files without a name.
PAPERS is their number, and behind a colon the path of the note.

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

TYPE_CHECKING = False  # `typing` would double the time that this takes to start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NoReturn, TypeVar

    T = TypeVar("T")

GRACE = 2.0
"""Seconds that the command has to end once it is told to."""
LONGEST = 2 * GRACE + 3.0
"""Seconds after which the keepers are gone in any case."""
KILLED = -9
"""The exit code of a killed process, which may have been the keepers: then `end_marked` finds what they have left."""
POLL = 0.25
_INNER_GRACE = 2 * GRACE
_POLITE = 0.3
"""Seconds that whatever the command leaves behind has to end."""
_FIRM = 2.0
"""Seconds in which it is killed."""
_PAUSE = 0.01
_CHASES = 100
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FIRST_PAPER = 60
_MARK = "KEPT_BY_MAVERICK_"
_IS_LINUX = sys.platform == "linux"

# -- for Maverick --------------------------------------------------------------------------------------------------


def can_keep() -> bool:
    """Whether there are POSIX processes, and an interpreter to run a keeper with."""
    return os.name == "posix" and bool(sys.executable)


def keeper_command(papers: int = 0, note: str = "") -> list[str]:
    """What stands before the absolute path of a command to keep it; nothing where that cannot be done.

    The note is a file that is there while it is kept, for whoever comes next: see `kept_command`.
    """
    if not can_keep():
        return []
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), f"{papers}:{note}" if note else str(papers)]


def paper_path(number: int) -> str:
    """Where the command finds a paper; the first is 0."""
    return f"/dev/fd/{_FIRST_PAPER + number}"


def packed(papers: Sequence[str]) -> str:
    """The papers as they go to the keeper's input."""
    return "".join(f"{len(paper.encode())}\n{paper}" for paper in papers)


def nameless(text: str) -> int:
    """A file without a name that has this text, for a command whose standard input is its own; who made it closes it.

    The keepers pass it on, under the number that they are given it by.
    """
    made = _nameless_file()
    with open(os.dup(made), "wb") as out:  # noqa: PTH123
        out.write(text.encode(errors="surrogateescape"))
    os.lseek(made, 0, os.SEEK_SET)
    return made


def new_mark() -> str:
    """The name of a variable for the environment of a command; whatever it starts inherits it."""
    return f"{_MARK}{os.urandom(8).hex()}"


def is_kept() -> bool:
    """Whether we were started by something that is kept: by an agent, one of its servers or hooks, or a `!` command."""
    return any(name.startswith(_MARK) for name in os.environ)


def end_marked(mark: str) -> None:
    """End what carries the mark although its keepers are gone; only Linux can tell."""
    if _IS_LINUX:
        end(lambda: _marked(f"{mark}=".encode()), _send)


# -- the process ---------------------------------------------------------------------------------------------------


def main(owner: int, papers: int, note: str, command: list[str]) -> int:
    """Run the command to its end, or to the owner's; returns its exit code."""
    _write(note)
    numbers = range(_FIRST_PAPER, _FIRST_PAPER + papers)
    for number in numbers:
        _take_paper(number)

    is_gone = _watch(owner)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)  # being stopped must not keep us from our work

    def inner() -> int:
        outer = os.getppid()
        code = _keep(lambda: _become(command), lambda: os.getppid() != outer or is_gone(), GRACE, numbers)
        _remove(note)  # the outer one may be dying
        if os.getppid() == outer:
            _send(outer, signal.SIGCONT)  # stopped, it would stay for ever
        return code

    code = _keep(inner, lambda: os.getppid() != owner, _INNER_GRACE, numbers)
    _remove(note)
    return code


def _write(note: str) -> None:
    """Lock a note for as long as one of the two keepers lives: it is open in both, and in nothing else."""
    if note:
        import fcntl

        with contextlib.suppress(OSError):  # the disk is full, say: the command is kept all the same
            made = os.open(note, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            fcntl.flock(made, fcntl.LOCK_EX)
            os.write(made, place_of(os.getpid()))


def _remove(note: str) -> None:
    if note:
        with contextlib.suppress(OSError):
            os.unlink(note)  # noqa: PTH108


def place_of(pid: int) -> bytes:
    """Who counts a process's number, and to which group it belongs. OSError if nobody can tell.

    What is started inherits both, and what a service starts for somebody else has another group.
    """
    with open(f"/proc/{pid}/cgroup", "rb") as group:  # noqa: PTH123
        return os.readlink(f"/proc/{pid}/ns/pid").encode() + b"\n" + group.read()  # noqa: PTH115


def _watch(owner: int) -> Callable[[], bool]:
    """Whether a process is gone, to be asked by somebody who is not its child; its number may be another's by then."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):  # it is gone, or the kernel is old
            handle = os.pidfd_open(owner)
            return lambda: bool(select.select([handle], [], [], 0)[0])

    def has_no_process() -> bool:
        try:
            os.kill(owner, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    return has_no_process


def _prctl(option: int, value: int) -> None:
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _take_paper(number: int) -> None:
    size = b""
    while not size.endswith(b"\n"):
        size += _read(1)
    made = _nameless_file()
    os.dup2(made, number)
    os.close(made)
    left = int(size)
    while left:
        left -= os.write(number, _read(min(left, 1 << 16)))
    os.lseek(number, 0, os.SEEK_SET)


def _nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("paper")
    path = f"{os.environ.get('TMPDIR', '/tmp')}/paper-{os.urandom(8).hex()}"
    made = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)  # noqa: PTH108 - pathlib would take longer to import than all the rest
    return made


def _read(size: int) -> bytes:
    """Read from standard input, without taking what is meant for the command."""
    data = os.read(0, size)
    if not data:
        os._exit(1)  # whoever has started us is gone
    return data


def _keep(run: Callable[[], int], is_orphan: Callable[[], bool], grace: float, papers: range) -> int:
    """Run a child, and end it when we are told to or become an orphan; then end what it has left behind."""
    with contextlib.suppress(OSError):
        os.setsid()  # out of reach of the terminal's signals
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake, told_to_end = _listen()

    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != keeper:
            os._exit(1)
        _leave(run())

    # The pipes and papers are the command's: held here, they would not end with it.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    for paper in papers:
        os.close(paper)

    ending_since: float | None = None
    while (status := _reap(child)) is None:
        select.select([wake], [], [], POLL)
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 512)
        if ending_since is None:
            if told_to_end or is_orphan():
                ending_since = time.monotonic()
                _send(child, signal.SIGTERM)
        elif time.monotonic() - ending_since > grace:
            _send(child, signal.SIGKILL)
    if _IS_LINUX:
        _end_below(keeper)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
    return status


def _become(command: list[str]) -> int:
    os.setsid()  # what it sends to its process group is not for the keeper
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    return 126


def _leave(code: int) -> NoReturn:
    """End as the command did, so that whoever is waiting for us sees the same."""
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


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
    """Collect what has ended; returns the exit code of the child, negative for a signal, once it is among that."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
    return code


def end(left: Callable[[], Iterable[T]], send: Callable[[T, int], None], pause: float = _PAUSE) -> None:
    """End all that is left, and what that starts meanwhile: first politely, then not."""
    for number, seconds in ((signal.SIGTERM, _POLITE), (signal.SIGKILL, _FIRM)):
        until = time.monotonic() + seconds
        while found := left():
            for one in found:
                send(one, number)
            if time.monotonic() > until:
                break
            time.sleep(pause)


def _end_below(keeper: int) -> None:
    """End all of our descendants, first politely, then not, until the kernel says that there is none.

    A list of processes cannot tell: it misses a process that is replaced by a child while the list is read.
    """
    polite = time.monotonic() + _POLITE
    until = polite + _FIRM
    killed: set[int] = set()
    while _has_children() and (now := time.monotonic()) < until:
        found = _descendants(keeper)
        if now < polite:
            for pid in found:
                _send(pid, signal.SIGTERM)
            time.sleep(_PAUSE)
            continue
        _kill(found)
        _chase(keeper)
        if found and killed.issuperset(found):
            time.sleep(_PAUSE)  # they take their time, or are not ours to kill
        killed.update(found)


def _has_children() -> bool:
    """Whether there is any process below us; those that have ended are collected."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _kill(pids: Sequence[int]) -> None:
    """All of them, with their process groups: the kernel lets no process fork its way out of a signal to its group.
    They are stopped first, so that none can start another in place of one that is gone. Nobody else is in their groups:
    the command leads a session of its own.
    """
    groups = set()
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            groups.add(Status(pid).group)
    groups -= {os.getpgrp(), 0}
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        for pid in pids:
            _send(pid, number)


def _chase(keeper: int) -> None:
    """Kill what was started last, as long as it is below us: a chain of forks is gone before a list is read."""
    for _ in range(_CHASES):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has been replaced already
            with open("/proc/loadavg", "rb") as load:  # noqa: PTH123
                newest = int(load.read().split()[4])
            if not _is_below(newest, keeper):
                return
            _kill([newest])


def _is_below(pid: int, root: int) -> bool:
    """Whether a process that still runs is a descendant."""
    status = Status(pid)
    if status.has_ended:
        return False
    while status.parent > 1 and status.parent != root:
        status = Status(status.parent)
    return status.parent == root


def _descendants(root: int) -> list[int]:
    """All processes below one that still run."""
    children: dict[int, list[int]] = {}
    for pid in _processes():
        with contextlib.suppress(OSError, ValueError):
            status = Status(pid)
            if not status.has_ended:
                children.setdefault(status.parent, []).append(pid)
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _marked(mark: bytes) -> list[int]:
    found = []
    for pid in _processes():
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{pid}/environ", "rb") as environment:  # noqa: PTH123
                is_marked = any(variable.startswith(mark) for variable in environment.read().split(b"\0"))
            if is_marked and not Status(pid).has_ended:
                found.append(pid)
    return found


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]  # noqa: PTH208


class Status:
    """What the kernel says about a process: a letter for what it is doing, its parent, its group, and when it began."""

    def __init__(self, pid: int) -> None:
        with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123
            self.state, parent, group, *others = stat.read().rpartition(b")")[2].split(None, 20)
        self.parent, self.group, self.start = int(parent), int(group), int(others[16])

    @property
    def has_ended(self) -> bool:
        """Whether it only waits to be collected."""
        return self.state in (b"Z", b"X")


if __name__ == "__main__":
    # An older Maverick that is still at work starts this file once it is replaced: its words mean what they meant.
    count, _, path = sys.argv[2].partition(":")
    _leave(main(int(sys.argv[1]), int(count), path, sys.argv[3:]))
