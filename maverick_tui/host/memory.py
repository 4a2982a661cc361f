"""What processes take of the memory, with all that they have started."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_PROCESSES = Path("/proc")


class _Process(NamedTuple):
    pid: int
    parent: int
    size: int


def memory_of(pids: Iterable[int]) -> dict[int, int]:
    """Bytes of each of these processes and of what it has started; empty where the system does not tell (not Linux)."""
    processes = {one.pid: one for one in _processes()}
    below: dict[int, list[int]] = {}
    for one in processes.values():
        below.setdefault(one.parent, []).append(one.pid)

    def added(pid: int) -> int:
        return processes[pid].size + sum(map(added, below.get(pid, ())))

    return {pid: added(pid) for pid in pids if pid in processes}


def _processes() -> Iterator[_Process]:
    try:
        names = os.listdir(_PROCESSES)  # noqa: PTH208 - names are all that is wanted
        page = os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return
    for name in names:
        if name.isdecimal():
            try:
                told = (_PROCESSES / name / "stat").read_bytes()
            except OSError:  # it has ended meanwhile
                continue
            # Its name stands in brackets, and may have any characters in it.
            fields = told.rpartition(b")")[2].split()
            yield _Process(int(name), int(fields[1]), int(fields[21]) * page)
