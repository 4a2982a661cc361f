"""What the agent layer costs on top of the SDK: a replaying transport in place of CLI and model."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, Message

from maverick_tui import AgentContext, MaverickConfig
from tests.bench.measure import Figure, median
from tests.support.agents import Talker
from tests.support.replay import ReplayTransport, assistant, delta, init, message_delta, message_start, result

EVENTS = 50_000
ROUNDS = 5
WORDS = "the quick brown fox "


def short_answer() -> list[Any]:
    return [
        init(),
        message_start(),
        *(delta(WORDS) for _ in range(20)),
        assistant(WORDS * 20),
        message_delta(80),
        result(),
    ]


def overhead() -> Iterable[Figure]:
    """`run()` and the first yield of `query()`, with a model that takes no time at all."""
    config = MaverickConfig()
    context = AgentContext(cwd=Path.cwd(), branch="main", config=config)
    frames = short_answer()
    agent = Talker(config=config, transport=lambda _options: ReplayTransport(frames))

    async def run() -> float:
        began = time.perf_counter()
        outcome = await agent.run("go", context)
        assert outcome.success
        return time.perf_counter() - began

    async def first_yield() -> float:
        began = time.perf_counter()
        messages = agent.query("go")
        await anext(messages)
        took = time.perf_counter() - began
        async for _ in messages:
            pass
        return took

    async def sdk() -> float:
        began = time.perf_counter()
        async for _ in claude_agent_sdk.query(prompt="go", transport=ReplayTransport(frames)):
            pass
        return time.perf_counter() - began

    async def measure() -> list[Figure]:
        for case in (run, first_yield, sdk):
            await case()  # the first round pays for imports
        floor = 1000 * median([await sdk() for _ in range(50)])
        runs = 1000 * median([await run() for _ in range(50)])
        yields = 1000 * median([await first_yield() for _ in range(50)])
        return [
            Figure(
                "run() beyond the model's time", runs, "ms", gate=5, floor=floor, note="floor: the SDK's own query()"
            ),
            Figure("first yield of query()", yields, "ms", gate=20, floor=floor),
        ]

    return asyncio.run(measure())


async def cpu_of(messages: AsyncIterator[Message]) -> float:
    gc.collect()
    began = time.process_time()
    count = 0
    async for _ in messages:
        count += 1
    assert count == EVENTS + 1
    return time.process_time() - began


def burst() -> Iterable[Figure]:
    """Fifty thousand stream events as fast as they can be taken, against the SDK alone."""
    frames = [*(delta(WORDS) for _ in range(EVENTS)), result()]
    agent = Talker(config=MaverickConfig(), transport=lambda _options: ReplayTransport(frames))

    async def measure() -> list[Figure]:
        ours, sdk = [], []
        for _ in range(ROUNDS):
            options = ClaudeAgentOptions()
            sdk.append(
                await cpu_of(claude_agent_sdk.query(prompt="go", options=options, transport=ReplayTransport(frames)))
            )
            ours.append(await cpu_of(agent.query("go")))
        floor = median(sdk)
        each = 1e6 / EVENTS
        return [
            Figure("50,000 stream events, CPU against the SDK's", median(ours) / floor, "x", gate=1.5, floor=1.0),
            Figure("one stream event, CPU", median(ours) * each, "us", floor=floor * each),
        ]

    return asyncio.run(measure())


def start() -> Iterable[Figure]:
    """What a process pays before it does anything."""

    def took(*arguments: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        return 1000 * (time.perf_counter() - began)

    def of(*arguments: str) -> float:
        return median([took(*arguments) for _ in range(11)])

    bare = of("-c", "pass")
    package = of("-c", "import maverick_tui")
    helped = of("-m", "maverick_tui", "--help")
    yield Figure("import maverick_tui, beyond a bare interpreter", package - bare, "ms", gate=30, floor=bare)
    yield Figure("maverick --help", helped, "ms", floor=bare, note="floor: python -c pass")


BENCHMARKS = (overhead, burst, start)
