"""Scene of the board: a hundred runs on it, some of them live on the scripted model; keys, and an end to all of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.terminal.cost import cost
from tests.bench.terminal.model import model
from tests.bench.terminal.programs import HERE, Program, environment
from tests.bench.terminal.recording import Recording, recorded
from tests.bench.terminal.scenes import CALM, Typist, delays
from tests.bench.terminal.screen import Echoes, Key, Shown, Terminal, replay
from tests.support.hosts import end_hosts
from tests.support.processes import MARK, marked, wait_until_gone

CTRL_S, CTRL_Q, F8, DOWN, HOME = b"\x13", b"\x11", b"\x1b[19~", b"\x1b[B", b"\x1b[H"
MOST_LIVE = 32
SPARE_MB = 3_000
"""Megabytes that are left to everybody else."""
LIVE_MB = 330
"""Megabytes that a host takes with its CLI."""
AT_ONCE = 4
LISTED_WITHIN, STOPPED_WITHIN, GONE_WITHIN = 60.0, 60.0, 90.0
MOVES = 10
FILTER = re.compile(r"│ / (\S*)")
COUNTS = re.compile(r"(\d+) (?:needs? you|in trouble|at work|waiting|at rest)")
INTERRUPTING, STOPPED = re.compile("Interrupting [0-9]+ run"), re.compile("All of them have stopped")
AT_WORK = re.compile(r"● (\d+) at work")


def room_for_live(wanted: int = MOST_LIVE) -> int:
    """How many live runs the memory of this machine allows."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return max(0, min(wanted, int((int(value.split()[0]) / 1024 - SPARE_MB) / LIVE_MB)))
    return 0


@dataclass
class Moves:
    """Waits for the highlight to be where each key has moved it: `expected` of a key is the row of the screen."""

    keys: Sequence[Key]
    prompt = re.compile("")
    delays: list[float]

    @property
    def lost(self) -> int:
        """How many keys were never seen."""
        return len(self.keys) - len(self.delays)

    def look(self, rows: Sequence[str], moment: float) -> None:
        """See a frame."""
        at = next((str(number) for number, row in enumerate(rows) if "▸" in row), "")
        for number, key in enumerate(pending := self.keys[len(self.delays) :]):
            if key.moment > moment:
                return
            if key.expected == at:
                self.delays += [moment - earlier.moment for earlier in pending[: number + 1]]
                return


def hundred(program: Program, runs: int, live: int, seconds: float, seed: int) -> dict[str, Any]:
    """So many runs on the board, so many of them live; keys for some seconds, and then all are interrupted."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mb", ignore_cleanup_errors=True)))
        (work := folder / "home" / "work").mkdir(parents=True)
        served = stack.enter_context(model(_script(folder / "script.json")))
        mark = uuid.uuid4().hex
        variables = {
            **environment(folder / "home", served.url),
            "MAVERICK_RUNTIME_DIR": str(folder / "r"),
            "MAVERICK_MAX_RUNS": "0",
            MARK: mark,
        }
        stack.callback(_end_all, mark)
        feeding = stack.enter_context(_fed(runs - live, variables, work))
        ids = _start_live(program, live, variables, work)
        taken = _resident(mark)
        gone = replace(program, command=program.command[:1])
        recording = stack.enter_context(recorded(gone.command, variables, work))
        assert recording.wait_for(b"ype to filter", LISTED_WITHIN), "the picker was not shown"
        recording.press(CTRL_S)
        screen = Watched(recording)
        listed = screen.wait(lambda rows: _counted(rows) == runs, LISTED_WITHIN)
        feeding.stdin.write("go\n")  # type: ignore[union-attr]
        feeding.stdin.flush()  # type: ignore[union-attr]
        time.sleep(3.0)
        used = _use(screen, seconds, seed)
        stopped = _interrupt(screen, program, variables, work)
        if ids:
            subprocess.run([program.command[0], "stop", *ids], env=variables, cwd=work, capture_output=True, check=True)
        recording.press(CTRL_Q)
        left = _left(mark, feeding.pid, recording.pid)
    told = {"listed_s": listed, "live": live, "live_mb": taken, "left": left}
    return {**used.figures, **stopped.figures, **told, **_seen(recording, used, stopped)}


class Used(NamedTuple):
    """What was typed, where the highlight was moved to, and what that has cost."""

    typed: list[Key]
    moved: list[Key]
    figures: dict[str, Any]


class Stopped(NamedTuple):
    """When all runs were interrupted, and what came of it."""

    moment: float
    figures: dict[str, Any]


def _seen(recording: Recording, used: Used, stopped: Stopped) -> dict[str, Any]:
    """What could be seen of it, and when: the recording is played once."""
    echoes, moves = Echoes(FILTER, used.typed), Moves(used.moved, [])
    interrupting, all_stopped = Shown([INTERRUPTING]), Shown([STOPPED])
    replay(recording.chunks, echoes, moves, interrupting, all_stopped)  # type: ignore[arg-type]
    assert interrupting.moment is not None
    assert all_stopped.moment is not None
    return {
        **delays(echoes),
        **{f"move_{name}": value for name, value in delays(moves).items()},  # type: ignore[arg-type]
        "acknowledged_ms": 1000 * (interrupting.moment - stopped.moment),
        "stopped_s": all_stopped.moment - stopped.moment,
    }


def _script(path: Path) -> Path:
    """An answer at the pace of somebody who speaks slowly: so many CLIs share these cores."""
    text = " ".join(f"word{number}" for number in range(20_000))
    scene = {"answers": [{"steps": [{"text": text}]}]}
    path.write_text(json.dumps({"pace": {"tokens_per_second": 4}, "scenes": [scene]}), encoding="utf-8")
    return path


@contextlib.contextmanager
def _fed(runs: int, variables: dict[str, str], work: Path) -> Iterator[subprocess.Popen[str]]:
    """Hosts that replay: each tells an answer without end, and can be interrupted."""
    command = [sys.executable, str(HERE / "fed_hosts.py"), *map(str, (runs, 40, 3_000, 10))]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=variables, cwd=work) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.terminate()


def _start_live(program: Program, live: int, variables: dict[str, str], work: Path) -> list[str]:
    command = [program.command[0], "run", "--detach", "explorer", "Go on until somebody stops you"]

    def start(_number: int) -> str:
        done = subprocess.run(command, env=variables, cwd=work, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return done.stdout.split()[0]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ids = list(pool.map(start, range(live)))
    until = time.monotonic() + LISTED_WITHIN
    while live and len(_phases(program, variables, work, "working")) < live:
        assert time.monotonic() < until, "the live runs never began to work"
        time.sleep(0.5)
    return ids


def _phases(program: Program, variables: dict[str, str], work: Path, phase: str) -> list[str]:
    done = subprocess.run(
        [program.command[0], "ps", "--json"], env=variables, cwd=work, capture_output=True, text=True, check=True
    )
    return [run["run_id"] for run in json.loads(done.stdout) if run["phase"] == phase]


class Watched:
    """The screen of a recording, as far as it has come."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._terminal = Terminal()
        self._fed = 0

    @property
    def rows(self) -> list[str]:
        """What stands on it."""
        chunks = self.recording.chunks[self._fed :]
        self._fed += len(chunks)
        for _, data in chunks:
            self._terminal.feed(data)
        return self._terminal.rows

    def wait(self, is_so: Callable[[list[str]], object], within: float) -> float:
        """Wait until it is so; seconds until then."""
        began = time.monotonic()
        while not is_so(rows := self.rows):
            assert time.monotonic() - began < within, "\n".join(rows)
            time.sleep(0.1)
        return time.monotonic() - began


def _counted(rows: list[str]) -> int:
    return sum(map(int, COUNTS.findall(rows[0])))


def _use(screen: Watched, seconds: float, seed: int) -> Used:
    """Type into the filter, and move the highlight about."""
    recording = screen.recording
    typist, before = Typist(recording, CALM, seed), cost(recording.pid, time.monotonic())
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        typist.type_one()
        time.sleep(typist.pause())
    recording.press(b"\x15")
    time.sleep(1.0)
    recording.press(HOME)
    time.sleep(1.0)
    typed, moved = list(recording.keys), list[Key]()
    first = next(number for number, row in enumerate(screen.rows) if "▸" in row)
    tall = 2
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for at in range(1, MOVES):
            moved.append(Key(time.monotonic(), str(first + tall * at)))
            recording.press(DOWN)
            time.sleep(typist.pause())
        recording.press(HOME)
        time.sleep(0.3)
    after = cost(recording.pid, time.monotonic())
    elapsed = after.moment - before.moment
    figures = {
        "cpu_share": (after.own - before.own) / elapsed,
        "elsewhere": (after.elsewhere - before.elsewhere) / elapsed,
        "rss_mb": after.resident,
    }
    return Used(typed, moved, figures)


def _interrupt(screen: Watched, program: Program, variables: dict[str, str], work: Path) -> Stopped:
    """Interrupt all runs, and wait until they have stopped."""
    recording, at_work = screen.recording, AT_WORK.search("\n".join(screen.rows))
    recording.press(F8)
    screen.wait(lambda rows: any("Let them work" in row for row in rows), LISTED_WITHIN)
    time.sleep(1.0)  # until then a dialog takes no letters
    seen = time.monotonic()
    recording.press(b"y")
    screen.wait(lambda rows: any(STOPPED.search(row) for row in rows), STOPPED_WITHIN)
    still = len(_phases(program, variables, work, "working"))
    return Stopped(seen, {"interrupted": int(at_work[1]) if at_work else 0, "still_working": still})


def _resident(mark: str) -> float:
    """Megabytes that all processes of the live runs take together, what they share counted once."""
    total = 0.0
    for pid, command in marked(mark).items():
        if "fed_hosts" not in command:
            with contextlib.suppress(OSError):
                found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
                total += int(found[1]) / 1024 if found else 0.0
    return total


def _left(mark: str, *ours: int) -> int:
    """Processes that are still there, other than these."""
    until = time.monotonic() + GONE_WITHIN
    while left := [pid for pid in marked(mark) if pid not in ours]:
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return len(left)


def _end_all(mark: str) -> None:
    end_hosts(mark)
    for left in wait_until_gone(mark, GONE_WITHIN):
        with contextlib.suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)
