"""Apart: hears what an agent's own code asks apart from its run, and has the run's person decide about its calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from maverick_tui.agent.asking_run import AskingRun
from maverick_tui.agent.engines import Answered, AskPerson, Permission, ToolQuestion
from maverick_tui.events.kinds import LONGEST_NOTICE, Event, Noticed, ToolBegan, ToolCalled, ToolFinished
from maverick_tui.exceptions import AgentError
from maverick_tui.runs.asked_apart import AskedApart
from maverick_tui.runs.loading import Loaded
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.turns import Turns

if TYPE_CHECKING:
    from claude_agent_sdk import Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

    Route = Callable[[str], AsyncGenerator[Message, None]]

_route: ContextVar[Route | None] = ContextVar("maverick_route", default=None)

ANSWERS_WITHIN = 60.0
"""Seconds in which the event loop of a run comes to something, however busy the machine is."""

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
            await self._answers()
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(done(*args, **kwargs), self._loop))

        return bridged

    async def _answers(self) -> None:
        """AgentError if it does not come to anything: `execute` may wait for this very thread, and block it."""
        turn: Future[None] = Future()
        self._loop.call_soon_threadsafe(turn.set_result, None)
        try:
            await asyncio.wait_for(asyncio.wrap_future(turn), ANSWERS_WITHIN)
        except TimeoutError:
            raise AgentError(
                "The run cannot be asked from this thread: its event loop is blocked.",
                hint="Let `execute` await what runs in a thread, with asyncio.to_thread().",
            ) from None


class RunOfAuthor:
    """The run, to what its agent's own code asks (`AskingRun`): in `execute`, in its tools and in its servers here."""

    def __init__(self, loaded: Loaded, turns: Turns, events: EventLog, asked_apart: AskedApart) -> None:
        self._loaded = loaded
        self.asked_apart = asked_apart
        self._turns = turns
        self._events = events
        self._loop = RunLoop()
        self.is_open = False

    @property
    def agent(self) -> str:
        """The name of the run's agent."""
        return self._loaded.agent.name

    @property
    def cwd(self) -> Path:
        """The folder that the run works in."""
        return self._loaded.context.cwd

    @property
    def config(self) -> MaverickConfig:
        """The run's settings."""
        return self._loaded.context.config

    @property
    def mode(self) -> str:
        """The permission mode of the moment."""
        return self._turns.mode

    @property
    def is_attended(self) -> bool:
        """Whether there is a person."""
        return self._turns.ask is not None

    @contextmanager
    def routing(self, route: Route) -> Iterator[None]:
        """Let `route` answer what the agent itself is asked here meanwhile: in the run's own conversation."""
        token = _route.set(route)
        try:
            yield
        finally:
            _route.reset(token)

    def answers(
        self, agent: MaverickAgent, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None] | None:
        """What comes for a query of the agent itself; one of another, elsewhere or in a thread is asked apart."""
        is_here, route = cwd is None or Path(cwd).absolute() == self.cwd, _route.get()
        if agent is self._loaded.agent and is_here and route is not None and self._loop.is_running_here:
            return route(prompt)
        folder = Path(cwd or Path.cwd()).absolute()
        told = f"{agent.name} is asked apart from this run{'' if folder == self.cwd else f' in {folder}'}."
        self._loop.call(lambda: self._events.emit(Noticed(self._events.now(), "aside", told[:LONGEST_NOTICE])))
        return None

    def listener(self, agent: MaverickAgent, cwd: Path) -> Apart:
        """What hears a conversation apart, and asks the person about its calls, if there is one."""
        return Apart(agent.name, cwd.absolute(), self, self._turns, self._events, self._loop)

    def apart(self) -> AbstractContextManager[None]:
        """Meanwhile the current task has a conversation apart, which ends with the run."""
        return self.asked_apart.known(is_cut=self._turns.current is not None and self._turns.current.is_cut)


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
        self._turn, self._hold = turns.current, turns.hold
        self.hold = loop.awaited(self._held)
        self.begins = None if turns.begins is None else loop.awaited(turns.begins)
        self.now = events.now
        self.next_block, self.calls = turns.next_block, turns.calls
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

    async def _held(self, call: str) -> str:
        """Why a call is not made: an interrupt does not reach what an author has begun in a thread."""
        if self._turn is not None and self._turn.is_cut:
            return "The person has interrupted this."
        return "" if self._hold is None else await self._hold(call)

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
        """A call has a result that nothing waited for, or the model is asked so."""
        self._loop.call(self._passed, call)

    def began(self, prompt: str) -> None:
        """What the engine answers by itself is for whoever has asked."""

    def ended(self, answered: Answered) -> None:
        """So is its end."""
