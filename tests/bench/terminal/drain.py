"""A consumer that draws nothing: one session on the scripted model, its messages taken as fast as they come."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from maverick_tui import AgentContext, AgentResult, MaverickAgent, MaverickConfig


class Talker(MaverickAgent):
    """Says what the model says."""

    system_prompt = "You answer."

    async def execute(self, context: AgentContext) -> AgentResult:
        """Nobody calls it."""
        return await self.run("go", context)


async def main() -> None:
    """Ask once and print when each delta came, and what it has cost."""
    from claude_agent_sdk import StreamEvent

    config = MaverickConfig()
    context = AgentContext(cwd=Path.cwd(), branch="main", config=config)
    async with Talker(config=config).session(context) as session:
        cpu = time.process_time()
        moments = [
            time.monotonic()
            async for message in session.query("go")
            if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta"
        ]
        cpu = time.process_time() - cpu
    print(json.dumps({"moments": moments, "cpu": cpu, "pid": os.getpid()}))


if __name__ == "__main__":
    asyncio.run(main())
