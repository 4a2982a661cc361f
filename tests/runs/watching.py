"""Runs for tests: what they tell, in order, and what must hold of every run's events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from maverick_tui import MaverickConfig
from maverick_tui.events.kinds import (
    BlockGrew,
    BlockStarted,
    Event,
    PermissionAsked,
    TurnEnded,
)
from maverick_tui.runs.commands import AnswerPermission, CloseRun, Command, SendPrompt
from maverick_tui.runs.loading import AgentSource, RunPlan
from maverick_tui.runs.local import LocalRun
from tests.runs.grammar import check_well_formed as check_well_formed

E = TypeVar("E", bound=Event)
PATIENCE = 120.0


class Watched:
    """A run that is going on, and everything it has told."""

    def __init__(
        self,
        agent: AgentSource,
        *,
        cwd: Path | None = None,
        config: MaverickConfig | None = None,
        extra: Mapping[str, Any] | None = None,
        run_id: str = "r1",
        **options: Any,
    ) -> None:
        async def prepare() -> RunPlan:
            return RunPlan(agent, cwd or Path.cwd(), config, extra or {})

        self.run = LocalRun(prepare, run_id=run_id, **options)
        self.prompts = 0
        self.allows_everything = self.denies_everything = False
        """Whether each question is answered at once, for tests in which it does not matter who asks."""
        self._answering: asyncio.Task[None] | None = None

    @property
    def events(self) -> list[Event]:
        return self.run.events.since(0)

    def start(self) -> asyncio.Task[None]:
        self._answering = asyncio.create_task(self._answer())
        return self.run.start()

    async def _answer(self) -> None:
        async for event in self.run.events.reader():
            if self.allows_everything and isinstance(event, PermissionAsked):
                self.run.send(AnswerPermission(event.request, "once"))
            elif self.denies_everything and isinstance(event, PermissionAsked):
                self.run.send(AnswerPermission(event.request, "deny"))

    def send(self, command: Command) -> None:
        self.run.send(command)

    def prompt(self, text: str) -> str:
        self.prompts += 1
        self.run.send(SendPrompt(f"p{self.prompts}", text))
        return f"p{self.prompts}"

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, kind: type[E], count: int = 1, where: Callable[[E], bool] = lambda _event: True) -> E:
        """Wait for the nth such event."""
        async with asyncio.timeout(PATIENCE):
            while len(found := [event for event in self.all(kind) if where(event)]) < count:
                assert await self.run.events.wait(len(self.run.events)), f"the run has ended without {kind.__name__}"
        return found[count - 1]

    async def ask(self, text: str) -> TurnEnded:
        """Send a prompt and wait for the end of its turn."""
        done = len(self.all(TurnEnded))
        self.prompt(text)
        return await self.until(TurnEnded, done + 1)

    def text(self, kind: str = "text", parent: str = "") -> str:
        """What was said or thought, a line for each block."""
        return "\n".join(blocks(self.events, kind, parent))


@asynccontextmanager
async def watch(agent: AgentSource, **options: Any) -> AsyncIterator[Watched]:
    """A run that is closed at the end, and whose events are then checked."""
    watched = Watched(agent, **options)
    task = watched.start()
    try:
        yield watched
        watched.send(CloseRun())
        async with asyncio.timeout(PATIENCE):
            await task
    finally:
        task.cancel()
        await asyncio.wait({task})
    check_well_formed(watched.events)


def blocks(events: list[Event], kind: str = "text", parent: str = "") -> list[str]:
    found: dict[int, str] = {}
    for event in events:
        if isinstance(event, BlockStarted) and event.kind == kind and event.parent == parent:
            found[event.block] = ""
        elif isinstance(event, BlockGrew) and event.block in found:
            found[event.block] += event.text
    return list(found.values())
