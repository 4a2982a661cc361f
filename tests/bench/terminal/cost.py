"""What processes have used so far, from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """CPU seconds up to now: of one process with its threads, of its living descendants, of everybody else."""

    moment: float
    own: float
    descendants: float
    hosts: float
    """Those of its descendants that are processes of runs, without what these have started."""
    elsewhere: float
    resident: float
    """Megabytes of the one process."""
    peak: float


def cost(pid: int, moment: float) -> Cost:
    """What the process has cost; "elsewhere" is all that neither we nor our descendants have used."""
    own, sizes, below = _cpu(pid)[0], _sizes(pid), _below(pid)
    return Cost(
        moment=moment,
        own=own,
        descendants=sum(_cpu(child)[0] for child in below),
        hosts=sum(_cpu(child)[0] for child in below if _is_host(child)),
        elsewhere=_machine() - sum(sum(_cpu(each)) for each in (os.getpid(), *_below(os.getpid()))),
        resident=sizes.get("VmRSS", 0.0),
        peak=sizes.get("VmHWM", 0.0),
    )


def _cpu(pid: int) -> tuple[float, float]:
    """User and system time of a process with all its threads, and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0
    user, system, ended_user, ended_system = (int(value) * _TICK for value in fields[11:15])
    return user + system, ended_user + ended_system


def _is_host(pid: int) -> bool:
    try:
        return b"maverick_tui.host" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _below(pid: int) -> list[int]:
    found = []
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        for thread in threads:
            for child in (thread / "children").read_text().split():
                found += [int(child), *_below(int(child))]
    except OSError:
        pass  # it has ended while we looked
    return found


def _machine() -> float:
    """Busy time of all cores, what the host took away included."""
    user, nice, system, _idle, _wait, hard, soft, steal = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    return (user + nice + system + hard + soft + steal) * _TICK


def _sizes(pid: int) -> dict[str, float]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {
        name: int(value.split()[0]) / 1024
        for name, _, value in (line.partition(":") for line in lines)
        if name in ("VmRSS", "VmHWM")
    }
