"""The assistant with a scripted model, and what its database holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from mcp import Client

from maverick_tui.executor import AgentConfig, Request, Response, ToolCall, Usage
from maverick_tui.executor.model.messages import StopReason
from maverick_tui.offline.script import Answer, Scene, Script
from maverick_tui.offline.server import OfflineServer
from maverick_tui.tasks import AgentContext, AgentResult, AgentRunner, MCPToolServer, MessageHistory
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.store import TaskStore
from tests.support.model import as_script

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
USER = "alice"
PATIENCE = 120.0
"""Seconds for what takes a moment: the machine may have other work."""


class Assistant:
    """Answers messages of one user, and remembers what was said, as a chat would."""

    def __init__(self, factory: SessionFactory, server: OfflineServer, user: str, **options: Any) -> None:
        config = AgentConfig.checked(base_url=server.url, api_key="not-a-real-key")
        self.server = MCPToolServer(factory)
        self.runner = AgentRunner(factory, self.server, config=config, **{"timeout": PATIENCE, **options})
        self.requests = server.app.requests
        self.unexpected = server.player.unexpected
        self.user = user
        self.history: list[MessageHistory] = []

    @property
    def store(self) -> TaskStore:
        return self.server.store

    def add(self, *titles: str) -> None:
        for title in titles:
            self.store.add(self.user, title)

    def titles(self, user: str = "") -> list[str]:
        return [task.title for task in self.store.list(user or self.user, status="all", limit=1000).tasks]

    async def say(self, message: str, history: Sequence[MessageHistory] | None = None) -> AgentResult:
        """Answer it; without a history of its own it goes on with what was said before."""
        known = self.history if history is None else history
        result = await self.runner.run(AgentContext(self.user, "c", tuple(known)), message)
        calls = [asdict(record) for record in result.tool_calls]
        self.history += [said("user", message), MessageHistory("assistant", result.response, NOON, calls)]
        return result


@asynccontextmanager
async def assistant(
    factory: SessionFactory, source: Script | Answer | Sequence[Answer | Scene], *, user: str = USER, **options: Any
) -> AsyncIterator[Assistant]:
    async with asyncio.timeout(PATIENCE), OfflineServer(as_script(source)) as server:
        yield Assistant(factory, server, user, **options)


class Stalling:
    """A model that makes these calls, and then is silent until everybody has lost patience: hours go by at once."""

    model = "claude-sonnet-4-5"

    def __init__(self, *calls: ToolCall) -> None:
        self._calls = list(calls)
        self.waited_until = 0.0
        """Seconds after which it was given up."""

    async def run(self, _request: Request) -> Response:
        if self._calls:
            return Response("", (self._calls.pop(0),), Usage(1, 1), StopReason.TOOL_USE)
        loop = asyncio.get_running_loop()
        real, skipped = loop.time, 0.0
        loop.time = lambda: real() + skipped  # type: ignore[method-assign]
        try:
            while True:
                skipped = self.waited_until = skipped + 1.0
                await asyncio.sleep(0)
        finally:
            loop.time = real  # type: ignore[method-assign]


def said(role: str, content: str) -> MessageHistory:
    return MessageHistory(role, content, NOON)


def asked(title: str) -> list[MessageHistory]:
    """A conversation whose last words are the question before a deletion."""
    question = f"Do you really want to delete '{title}'? Reply 'yes delete' to confirm."
    return [said("user", "Delete it"), said("assistant", question)]


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, over the protocol."""
    [block] = (await client.call_tool(tool, arguments)).content
    assert block.type == "text"
    found: dict[str, Any] = json.loads(block.text)
    return found
