"""`make bench`: runs the benchmarks, prints a table and writes the figures to bench.json.

`make bench ARGS="burst"` runs those whose name contains the word; `ARGS="--json -"` writes to standard output;
`ARGS="terminal --quick"` looks at the application in a terminal, with less patience than the gates ask for;
`ARGS="executor"` at the executor beside its peers.
A gate that does not hold makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench import (  # noqa: E402
    agent_layer,
    changes,
    claude_sessions,
    history,
    offline,
    opening,
    replay,
    sessions,
    snapshots,
    tasks,
)
from tests.bench.executor import benchmarks as executor_benchmarks  # noqa: E402
from tests.bench.measure import Figure  # noqa: E402
from tests.bench.terminal.benchmarks import QUICK, Effort, Terminal  # noqa: E402


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only benchmarks whose name contains one of these")
    parser.add_argument("--json", default=str(ROOT / "bench.json"), help="where to write the figures (- for stdout)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs of executor and terminal")
    parser.add_argument("--peers", action="store_true", help="in the terminal, measure only what we compare with")
    options = parser.parse_args()
    terminal = Terminal(QUICK if options.quick else Effort(), is_peers_only=options.peers)
    effort = executor_benchmarks.QUICK if options.quick else executor_benchmarks.Effort()
    executor = executor_benchmarks.Executor(effort)
    layers = [
        *agent_layer.BENCHMARKS,
        *offline.BENCHMARKS,
        *sessions.BENCHMARKS,
        *tasks.BENCHMARKS,
        *history.BENCHMARKS,
        *opening.BENCHMARKS,
        *replay.BENCHMARKS,
        *claude_sessions.BENCHMARKS,
        *snapshots.BENCHMARKS,
        *changes.BENCHMARKS,
    ]
    every = [*layers, *executor.benchmarks, *terminal.benchmarks]
    chosen = [b for b in every if not options.words or any(word in b.__name__ for word in options.words)]
    figures: list[Figure] = []
    for benchmark in chosen:
        for figure in benchmark():
            figures.append(figure)
            if options.json != "-":
                print(line(figure), flush=True)
    report = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "figures": [{**asdict(figure), "is_met": figure.is_met} for figure in figures],
        "executor": executor.runs,
        "terminal": terminal.runs,
    }
    text = json.dumps(report, indent=2)
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text + "\n")
    return 0 if all(figure.is_met for figure in figures) else 1


def line(figure: Figure) -> str:
    """One row of the table."""
    gate = "" if figure.gate is None else f"gate {figure.gate:.4g} {'ok' if figure.is_met else 'MISSED'}"
    aim = "" if figure.aim is None else f"aim {figure.aim:.4g}"
    floor = "" if figure.floor is None else f"floor {figure.floor:.2f}"
    return f"{figure.name:46} {figure.value:9.2f} {figure.unit:3} {floor:14} {gate:18} {aim:10} {figure.note}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
