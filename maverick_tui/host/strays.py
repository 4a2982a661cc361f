"""Processes of ours that nobody looks after: hosts that no reader reaches, and what should have ended with its host."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui import keeper
from maverick_tui.host.places import LOCK, runtime_folder

_PROCESSES = Path("/proc")
_HOST = [b"-m", b"maverick_tui.host"]
_OWNER = 4
"""The place of a keeper's owner among its words: see `keeper.keeper_command`."""


class Strays(NamedTuple):
    """Their process ids; all empty where the system does not tell (not Linux)."""

    hosts: frozenset[int]
    """Hosts of this user, and of this folder of sockets, that are neither known nor still wait for a run."""
    orphans: frozenset[int]
    """Keepers whose owner is gone, which should have ended with it, and what they keep with them; for the doctor also
    what killed keepers have left: see `survivors.py`.
    """


def strays(known: Collection[int]) -> Strays:
    """Those that there are at this moment: some may be about to begin, or to end."""
    hosts, orphans = set(), set()
    folder = runtime_folder()
    for pid, words in own_processes():
        if words[-2:] == _HOST:
            if pid not in known and _folder_of(pid) == folder and not _waits_for_order(pid):
                hosts.add(pid)
        elif (owner := _owner_of(words)) is not None and not _is_there(owner) and _folder_of(pid) == folder:
            orphans.add(pid)
    return Strays(frozenset(hosts), frozenset(orphans))


def process_of(run_id: str) -> int | None:
    """The host of a run, by the lock that it has open, also if it does not answer; None if the system does not tell."""
    lock = os.path.realpath(runtime_folder() / f"{run_id}{LOCK}")
    for pid, words in own_processes():
        if words[-2:] == _HOST:
            with suppress(OSError):  # it ends
                if any(os.path.realpath(opened) == lock for opened in (_PROCESSES / str(pid) / "fd").iterdir()):
                    return pid
    return None


def way_to_end(pids: Sequence[int]) -> str:
    """The command that ends them in good order; one that is stopped must be woken to hear of it."""
    numbers, are_stopped = " ".join(map(str, pids)), False
    for pid in pids:
        with suppress(OSError, ValueError):  # it has ended meanwhile
            are_stopped = are_stopped or keeper.Status(pid).state in (b"T", b"t")
    return f"kill {numbers}" + (f"; kill -CONT {numbers}" if are_stopped else "")


def own_processes() -> Iterator[tuple[int, list[bytes]]]:
    """The processes of this user, with their words."""
    try:
        names = os.listdir(_PROCESSES)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return
    for name in names:
        if name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                if (_PROCESSES / name).stat().st_uid == os.getuid():
                    yield int(name), (_PROCESSES / name / "cmdline").read_bytes().split(b"\0")[:-1]


def _owner_of(words: list[bytes]) -> int | None:
    """Whom a keeper keeps something for; None if it is none."""
    is_keeper = len(words) > _OWNER and words[_OWNER - 1] == os.fsencode(keeper.__file__)
    return int(words[_OWNER]) if is_keeper and words[_OWNER].isdigit() else None


def _waits_for_order(pid: int) -> bool:
    """Whether its parent may still tell it which run it is: both hold the pipe for that, until it is a host."""
    with suppress(OSError):
        pipe = _open_at(pid, "0")
        parent = int((_PROCESSES / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        descriptors = os.listdir(_PROCESSES / str(parent) / "fd")  # noqa: PTH208 - names are all that is wanted
        return pipe.startswith("pipe:") and any(_open_at(parent, name) == pipe for name in descriptors)
    return False


def _open_at(pid: int, descriptor: str) -> str:
    """What a process has open there; nothing if it has been closed meanwhile."""
    with suppress(OSError):
        return str((_PROCESSES / str(pid) / "fd" / descriptor).readlink())
    return ""


def _is_there(pid: int) -> bool:
    return (_PROCESSES / str(pid)).exists()


def _folder_of(pid: int) -> Path | None:
    """Where a process looks for sockets: another folder is another world, say, that of a test."""
    with suppress(OSError, RuntimeError):  # the latter for the home directory of a user that there is not
        return runtime_folder(environment_of(pid))
    return None


def environment_of(pid: int) -> dict[str, str]:
    """The environment that a process was started with. OSError if it is gone, or not for us to read."""
    told = (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    return {name: value for name, _, value in (os.fsdecode(one).partition("=") for one in told)}
