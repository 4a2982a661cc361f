"""openai-agents at the same work, with its tracing off: that would send what happens to its vendor."""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tests.bench.executor.work import DONE, SYSTEM, TASK, TOOL, Job, Run, arguments, check, weighing

# By name, since a folder of ours is called the same, which a type checker takes for it.
agents: Any = importlib.import_module("agents")
Model: Any = importlib.import_module("agents.models.interface").Model


def answers(job: Job) -> list[Any]:
    """The answers of the model."""
    called = [
        ResponseFunctionToolCall(
            type="function_call",
            id=f"item_{turn}",
            call_id=f"call_{turn}",
            name=TOOL,
            arguments=json.dumps(arguments(turn)),
        )
        for turn in range(job.turns)
    ]
    text = ResponseOutputText(type="output_text", text=DONE, annotations=[])
    said = ResponseOutputMessage(type="message", id="said", role="assistant", status="completed", content=[text])
    usage = {"requests": 1, "input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return [
        agents.ModelResponse(output=[item], usage=agents.Usage(**usage), response_id=None) for item in (*called, said)
    ]


class InMemory(Model):  # type: ignore[misc]
    """A model whose answers are ready."""

    def __init__(self, job: Job) -> None:
        self._answers = iter(answers(job))

    async def get_response(self, *_: Any, **__: Any) -> Any:
        """The next answer, however the request reads."""
        return next(self._answers)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not used here."""
        raise RuntimeError("the work is not streamed")


@asynccontextmanager
async def contender(job: Job) -> AsyncIterator[Run]:
    """One run of an agent."""
    if job.url:
        raise ValueError("openai-agents has no client of its own for this API")
    agents.set_tracing_disabled(True)
    weigh, weighed = weighing()
    agent = agents.Agent(name="clerk", instructions=SYSTEM, model=InMemory(job), tools=[agents.function_tool(weigh)])
    config = agents.RunConfig(tracing_disabled=True)

    async def run() -> None:
        result = await agents.Runner.run(agent, TASK, max_turns=job.requests, run_config=config)
        check(job, weighed, result.final_output)

    yield run
