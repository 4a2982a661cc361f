"""The gates of the executor: what its loop costs, alone and beside other loops at the same work.

All figures are for one request of the model, and medians; `runs` has all of them, with the CPU time of the process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maverick_tui.offline.processes import offline_process
from tests.bench.executor.parallel import SECONDS, blocks, together, waits
from tests.bench.executor.work import Job, script
from tests.bench.measure import Figure, median

ROOT = Path(__file__).resolve().parents[3]

OVERHEAD_GATE = 2.0
PARALLEL_GATE = 150.0
MEMORY_GATE = 100.0

OURS = "ours:contender"
BARE = "bare_client:contender"
DOCUMENTED = "bare_client:documented"
PYDANTIC = "peer_pydantic:contender"
OPENAI = "peer_openai:contender"

Results = dict[str, dict[str, list[float]]]
"""Of each contender, what a request took in each run: by the wall, and in CPU time of the process."""

SILENT = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "PYTHONWARNINGS": "ignore"}
"""No peer tells its vendor anything, and the SDK does not complain of the age of a model that nobody asks."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    turns: int = 200
    repeats: int = 5
    http_repeats: int = 4
    calls: int = 100
    size: int = 10_000
    peer_turns: int = 50
    peer_rounds: int = 3
    peer_repeats: int = 3
    peer_http_repeats: int = 3


QUICK = Effort(turns=50, repeats=3, http_repeats=2, peer_rounds=1, peer_http_repeats=1)
"""To see whether something is badly wrong; its figures are not those of the gates."""


class Executor:
    """The benchmarks of the executor."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self.runs: dict[str, Any] = {}

    @property
    def benchmarks(self) -> Sequence[Any]:
        """One for each group of gates."""
        return (
            self.executor_overhead,
            self.executor_http,
            self.executor_parallel,
            self.executor_memory,
            self.executor_peers,
            self.executor_peers_http,
        )

    def executor_overhead(self) -> Iterator[Figure]:
        """A long execution with a model that takes no time at all."""
        job = Job(self._effort.turns)
        found = asyncio.run(measured([OURS], job, self._effort.repeats))
        self.runs["overhead"] = found
        yield Figure(
            "executor: one turn with a tool call",
            wall(found, OURS),
            "ms",
            gate=OVERHEAD_GATE,
            note=f"{job.turns} turns, {spread(found, OURS)}",
        )

    def executor_http(self) -> Iterable[Figure]:
        """The same with the real client, against one that sends the same requests without a loop.

        CPU time has the gate: by the wall both wait for the model's process, and for everybody else on the machine.
        """
        return asyncio.run(self._http())

    async def _http(self) -> list[Figure]:
        async with served(Job(self._effort.turns)) as job:
            found = await measured([OURS, BARE], job, self._effort.http_repeats)
        self.runs["http"] = found
        return [
            Figure(
                "executor: one turn over HTTP, CPU beyond floor",
                beyond(found, "cpu_ms"),
                "ms",
                gate=OVERHEAD_GATE,
                floor=median(found[BARE]["cpu_ms"]),
                note=f"floor: the SDK sends the same {job.requests} requests",
            ),
            Figure(
                "  the same by the wall clock",
                beyond(found, "wall_ms"),
                "ms",
                floor=wall(found, BARE),
                note=f"the whole turn: {spread(found, OURS)}",
            ),
        ]

    def executor_parallel(self) -> Iterator[Figure]:
        """Many calls in one turn, of tools that wait and of tools that block."""
        count = self._effort.calls
        for called in (waits, blocks):
            asyncio.run(together(called, count))
            took = [1000 * asyncio.run(together(called, count)) for _ in range(self._effort.repeats)]
            self.runs[f"parallel {called.name}"] = took
            name = "async" if called is waits else "blocking"
            yield Figure(
                f"executor: {count} {name} calls of {1000 * SECONDS:g} ms",
                median(took),
                "ms",
                gate=PARALLEL_GATE,
                floor=1000 * SECONDS,
                note=f"at most {max(took):.0f} ms",
            )

    def executor_memory(self) -> Iterable[Figure]:
        """How much larger a process is after a long execution with large results."""
        return asyncio.run(self._memory())

    async def _memory(self) -> list[Figure]:
        plain = Job(self._effort.turns)
        options = ("--turns", str(plain.turns), "--size", str(self._effort.size))
        found = {"in memory": await child("memory", *options)}
        async with served(plain) as job:
            found["over HTTP"] = await child("memory", *options, "--url", job.url)
        self.runs["memory"] = found
        return [
            Figure(
                f"executor: {plain.turns} results of {self._effort.size // 1000} KB, {name}",
                sizes["after_mb"] - sizes["before_mb"],
                "MB",
                gate=MEMORY_GATE,
                note=f"the process has {sizes['after_mb']:.0f} MB, at most {sizes['peak_mb']:.0f} MB",
            )
            for name, sizes in found.items()
        ]

    def executor_peers(self) -> Iterable[Figure]:
        """The same work for other loops, each in a process of its own, in turns."""
        job = Job(self._effort.peer_turns)
        found = asyncio.run(self._rounds([OURS, PYDANTIC, OPENAI], job))
        self.runs["peers"] = found
        peers = {"pydantic-ai": wall(found, PYDANTIC), "openai-agents": wall(found, OPENAI)}
        ours = wall(found, OURS)
        first = min(peers, key=lambda name: peers[name])
        yield Figure(
            "executor: one turn beside its peers",
            ours,
            "ms",
            gate=peers[first],
            note=f"{first} takes {peers[first] / ours:.1f} x, {job.turns} turns, {spread(found, OURS)}",
        )
        for name, key in (("pydantic-ai", PYDANTIC), ("openai-agents", OPENAI)):
            yield Figure(f"  one turn of {name}", peers[name], "ms", note=spread(found, key))

    async def _rounds(self, contenders: Sequence[str], job: Job) -> Results:
        found: Results = {name: {"wall_ms": [], "cpu_ms": []} for name in contenders}
        for _ in range(self._effort.peer_rounds):
            for name in contenders:
                round_ = await measured([name], job, self._effort.peer_repeats)
                for key, values in round_[name].items():
                    found[name][key].append(median(values))
        return found

    def executor_peers_http(self) -> Iterable[Figure]:
        """The same over HTTP with the same client below; openai-agents has none for this API."""
        return asyncio.run(self._peers_http())

    async def _peers_http(self) -> list[Figure]:
        async with served(Job(self._effort.peer_turns)) as job:
            found = await measured([OURS, PYDANTIC, DOCUMENTED, BARE], job, self._effort.peer_http_repeats)
        self.runs["peers http"] = found
        floor = wall(found, BARE)
        return [
            Figure(f"  one turn of {name} over HTTP", wall(found, key), "ms", floor=floor, note=spread(found, key))
            for name, key in (("ours", OURS), ("pydantic-ai", PYDANTIC), ("messages.create()", DOCUMENTED))
        ]


def beyond(found: Results, key: str) -> float:
    """How much more we took than the client alone, by pairs of runs that followed each other."""
    pairs = zip(found[OURS][key], found[BARE][key], strict=True)
    return median(ours - bare for ours, bare in pairs)


def wall(found: Results, name: str) -> float:
    """The median of what it took by the wall clock."""
    return median(found[name]["wall_ms"])


def spread(found: Results, name: str) -> str:
    """How far the runs lie apart, and how much of it was work."""
    took = found[name]["wall_ms"]
    return f"{min(took):.2f}-{max(took):.2f} ms, CPU {median(found[name]['cpu_ms']):.2f} ms"


async def measured(contenders: Sequence[str], job: Job, repeats: int) -> Results:
    """What the contenders took, in a process that they share."""
    options = ("--turns", str(job.turns), "--repeats", str(repeats), "--url", job.url)
    found: Results = await child("child", *contenders, *options)
    return found


async def child(module: str, *arguments: str) -> Any:
    """What a process of this benchmark prints; one that fails ends the benchmark."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"tests.bench.executor.{module}", *arguments),
        cwd=ROOT,
        env={**os.environ, **SILENT},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, errors = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{errors.decode(errors='replace')}")
    return json.loads(out)


@asynccontextmanager
async def served(job: Job) -> AsyncIterator[Job]:
    """The same job with a scripted model in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.yaml")
        file.write_text(script(job).model_dump_json(), encoding="utf-8")  # JSON is YAML
        async with offline_process(file) as url:
            yield Job(job.turns, url)
