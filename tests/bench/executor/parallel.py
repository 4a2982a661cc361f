"""Many tool calls in one turn: how long they take together."""

from __future__ import annotations

import asyncio
import time

from maverick_tui.executor import (
    AgentDefinition,
    AgentExecutor,
    PromptConfig,
    Request,
    Response,
    StopReason,
    Tool,
    ToolCall,
    Usage,
    tool,
)

SECONDS = 0.05


@tool
async def waits(number: int) -> int:
    """Wait without holding up anybody."""
    await asyncio.sleep(SECONDS)
    return number


@tool
def blocks(number: int) -> int:
    """Wait the way that plain functions do."""
    time.sleep(SECONDS)
    return number


class AllAtOnce:
    """A model that wants everything in one turn."""

    def __init__(self, name: str, count: int) -> None:
        self._calls = tuple(ToolCall(f"call_{number}", name, {"number": number}) for number in range(count))

    async def run(self, request: Request) -> Response:
        """The calls, then the end."""
        if len(request.messages) > 1:
            return Response("done", usage=Usage(10, 5))
        return Response("", self._calls, Usage(10, 5), StopReason.TOOL_USE)


async def together(called: Tool, count: int) -> float:
    """Seconds for a whole execution with so many calls."""
    executor = AgentExecutor(AllAtOnce(called.name, count), [called])
    clerk = AgentDefinition(name="clerk", prompt=PromptConfig(query="Do everything."))
    began = time.perf_counter()
    result = await executor.execute(clerk)
    took = time.perf_counter() - began
    answers = [message.content for message in result.messages if message.tool_call_id]
    if answers != [str(number) for number in range(count)]:
        raise RuntimeError(f"of {count} calls came {len(answers)} answers, or not in their order")
    return took
