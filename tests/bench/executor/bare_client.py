"""The floor over HTTP: the vendor's client sends the same requests, ready beforehand, and reads the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from maverick_tui.executor import tool
from maverick_tui.executor.model.config import DEFAULT_MAX_TOKENS
from maverick_tui.executor.model.wire import message_blocks, system_blocks, tool_blocks
from tests.bench.executor.ours import conversation
from tests.bench.executor.work import KEY, MODEL, SYSTEM, Job, Run, weighing

LAST = "message_stop"


async def bodies(job: Job) -> list[dict[str, Any]]:
    """The requests as our executor sends them; each holds the whole conversation until then."""
    weigh, _ = weighing()
    messages = await conversation(job)
    return [
        {
            "model": MODEL,
            "max_tokens": DEFAULT_MAX_TOKENS,
            "messages": message_blocks(messages[: 2 * number + 1], cache=True),
            "system": system_blocks(SYSTEM, cache=True),
            "tools": tool_blocks([tool(weigh)]),
        }
        for number in range(job.requests)
    ]


@asynccontextmanager
async def contender(job: Job) -> AsyncIterator[Run]:
    """The events as they come, without a model class for each: nobody can read them for less."""
    import anthropic  # it takes seconds, which is nobody's time who only collects the tests

    requests = await bodies(job)
    async with anthropic.AsyncAnthropic(api_key=KEY, base_url=job.url, max_retries=0) as client:

        async def ask(body: dict[str, Any]) -> None:
            stream = await client.post(
                "/v1/messages",
                cast_to=object,
                body={**body, "stream": True},
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
            async with stream:
                whole([event["type"] async for event in stream])  # type: ignore[index]

        async def run() -> None:
            for body in requests:
                await ask(body)

        await ask(requests[0])  # opens the connection
        yield run


@asynccontextmanager
async def documented(job: Job) -> AsyncIterator[Run]:
    """The same as the vendor's documentation does it."""
    import anthropic  # it takes seconds, which is nobody's time who only collects the tests

    requests = await bodies(job)
    async with anthropic.AsyncAnthropic(api_key=KEY, base_url=job.url, max_retries=0) as client:

        async def ask(body: dict[str, Any]) -> None:
            stream = await client.messages.create(**body, stream=True)
            async with stream:
                whole([event.type async for event in stream])

        async def run() -> None:
            for body in requests:
                await ask(body)

        await ask(requests[0])
        yield run


def whole(kinds: list[str]) -> None:
    """Raise unless these are the events of a whole answer."""
    if not kinds or kinds[-1] != LAST:
        raise RuntimeError(f"an answer ended with {kinds[-1:]}")
