"""A to-do list that is kept by talking."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from maverick_tui import AgentContext, AgentResult, MaverickAgent, MaverickConfig


class Tasks(MaverickAgent):
    """Says what to do to the list; what it answers comes from what was done, and not from a model's mood."""

    name = "tasks"
    description = "Keeps your to-do list: add, list, complete, change and delete tasks by talking."
    system_prompt = "You keep a user's to-do list with the tools of the task server."
    engine = "api"
    max_turns = 12

    async def execute(self, context: AgentContext) -> AgentResult:
        """Answer `context.extra["prompt"]`; without one, list what is open."""
        return await self.run(context.extra.get("prompt") or "What is on my list?", context)

    @asynccontextmanager
    async def api_session(self, settings: MaverickConfig, cwd: Path, listener: Any) -> AsyncIterator[Any]:
        """One conversation with the assistant, which goes on where the last one was."""
        tasks = await asyncio.to_thread(importlib.import_module, "maverick_tui.tasks.session")  # half a second
        async with tasks.open_tasks(self, settings, listener) as session:
            yield session
