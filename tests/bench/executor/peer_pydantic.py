"""pydantic-ai at the same work. Its own instrumentation is off by default."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

from tests.bench.executor.work import DONE, KEY, MODEL, SYSTEM, TASK, TOOL, Job, Run, arguments, check, weighing


def usage() -> RequestUsage:
    """What an answer has used; without it, it would be estimated from the whole conversation."""
    return RequestUsage(input_tokens=10, output_tokens=5)


def in_memory(job: Job) -> Model:
    """A model whose answers are ready."""
    answers = iter(
        [
            *(
                ModelResponse([ToolCallPart(TOOL, arguments(turn), f"call_{turn}")], usage=usage())
                for turn in range(job.turns)
            ),
            ModelResponse([TextPart(DONE)], usage=usage()),
        ]
    )

    async def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        return next(answers)

    return FunctionModel(answer)


def over_http(job: Job) -> Model:
    """The vendor's client, as we have it."""
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(MODEL, provider=AnthropicProvider(api_key=KEY, base_url=job.url))


async def drain(_context: Any, events: AsyncIterable[Any]) -> None:
    """Read what streams, which makes it stream."""
    async for _ in events:
        pass


@asynccontextmanager
async def contender(job: Job) -> AsyncIterator[Run]:
    """One run of an agent."""
    weigh, weighed = weighing()
    agent = Agent(over_http(job) if job.url else in_memory(job), system_prompt=SYSTEM)
    agent.tool_plain(weigh)
    limits = UsageLimits(request_limit=job.requests)

    async def run() -> None:
        result = await agent.run(TASK, usage_limits=limits, event_stream_handler=drain if job.url else None)
        check(job, weighed, result.output)

    async with agent:
        yield run
