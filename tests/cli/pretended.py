"""Agents for runs without a terminal whose model is a few lines of a test: what it says, and what it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from maverick_tui import AgentContext, AgentError
from maverick_tui.agent.engines import Answered, Listener, Session
from maverick_tui.events import kinds as ev
from maverick_tui.usage import Usage
from tests.support.agents import Talker

USED = Usage(100, 10, cost_usd=0.02, duration_ms=5)


class Model:
    """A session that does what `acts` says for each prompt, until it is interrupted."""

    memory, may_rest, works_on = None, False, False

    def __init__(self, listener: Listener, acts: Acts) -> None:
        self.listener = listener
        self.is_interrupted = asyncio.Event()
        self._acts = acts
        self._calls = count(1)
        self._asked = count(1)

    is_ended = False

    async def ended(self) -> AgentError:
        await asyncio.Event().wait()
        raise AssertionError

    async def ask(self, prompt: str) -> Answered:
        self.is_interrupted.clear()
        acting = asyncio.ensure_future(self._acts(self, prompt))
        stopping = asyncio.ensure_future(self.is_interrupted.wait())
        await asyncio.wait({acting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for waiting in (acting, stopping):
            waiting.cancel()
        await asyncio.wait({acting, stopping})
        error = None if acting.cancelled() else acting.exception()
        if error is not None:
            raise error
        return Answered(USED, steps=1, is_cut=acting.cancelled())

    async def interrupt(self) -> None:
        self.is_interrupted.set()

    # -- what tests let it do -----------------------------------------------------------------------------------------

    def tell(self, event: ev.Event) -> None:
        self.listener.tell(event)

    def begin(self, *words: str, kind: ev.BlockKind = "text") -> int:
        """Say something, and perhaps more."""
        block, now = self.listener.next_block(), self.listener.now
        self.tell(ev.BlockStarted(now(), block, kind))
        for word in words:
            self.tell(ev.BlockGrew(now(), block, word))
        return block

    def say(self, *words: str, kind: ev.BlockKind = "text") -> None:
        block = self.begin(*words, kind=kind)
        self.tell(ev.BlockEnded(self.listener.now(), block))

    def request(self) -> None:
        """Ask the model, and report what that takes."""
        now, number = self.listener.now, next(self._asked)
        self.tell(ev.RequestStarted(now()))
        self.tell(ev.UsageReported(now(), f"message-{number}", 100, 10, cost_usd=0.02))

    def read(self, path: str) -> None:
        """Call a tool that answers at once."""
        call, now = f"call-{next(self._calls)}", self.listener.now
        self.tell(ev.ToolCalled(now(), call, "Read", {"file_path": path}))
        self.tell(ev.ToolFinished(now(), call, "1\tx"))


Acts = Callable[[Model, str], Awaitable[None]]


class Pretender(Talker):
    """An agent with such a model."""

    def __init__(self, acts: Acts, **options: Any) -> None:
        super().__init__(**options)
        self._acts = acts

    @asynccontextmanager
    async def open_session(self, context: AgentContext, listener: Listener, **_options: Any) -> AsyncIterator[Session]:
        yield Model(listener, self._acts)  # type: ignore[misc]  # it can what these tests need
