"""`make bench`: runs the benchmarks, prints a table and writes the figures to bench.json.

`make bench ARGS="burst"` runs those whose name contains the word; `ARGS="--json -"` writes to standard output.
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

from tests.bench import agent_layer, offline, sessions  # noqa: E402
from tests.bench.measure import Figure  # noqa: E402

BENCHMARKS = [*agent_layer.BENCHMARKS, *offline.BENCHMARKS, *sessions.BENCHMARKS]


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only benchmarks whose name contains one of these")
    parser.add_argument("--json", default=str(ROOT / "bench.json"), help="where to write the figures (- for stdout)")
    options = parser.parse_args()
    chosen = [b for b in BENCHMARKS if not options.words or any(word in b.__name__ for word in options.words)]
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
    }
    text = json.dumps(report, indent=2)
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text + "\n")
    return 0 if all(figure.is_met for figure in figures) else 1


def line(figure: Figure) -> str:
    """One row of the table."""
    gate = "" if figure.gate is None else f"gate {figure.gate:g} {'ok' if figure.is_met else 'MISSED'}"
    floor = "" if figure.floor is None else f"floor {figure.floor:.2f}"
    return f"{figure.name:46} {figure.value:9.2f} {figure.unit:3} {floor:14} {gate:15} {figure.note}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
