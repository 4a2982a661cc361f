"""Our executor at the work: with a model in memory, or with the real client over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from maverick_tui.executor import (
    Agent,
    AgentConfig,
    AgentDefinition,
    AgentExecutor,
    Message,
    PromptConfig,
    Request,
    Response,
    RunConfig,
    StopReason,
    ToolCall,
    Usage,
    tool,
)
from maverick_tui.executor.model.claude import ClaudeAgent
from tests.bench.executor.work import DONE, KEY, MODEL, SYSTEM, TASK, TOOL, Job, Run, arguments, check, weighing


class InMemory:
    """A model whose answers are ready."""

    model = MODEL

    def __init__(self, job: Job) -> None:
        self._answers = iter(
            [
                *(
                    Response("", (ToolCall(f"call_{turn}", TOOL, arguments(turn)),), Usage(10, 5), StopReason.TOOL_USE)
                    for turn in range(job.turns)
                ),
                Response(DONE, usage=Usage(10, 5)),
            ]
        )

    async def run(self, request: Request) -> Response:
        """The next answer, however the request reads."""
        return next(self._answers)


def definition(job: Job) -> AgentDefinition:
    """The clerk, who may ask as often as the work needs."""
    prompt = PromptConfig(system=SYSTEM, query=TASK)
    return AgentDefinition(name="clerk", prompt=prompt, run=RunConfig(max_turns=job.requests))


@asynccontextmanager
async def model(job: Job) -> AsyncIterator[Agent]:
    """The model in memory, or the real client with an open connection: that is made once, not for each turn."""
    if not job.url:
        yield InMemory(job)
        return
    async with ClaudeAgent(AgentConfig(model=MODEL, base_url=job.url, api_key=SecretStr(KEY))) as agent:
        await agent.run(Request([Message.user(TASK)]))
        yield agent


@asynccontextmanager
async def contender(job: Job) -> AsyncIterator[Run]:
    """One execution."""
    weigh, weighed = weighing()
    clerk = definition(job)
    async with model(job) as agent:
        executor = AgentExecutor(agent, [tool(weigh)])

        async def run() -> None:
            result = await executor.execute(clerk)
            check(job, weighed, result.output)

        yield run


async def conversation(job: Job) -> tuple[Message, ...]:
    """Everything that is said at this work."""
    weigh, weighed = weighing()
    result = await AgentExecutor(InMemory(job), [tool(weigh)]).execute(definition(job))
    check(job, weighed, result.output)
    return result.messages
