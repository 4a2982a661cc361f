"""The gates of the terminal application: the same scenes for us, the CLI's own interface and a bare application.

"CPU of the process" is user and system time of the one process that owns the screen, its threads included. The CLI's
own interface is that process as a whole: it speaks to the model and draws. Of ours it is what the application costs on
top of a CLI, without its children; what those use (a CLI without a screen, its keeper) is a figure beside it.
All figures are medians of runs; of key echoes, medians of each run's p50, p95 and maximum.
"""

from __future__ import annotations

import compileall
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.measure import Figure
from tests.bench.snapshots import SMALL, fill
from tests.bench.terminal import board, corpus, hosts, scenes, tracking
from tests.bench.terminal.history import flooded, preloaded, resident
from tests.bench.terminal.programs import ROOT, bare, claude, maverick
from tests.bench.terminal.rounds import Patience, Run, medians, rounds

FRAME_GATE, FRAME_AIM = 1.3, 0.9
CPU_GATE, CPU_AIM = 0.25, 0.15
HOST_GATE, HOST_AIM = 0.5, 0.4
PACED_ECHO: dict[str, tuple[float | None, float | None]] = {"p50": (None, None), "p95": (5.0, 3.0), "max": (10.0, 6.0)}
WRITTEN_GATE, WRITTEN_AIM = 0.35, 0.175
"""kB for each delta: 0.7 MB and 0.35 MB for 2,000."""
RESIDENT_GATE, RESIDENT_AIM = 60.0, 50.0
FIRST_TOKEN_GATE, FIRST_TOKEN_AIM = 20.0, 8.0
ATTACH_GATE, ATTACH_AIM = 1.2, 1.05
MANY_ECHO_GATE, MANY_ECHO_AIM = 8.0, 5.0
MANY_CPU_GATE, MANY_CPU_AIM = 1.5, 1.1
LONG, SHORT = 10_000, 40
"""Events of a run that somebody comes back to, and of one that has hardly begun."""
MANY = 16
BOARD = 100
"""Runs on the board."""
BOARD_ECHO_GATE, BOARD_ECHO_AIM = 10.0, 6.0
INTERRUPT_GATE = 200.0
LAST_DELTA_GATE, LAST_DELTA_AIM = 60.0, 20.0
BURST_GATE, BURST_AIM = 1.5, 1.2
BURST_ECHO_GATE, BURST_ECHO_AIM = 80.0, 35.0
HISTORY_GATE, HISTORY_AIM = 1.2, 1.0
MEMORY_GATE, MEMORY_AIM = 60.0, 20.0
FLAT_GATE, FLAT_AIM = 1.1, 1.0
CONNECT_GATE, CONNECT_AIM = 15.0, 8.0
JOURNAL_GATE, JOURNAL_AIM = 1.1, 1.0
JOURNAL_ECHO_GATE = 1.25
"""Above what two runs of the same program differ by."""
SNAPSHOT_ECHO_GATE = 1.25

PATIENT = Patience(seconds=60.0, attempts=3)
HASTY = Patience(seconds=5.0, attempts=1)

Medians = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int = 3
    starts: int = 21
    """One start takes a third longer than another on machines that are shared; the median needs many."""
    paced: int = corpus.PACED_DELTAS
    burst: int = corpus.BURST_DELTAS
    history_paced: int = corpus.PACED_DELTAS // 2
    history_rounds: int = 6
    """More than elsewhere: what is compared differs by less than the machine does from run to run."""
    bursts: int = 12
    """In a second there are few keys, and the slowest of them is a matter of chance."""
    turns: tuple[int, ...] = (10, 100, 1_000)
    flood: int = 1_000_000
    writing: int = 200
    """Deltas of a run that writes a file after every few of them."""
    live: int = board.MOST_LIVE
    """Runs on the board with a CLI of their own."""
    board_seconds: float = 20.0
    patience: Patience = PATIENT


QUICK = Effort(
    rounds=1,
    starts=3,
    paced=500,
    history_paced=400,
    history_rounds=1,
    bursts=1,
    turns=(100,),
    flood=100_000,
    writing=100,
    live=2,
    board_seconds=6.0,
    patience=HASTY,
)
"""To see whether something is badly wrong; its figures are not those of the gates."""


class Terminal:
    """The benchmarks of the terminal. `runs` keeps every single run, for whoever doubts a median."""

    def __init__(self, effort: Effort, *, is_peers_only: bool = False) -> None:
        self._effort = effort
        self._ours = () if is_peers_only else (maverick(),)
        self.runs: dict[str, Any] = {}

    @property
    def benchmarks(self) -> Sequence[Any]:
        """One for each group of gates."""
        return (
            self.terminal_start,
            self.terminal_paced,
            self.terminal_burst,
            self.terminal_history,
            self.terminal_memory,
            self.terminal_connect,
            self.terminal_journal,
            self.terminal_hosts,
            self.terminal_board,
            self.terminal_snapshots,
        )

    def _measure(self, scene: str, runs: dict[str, Run], count: int) -> Medians:
        for folder in ("maverick_tui", "tests/bench"):
            compileall.compile_dir(ROOT / folder, quiet=2)  # a start without bytecode is not the one that users see
        self.runs[scene] = rounds(runs, count, self._effort.patience)
        return {name: medians(results) for name, results in self.runs[scene].items()}

    def terminal_start(self) -> Iterator[Figure]:
        """Row 1: from nothing to a frame, and to an echoed key."""
        programs = (bare(), claude(), *self._ours)
        runs: dict[str, Run] = {program.name: partial(scenes.start, program) for program in programs}
        for program in programs:
            scenes.start(program, 0)  # fills the caches of the disk
        found = self._measure("start", runs, self._effort.starts)
        for name, key in (("first frame", "first_frame_ms"), ("first echoed key", "first_key_ms")):
            floor, peer = found["bare"][key], found["claude"][key]
            yield from against(
                f"1 start to {name}", "ms", found, key, min(FRAME_GATE * floor, peer), FRAME_AIM * floor, floor
            )

    def terminal_paced(self) -> Iterator[Figure]:
        """Rows 2, 3 and 4: an answer at the pace of a model, with somebody typing."""
        count = self._effort.paced
        runs: dict[str, Run] = {"drain": lambda _seed: scenes.drained(count, is_paced=True)}
        for program in (claude(), *self._ours):
            runs[program.name] = partial(scenes.answered, program, count, is_paced=True)
        found = self._measure("paced", runs, self._effort.rounds)
        peer, pace = found["claude"], found["drain"]
        yield Figure("  the model is late by, p95", pace["sent_late_p95_ms"], "ms", note=f"{count} deltas")
        for name, (gate, aim) in PACED_ECHO.items():
            yield from against(f"2 paced: key echo {name}", "ms", found, f"echo_{name}_ms", gate, aim)
        yield from against(
            "3 paced: CPU of the process", "s", found, "cpu_s", CPU_GATE * peer["cpu_s"], CPU_AIM * peer["cpu_s"],
            pace["cpu_s"],
        )  # fmt: skip
        yield from against(
            "3 paced: CPU with the run's own process", "s", found, "with_host_cpu_s", HOST_GATE * peer["cpu_s"],
            HOST_AIM * peer["cpu_s"],
        )  # fmt: skip
        yield from against("  paced: CPU of its children", "s", found, "children_cpu_s")
        yield from against(
            "4 paced: last delta visible after", "ms", found, "last_delta_ms", LAST_DELTA_GATE, LAST_DELTA_AIM,
            pace["last_delta_ms"],
        )  # fmt: skip
        yield from against("  paced: written", "kB", found, "written_kb", WRITTEN_GATE * count, WRITTEN_AIM * count)
        yield from against("  paced: resident", "MB", found, "rss_mb", RESIDENT_GATE, RESIDENT_AIM)
        if "maverick" in found:
            ours, theirs = (found[name]["asked_to_shown_ms"] for name in ("maverick", "claude"))
            yield Figure(
                "4 paced: prompt to first token, above the CLI's", ours - theirs, "ms", FIRST_TOKEN_GATE, 0.0,
                f"{ours:.4g} against {theirs:.4g}", aim=FIRST_TOKEN_AIM,
            )  # fmt: skip
        yield from against("  paced: keys never echoed", "", found, "keys_lost", 0)

    def terminal_burst(self) -> Iterator[Figure]:
        """Row 5: 100 KB as fast as they can be sent."""
        count = self._effort.burst
        runs: dict[str, Run] = {"drain": lambda _seed: scenes.drained(count, is_paced=False)}
        for program in (claude(), *self._ours):
            runs[program.name] = partial(scenes.answered, program, count, is_paced=False)
        found = self._measure("burst", runs, self._effort.bursts)
        floor = found["drain"]["total_s"]
        yield from against("5 burst: total", "s", found, "total_s", BURST_GATE * floor, BURST_AIM * floor, floor)
        yield from against("  burst: key echo p50", "ms", found, "echo_p50_ms")
        yield from against("5 burst: key echo max", "ms", found, "echo_max_ms", BURST_ECHO_GATE, BURST_ECHO_AIM)
        yield from against("  burst: CPU of the process", "s", found, "cpu_s")
        yield from against("  burst: keys never echoed", "", found, "keys_lost", 0)

    def terminal_history(self) -> Iterator[Figure]:
        """Row 6: the same with a conversation that is already long, against an empty one."""
        if not (ours := self._ours):
            return
        paced: dict[str, Run] = {}
        bursts: dict[str, Run] = {}
        for turns in (0, *self._effort.turns):
            program = preloaded(ours[0], turns)
            paced[f"paced {turns}"] = partial(scenes.answered, program, self._effort.history_paced, is_paced=True)
            bursts[f"burst {turns}"] = partial(scenes.answered, program, self._effort.burst, is_paced=False)
        found = self._measure("history, paced", paced, self._effort.history_rounds)
        found |= self._measure("history, bursts", bursts, self._effort.bursts)
        keys = {
            "paced": ("echo_p95_ms", "echo_max_ms", "cpu_s", "last_delta_ms"),
            "burst": ("total_s", "echo_max_ms"),
        }
        for turns in self._effort.turns:
            for scene, names in keys.items():
                for key in names:
                    value, empty = found[f"{scene} {turns}"][key], found[f"{scene} 0"][key]
                    yield Figure(
                        f"6 {turns:,} turns, {scene}: {key}", value / empty, "x", HISTORY_GATE, 1.0,
                        f"{value:.4g} against {empty:.4g}", aim=HISTORY_AIM,
                    )  # fmt: skip

    def terminal_memory(self) -> Iterator[Figure]:
        """Row 7: what a thousand turns and a million deltas leave behind."""
        if not (ours := self._ours):
            return
        turns = max(self._effort.turns)
        runs: dict[str, Run] = {
            "empty": partial(resident, preloaded(ours[0], 0)),
            "full": partial(resident, preloaded(ours[0], turns)),
        }
        found = self._measure("memory", runs, self._effort.rounds)
        added = found["full"]["rss_mb"] - found["empty"]["rss_mb"]
        yield Figure(
            f"7 memory of {turns:,} turns", added, "MB", MEMORY_GATE, 0.0,
            f"{found['full']['rss_mb']:.0f} against {found['empty']['rss_mb']:.0f}", aim=MEMORY_AIM,
        )  # fmt: skip
        flood = self.runs["flood"] = flooded(ours[0], self._effort.flood)
        sizes, text = flood["rss_mb"], flood["text_mb"][-1] - flood["text_mb"][0]
        yield Figure(
            f"7 memory after {self._effort.flood:,} deltas", sizes[-1] / sizes[0], "x", FLAT_GATE, 1.0,
            f"{sizes[-1]:.0f} MB against {sizes[0]:.0f} after a tenth, with {text:.1f} MB of text between",
            aim=FLAT_AIM,
        )  # fmt: skip

    def terminal_connect(self) -> Iterator[Figure]:
        """Row 8: keys while the SDK is imported and the client connects."""
        runs: dict[str, Run] = {
            program.name: partial(scenes.connecting, program) for program in (claude(), *self._ours)
        }
        found = self._measure("connect", runs, self._effort.rounds)
        yield from against("8 connecting: key echo max", "ms", found, "echo_max_ms", CONNECT_GATE, CONNECT_AIM)
        yield from against("  connecting: keys never echoed", "", found, "keys_lost", 0)

    def terminal_journal(self) -> Iterator[Figure]:
        """Row 9: what it costs that a run is kept, against one that is not."""
        if not (ours := self._ours):
            return
        kept = {"kept": ours[0], "not kept": replace(ours[0], variables={"MAVERICK_KEEP_RUNS": "false"})}
        for scene, count, is_paced, times in (
            ("paced", self._effort.paced, True, self._effort.history_rounds),
            ("burst", self._effort.burst, False, self._effort.bursts),
        ):
            runs: dict[str, Run] = {
                name: partial(scenes.answered, program, count, is_paced=is_paced) for name, program in kept.items()
            }
            found = self._measure(f"journal, {scene}", runs, times)
            keys = {"with_host_cpu_s": JOURNAL_GATE, ("echo_p95_ms" if is_paced else "echo_max_ms"): JOURNAL_ECHO_GATE}
            for key, gate in keys.items():
                value, without = found["kept"][key], found["not kept"][key]
                yield Figure(
                    f"9 kept, {scene}: {key}", value / without, "x", gate, 1.0, f"{value:.4g} against {without:.4g}",
                    aim=JOURNAL_AIM,
                )  # fmt: skip

    def terminal_hosts(self) -> Iterator[Figure]:
        """Row 10: who comes back to a long run, and many runs at once."""
        if not (ours := self._ours):
            return
        comings: dict[str, Run] = {str(events): partial(hosts.came_back, ours[0], events) for events in (SHORT, LONG)}
        found = self._measure("attach", comings, self._effort.starts)
        long, short = (found[str(events)]["first_frame_ms"] for events in (LONG, SHORT))
        yield Figure(
            f"10 attach to {LONG:,} events: first full frame", long / short, "x", ATTACH_GATE, 1.0,
            f"{long:.4g} against {short:.4g} ms", aim=ATTACH_AIM,
        )  # fmt: skip
        deltas = self._effort.history_paced
        many: dict[str, Run] = {str(runs): partial(hosts.streamed_at_once, ours[0], runs, deltas) for runs in (1, MANY)}
        found = self._measure("many", many, self._effort.rounds)
        one, all_of_them = found["1"], found[str(MANY)]
        yield Figure(
            f"10 {MANY} runs: key echo p95", all_of_them["echo_p95_ms"], "ms", MANY_ECHO_GATE, aim=MANY_ECHO_AIM
        )
        yield Figure(
            f"10 {MANY} runs: CPU of the process", all_of_them["cpu_s"] / one["cpu_s"], "x", MANY_CPU_GATE, 1.0,
            f"{all_of_them['cpu_s']:.4g} against {one['cpu_s']:.4g} s", aim=MANY_CPU_AIM,
        )  # fmt: skip

    def terminal_board(self) -> Iterator[Figure]:
        """Row 11: a hundred runs on the board, as many of them live as there is room for; the others are replayed."""
        if not (ours := self._ours):
            return
        live = board.room_for_live(self._effort.live)
        scene: dict[str, Run] = {"board": partial(board.hundred, ours[0], BOARD, live, self._effort.board_seconds)}
        found = self._measure("board", scene, 1)["board"]
        note = f"{live} of them live on the scripted model ({found['live_mb']:,.0f} MB), the others replayed"
        for name, key in (("typing", "echo"), ("moving", "move_echo")):
            p95, longest = found[f"{key}_p95_ms"], found[f"{key}_max_ms"]
            shown = f"max {longest:.4g}; {note}"
            title = f"11 {BOARD} runs: echo of {name} p95"
            yield Figure(title, p95, "ms", BOARD_ECHO_GATE, None, shown, BOARD_ECHO_AIM)
        yield Figure(f"  {BOARD} runs: CPU of the process", found["cpu_share"], "", note="of one core")
        yield Figure(f"  {BOARD} runs: resident", found["rss_mb"], "MB")
        yield Figure(f"  {BOARD} runs: all on the board after", found["listed_s"], "s")
        stopped = f"{found['interrupted']:.0f} runs, all stopped after {found['stopped_s']:.4g} s"
        heard = found["acknowledged_ms"]
        yield Figure("11 interrupt all: acknowledged after", heard, "ms", INTERRUPT_GATE, None, stopped)
        yield Figure("11 interrupt all: still at work", found["still_working"], "", 0)
        yield Figure("11 interrupt all: processes left", found["left"], "", 0)

    def terminal_snapshots(self) -> Iterator[Figure]:
        """Row 12: keys while snapshots of a large folder are taken all the time, against none."""
        if not (ours := self._ours):
            return
        with tempfile.TemporaryDirectory(prefix="maverick-bench-") as place:
            folder = Path(place, "project")
            fill(folder, SMALL)
            runs: dict[str, Run] = {
                name: partial(tracking.written, ours[0], folder, self._effort.writing, is_tracked=is_tracked)
                for name, is_tracked in (("taken", True), ("none", False))
            }
            found = self._measure("snapshots", runs, self._effort.rounds)
        taken, none = found["taken"], found["none"]
        note = f"{taken['snapshots']:.0f} snapshots of {SMALL:,} files in {taken['total_s']:.0f} s"
        for name in ("p50", "p95"):
            value, without = taken[f"echo_{name}_ms"], none[f"echo_{name}_ms"]
            yield Figure(
                f"12 snapshots all the time: key echo {name}", value / without, "x", SNAPSHOT_ECHO_GATE, 1.0,
                f"{value:.4g} against {without:.4g} ms; {note}", aim=1.0,
            )  # fmt: skip
        yield Figure("12 snapshots all the time: keys never echoed", taken["keys_lost"], "", 0)


def against(
    name: str,
    unit: str,
    found: Medians,
    key: str,
    gate: float | None = None,
    aim: float | None = None,
    floor: float | None = None,
) -> Iterator[Figure]:
    """Our figure with its gate, the peers' in the note; without us the peers' own."""
    peers = {peer: figures[key] for peer, figures in found.items() if peer != "maverick" and key in figures}
    if "maverick" not in found:
        for peer, value in peers.items():
            yield Figure(f"{name}, {peer}", value, unit)
        return
    note = ", ".join(f"{peer} {value:.4g}" for peer, value in peers.items())
    value = found["maverick"].get(key, math.inf)
    yield Figure(name, value, unit, gate, floor, note, aim)
