"""Runs for tests: what they tell, in order, and what must hold of every run's events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from maverick_tui.runs.commands import AnswerPermission, CloseRun, Command, SendPrompt
from maverick_tui.runs.events import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    Event,
    PermissionAsked,
    PermissionSettled,
    PromptDropped,
    PromptQueued,
    ReplyRestarted,
    RunEnded,
    RunStarted,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    event_from_json,
)
from maverick_tui.runs.loading import AgentSource
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.wire import to_json

E = TypeVar("E", bound=Event)
PATIENCE = 120.0


class Watched:
    """A run that is going on, and everything it has told."""

    def __init__(self, agent: AgentSource, **options: Any) -> None:
        self.events: list[Event] = []
        self._news = asyncio.Event()
        self.run = LocalRun(agent, run_id="r1", cwd=options.pop("cwd", Path.cwd()), on_event=self._take, **options)
        self.prompts = 0
        self.allows_everything = False
        """Whether each question is answered at once, for tests in which it does not matter who asks."""

    def _take(self, event: Event) -> None:
        self.events.append(event)
        if self.allows_everything and isinstance(event, PermissionAsked):
            asyncio.get_running_loop().call_soon(self.run.send, AnswerPermission(event.request, "once"))
        self._news.set()

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
                self._news.clear()
                await self._news.wait()
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
    task = watched.run.start()
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


def check_well_formed(events: list[Event]) -> None:
    """What holds of every run: one beginning and one end of everything, in order, and all of it can travel."""
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert sum(isinstance(event, RunStarted | RunEnded) for event in events) == 2
    assert [event_from_json(json.loads(json.dumps(to_json(event)))) for event in events] == events
    assert [event.at for event in events] == sorted(event.at for event in events)
    open_turn: int | None = None
    last_turn = 0
    open_blocks: set[int] = set()
    known_blocks: set[int] = set()
    calls: set[str] = set()
    finished: set[str] = set()
    questions: set[str] = set()
    settled: set[str] = set()
    waiting: set[str] = set()
    for event in events:
        match event:
            case TurnStarted():
                assert open_turn is None, "a turn began inside another"
                assert event.turn == last_turn + 1
                open_turn = last_turn = event.turn
                waiting.discard(event.prompt_id)
            case TurnEnded():
                assert event.turn == open_turn
                assert (event.failure is not None) == (event.outcome == "failed")
                open_turn = None
                open_blocks.clear()
            case ReplyRestarted():
                assert open_blocks, "nothing was there to be thrown away"
                open_blocks.clear()
            case BlockStarted():
                assert event.parent or open_turn is not None
                assert event.block not in known_blocks
                known_blocks.add(event.block)
                open_blocks.add(event.block)
            case BlockGrew() | BlockEnded():
                assert event.block in open_blocks
                if isinstance(event, BlockEnded):
                    open_blocks.remove(event.block)
            case ToolCalled():
                assert event.call not in calls
                assert event.block is None or event.block in open_blocks
                calls.add(event.call)
            case ToolFinished():
                assert event.call in calls
                assert event.call not in finished
                finished.add(event.call)
            case PermissionAsked():
                assert event.request not in questions | settled
                questions.add(event.request)
            case PermissionSettled():
                assert event.request not in settled
                assert (event.request in questions) != bool(event.by_rule)
                settled.add(event.request)
            case PromptQueued():
                waiting.add(event.prompt_id)
            case PromptDropped():
                waiting.remove(event.prompt_id)
            case _:
                pass
    assert open_turn is None
    assert questions <= settled
    assert not waiting
