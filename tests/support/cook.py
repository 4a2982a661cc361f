"""An agent that needs no engine, for programs that a test starts."""

from __future__ import annotations

from pathlib import Path

SECRET = "sk-ant-api03-" + "a1B2" * 24
COOK = """
import asyncio
import logging
import time
from contextlib import asynccontextmanager
from pathlib import Path
from maverick_tui import AgentContext, AgentError, AgentResult, MaverickAgent
from maverick_tui.agent.engines import Answered, ToolQuestion
from maverick_tui.events.kinds import BlockEnded, BlockGrew, BlockStarted, RequestStarted, UsageReported, whole_block
from maverick_tui.events.kinds import ToolBegan, ToolCalled, ToolFinished
from maverick_tui.masking.redact import conceal
from maverick_tui.usage import Usage

class Session:
    memory, may_rest, works_on, is_ended = None, False, False, False

    def __init__(self, listener):
        self.listener, self.is_cut, self.is_stopped = listener, asyncio.Event(), asyncio.Event()

    async def ended(self):
        await asyncio.Event().wait()

    async def ask(self, prompt):
        tell, now, block = self.listener.tell, self.listener.now, self.listener.next_block()
        if (asked := Path("asked")).exists():
            with asked.open("a") as file:
                file.write(prompt + "\\n")
        tell(RequestStarted(now()))
        tell(BlockStarted(now(), block, "text"))
        for word in ("You ", "say ", prompt):
            tell(BlockGrew(now(), block, word))
        tell(BlockEnded(now(), block))
        while prompt == "stubborn":
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass
        if prompt == "hang":
            while not Path("hang").exists():
                await asyncio.sleep(0.01)
            time.sleep(600)
        if prompt == "fail":
            logging.getLogger("cook").warning("The key is %s", "sk-ant-api03-" + "a1B2" * 24)
            raise AgentError("The oven is cold.", hint="Heat it.")
        if prompt == "ask":
            await self.listener.ask(ToolQuestion("Bash", {"command": "make soup"}, "call-1"))
        if prompt == "call":
            tell(ToolCalled(now(), "call-1", "wait_long", {}))
            tell(ToolBegan(now(), "call-1"))
            await self.is_stopped.wait()
            tell(ToolFinished(now(), "call-1", "It was stopped.", True))
            for event in whole_block(self.listener.next_block(), "text", "I go on.", now()):
                tell(event)
        if prompt == "dear":
            tell(UsageReported(now(), "message-1", 100, 10, cost_usd=5.0))
        if prompt in ("stuck", "dear"):
            await self.is_cut.wait()
        return Answered(Usage(100, 10, cost_usd=0.02), steps=1, is_cut=self.is_cut.is_set())

    async def interrupt(self):
        self.is_cut.set()

    async def stop_call(self, call, tool):
        self.is_stopped.set()
        return ""

class Cook(MaverickAgent):
    \"\"\"Repeats what it is told.\"\"\"

    system_prompt = "You cook."
    model = "stove-1"  # of which no table has the price: to read them takes a third of a second
    inputs = {"salt": {"type": "integer", "default": 1}}

    @asynccontextmanager
    async def open_session(self, context, listener, **options):
        if Path("no stove").exists():
            raise AgentError("There is no stove.", hint="Buy one.")
        conceal(["<CONCEALED>"])
        yield Session(listener)

    async def execute(self, context: AgentContext) -> AgentResult:
        return await self.run(context.extra.get("prompt") or self.initial_prompt, context)

# As that of a Markdown file, which is not called: else the SDK is imported, which takes a second.
Cook.execute.__module__ = "maverick_tui.agent.catalog.loading"
"""


def write_cook(home: Path, conceals: str = "") -> None:
    """Make it an agent of the user's; `stuck`, `stubborn`, `hang`, `ask`, `call`, `fail` and `dear` have meanings.

    It adds what it is asked to a file `asked`, where there is one, and knows a secret of its own. It hangs once there
    is a file `hang`, and cannot begin where there is a file `no stove`.
    """
    folder = home / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True)
    (folder / "cook.py").write_text(COOK.replace("<CONCEALED>", conceals))
