"""The assistant with a scripted model, and what its database holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from mcp import Client

from maverick_tui.executor import AgentConfig
from maverick_tui.offline.script import Answer, Scene, Script
from maverick_tui.offline.server import OfflineServer
from maverick_tui.tasks import AgentContext, AgentResult, AgentRunner, MCPToolServer, MessageHistory
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.store import TaskStore
from tests.support.model import as_script

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
USER = "alice"


class Assistant:
    """Answers messages of one user, and remembers what was said, as a chat would."""

    def __init__(self, factory: SessionFactory, server: OfflineServer, user: str, **options: Any) -> None:
        config = AgentConfig.checked(base_url=server.url, api_key="not-a-real-key")
        self.server = MCPToolServer(factory)
        self.runner = AgentRunner(factory, self.server, config=config, **options)
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
        self.history += [said("user", message), said("assistant", result.response)]
        return result


@asynccontextmanager
async def assistant(
    factory: SessionFactory, source: Script | Answer | Sequence[Answer | Scene], *, user: str = USER, **options: Any
) -> AsyncIterator[Assistant]:
    async with asyncio.timeout(30), OfflineServer(as_script(source)) as server:
        yield Assistant(factory, server, user, **options)


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
