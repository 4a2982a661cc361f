"""Apart: hears what an agent's own code asks apart from its run, and has the run's person decide about its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from maverick_tui.agent.asking_run import AskingRun
from maverick_tui.agent.engines import Answered, AskPerson, Permission, ToolQuestion
from maverick_tui.events.kinds import Event, ToolBegan, ToolCalled, ToolFinished
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.turns import Turns

T = TypeVar("T")
P = ParamSpec("P")


class RunLoop:
    """The event loop of a run, for code that may be in another thread, with a loop of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    @property
    def is_running_here(self) -> bool:
        """Whether whoever asks is in it."""
        return asyncio.get_running_loop() is self._loop

    def call(self, work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Do it there: at once, or as soon as it can be."""
        if self.is_running_here:
            work(*args, **kwargs)
        else:
            self._loop.call_soon_threadsafe(lambda: work(*args, **kwargs))

    def awaited(self, work: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """The same work, to be awaited from any loop, and done in this one."""

        async def done(*args: P.args, **kwargs: P.kwargs) -> T:
            return await work(*args, **kwargs)

        async def bridged(*args: P.args, **kwargs: P.kwargs) -> T:
            if self.is_running_here:
                return await work(*args, **kwargs)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(done(*args, **kwargs), self._loop))

        return bridged


class Apart:
    """The listener of one conversation apart. Its calls are told as those of a subagent; what is said stays there."""

    def __init__(self, agent: str, cwd: Path, run: AskingRun, turns: Turns, events: EventLog, loop: RunLoop) -> None:
        """An agent that works in `cwd`, asked in `execute` of the run."""
        self._agent = agent
        self._cwd = cwd
        self._is_other = agent != run.agent
        self._is_elsewhere = cwd != run.cwd
        self._events = events
        self._loop = loop
        self._ask_person = turns.ask
        self.ask: AskPerson | None = None if turns.ask is None else loop.awaited(self._asked)
        self.hold = None if turns.hold is None else loop.awaited(turns.hold)
        self.begins = None if turns.begins is None else loop.awaited(turns.begins)
        self.now = events.now
        self.next_block = turns.next_block
        self._returned, self._passed = turns.returned, turns.passed

    async def _asked(self, question: ToolQuestion) -> Permission:
        """Ask with the name of who asks. What was allowed for the run was allowed in its folder."""
        assert self._ask_person is not None
        where = f"{self._agent} works in {self._cwd}. " if self._is_elsewhere else ""
        return await self._ask_person(
            replace(
                question,
                subagent=question.subagent or self._agent,
                reason=f"{where}{question.reason}".strip(),
                is_asked_each_time=question.is_asked_each_time or self._is_elsewhere,
                is_of_other=self._is_other,
            )
        )

    def tell(self, event: Event) -> None:
        """Tell the run of calls; all else is for whoever has asked."""
        if isinstance(event, ToolCalled):
            event = replace(event, parent=event.parent or f"apart-{self._agent}", block=None)
        if isinstance(event, ToolCalled | ToolBegan | ToolFinished):
            self._loop.call(self._emit, event)

    def _emit(self, event: Event) -> None:
        self._events.emit(replace(event, at=self._events.now()))  # what comes from a thread comes later

    def returned(self, call: str) -> None:
        """A call has run."""
        self._loop.call(self._returned, call)

    def passed(self, call: str) -> None:
        """A call has a result that nothing waited for."""
        self._loop.call(self._passed, call)

    def began(self, prompt: str) -> None:
        """What the engine answers by itself is for whoever has asked."""

    def ended(self, answered: Answered) -> None:
        """So is its end."""
