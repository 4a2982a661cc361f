"""An agent without an engine that writes what it is told to where it works, for tests of worktrees."""

from __future__ import annotations

from pathlib import Path

_SMITH = '''
import asyncio
from contextlib import asynccontextmanager
from maverick_tui import MaverickAgent
from maverick_tui.agent.engines import Answered
from maverick_tui.events.kinds import BlockEnded, BlockGrew, BlockStarted
from maverick_tui.usage import Usage

class Session:
    memory, may_rest, works_on, is_ended = None, False, False, False

    def __init__(self, listener, cwd, name):
        self.listener, self.cwd, self.name, self.is_cut = listener, cwd, name, asyncio.Event()

    async def ended(self):
        await asyncio.Event().wait()

    async def ask(self, prompt):
        tell, now, block = self.listener.tell, self.listener.now, self.listener.next_block()
        tell(BlockStarted(now(), block, "text"))
        tell(BlockGrew(now(), block, f"{self.name} has {prompt}"))
        tell(BlockEnded(now(), block))
        for order in prompt.split(";"):
            name, mark, text = order.partition("=")
            if mark:
                (self.cwd / name).write_text(text.replace("NAME", self.name) + "\\n")
        if "stuck" in prompt:
            await self.is_cut.wait()
        return Answered(Usage(100, 10, cost_usd=0.02), steps=1, is_cut=self.is_cut.is_set())

    async def interrupt(self):
        self.is_cut.set()

class Smith(MaverickAgent):
    """Writes NAME=TEXT;NAME=TEXT to files, where it works."""

    name = "smith"
    system_prompt = "You write."
    model = "hammer-1"  # of which no table has the price: to read them takes a third of a second
    allowed_tools = ["Write"]

    @asynccontextmanager
    async def open_session(self, context, listener, **options):
        yield Session(listener, context.cwd, self.name)

    async def execute(self, context):
        return await self.run(context.extra.get("prompt") or "", context)

# As that of a Markdown file, which is not called: else the SDK is imported, which takes a second.
Smith.execute.__module__ = "maverick_tui.agent.catalog.loading"
'''


def write_smith(home: Path, name: str = "smith", more: str = "") -> None:
    """Make it an agent of the user's; `stuck` in a prompt keeps it at work. `more` are lines of its class."""
    folder = home / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    text = _SMITH.replace('name = "smith"', f'name = "{name}"{more}')
    (folder / f"{name}.py").write_text(text)
