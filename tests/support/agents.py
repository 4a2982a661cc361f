"""Small agents for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from claude_agent_sdk import Message

from maverick_tui import AgentContext, AgentError, AgentResult, MaverickAgent, MaverickConfig


class Talker(MaverickAgent):
    """Says what the model says."""

    system_prompt = "You answer."

    async def execute(self, context: AgentContext) -> AgentResult:
        return await self.run(context.extra.get("prompt", "go"), context)


class Direct(Talker):
    """Needs no CLI: for what a run does with any engine, since a CLI takes most of a second."""

    engine = "api"


class Worker(Talker):
    """May read and run commands."""

    allowed_tools = ("Read", "Bash")


def context(**config: object) -> AgentContext:
    return AgentContext(cwd=Path.cwd(), branch="main", config=MaverickConfig.load(**config))


async def drain(messages: AsyncIterator[Message]) -> tuple[list[Message], AgentError | None]:
    """Everything that came, and the one error that ended it."""
    got: list[Message] = []
    try:
        async for message in messages:
            got.append(message)  # noqa: PERF401
    except AgentError as error:
        return got, error
    return got, None
