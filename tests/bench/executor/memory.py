"""A process that makes a long execution with large results, and prints how much larger that has made it.

`python -m tests.bench.executor.memory --turns 200 --size 10000`
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import time

from maverick_tui.executor import Activity, AgentExecutor, ExecutionResult, tool
from tests.bench.executor.ours import definition, model
from tests.bench.executor.work import Job
from tests.bench.terminal.cost import cost


async def executed(job: Job, size: int) -> tuple[ExecutionResult[object], list[Activity]]:
    """An execution, and all that it has told: whoever shows it keeps that, too."""
    told: list[Activity] = []

    @tool
    async def weigh(item: str, count: int, is_fragile: bool) -> str:
        """Weigh parcels, and talk about it at length."""
        return f"{item} {count} {is_fragile} ".ljust(size, "x")

    async with model(job) as agent:
        result = await AgentExecutor(agent, [weigh]).execute(definition(job), on_activity=told.append)
    if not result.success or sum(len(message.content) for message in result.messages) < job.turns * size:
        raise RuntimeError(f"the execution ended with {result.terminate_reason}: {result.error}")
    return result, told


async def measured(job: Job, size: int) -> dict[str, float]:
    """Megabytes before, after and at most; a first execution with small results pays for imports."""
    await executed(job, 1)
    gc.collect()
    before = cost(os.getpid(), time.monotonic())
    kept = await executed(job, size)
    after = cost(os.getpid(), time.monotonic())
    del kept
    return {"before_mb": before.resident, "after_mb": after.resident, "peak_mb": after.peak}


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--size", type=int, default=10_000, help="characters of each result")
    parser.add_argument("--url", default="", help="of the scripted model; without it the model is in memory")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measured(Job(options.turns, options.url), options.size))))


if __name__ == "__main__":
    main()
