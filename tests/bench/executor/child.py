"""A process that does the work a few times and prints what each request took.

`python -m tests.bench.executor.child ours:contender --turns 50 --repeats 7`. With several contenders they take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import time

from tests.bench.executor.work import Contender, Job

Took = dict[str, list[float]]
"""Milliseconds for each request of the model, by the wall and by this process's own clock."""


def found(name: str) -> Contender:
    """A contender by its module and name. A peer is imported here and nowhere else."""
    module, _, function = name.partition(":")
    contender: Contender = getattr(importlib.import_module(f"tests.bench.executor.{module}"), function)
    return contender


async def once(contender: Contender, job: Job, took: Took) -> None:
    """Do it, everything made ready beforehand."""
    async with contender(job) as run:
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        await run()
        took["cpu_ms"].append(1000 * (time.process_time() - cpu) / job.requests)
        took["wall_ms"].append(1000 * (time.perf_counter() - wall) / job.requests)


async def measured(names: list[str], job: Job, repeats: int) -> dict[str, Took]:
    """All contenders in turns, after a first time that pays for imports and caches."""
    contenders = {name: found(name) for name in names}
    results: dict[str, Took] = {name: {"wall_ms": [], "cpu_ms": []} for name in names}
    for contender in contenders.values():
        await once(contender, job, {"wall_ms": [], "cpu_ms": []})
    for _ in range(repeats):
        for name, contender in contenders.items():
            await once(contender, job, results[name])
    return results


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contenders", nargs="+")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--url", default="", help="of the scripted model; without it the model is in memory")
    options = parser.parse_args()
    job = Job(options.turns, options.url)
    print(json.dumps(asyncio.run(measured(options.contenders, job, options.repeats))))


if __name__ == "__main__":
    main()
