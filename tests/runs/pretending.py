"""Agents whose sessions have nothing behind them: for what a run does with a session, whatever that is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from maverick_tui import AgentContext, AgentError
from maverick_tui.agent.engines import Answered, Listener, Session
from maverick_tui.events.kinds import whole_block
from maverick_tui.usage import Usage
from tests.support.agents import Talker


class Pretended:
    """A session with nothing behind it, which answers as soon as it may."""

    memory = "all of it"
    may_rest = True
    works_on = False

    def __init__(self, listener: Listener) -> None:
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.is_closed = False
        self.model: str | None = None
        self.listener = listener
        self.has_last_words = False
        """Whether it answers something by itself while it is being ended."""
        self._loss: asyncio.Future[AgentError] = asyncio.get_running_loop().create_future()

    @property
    def is_ended(self) -> bool:
        return self._loss.done()

    def lose(self) -> None:
        self._loss.set_result(AgentError("It is gone."))

    async def ended(self) -> AgentError:
        return await asyncio.shield(self._loss)

    async def set_model(self, model: str | None) -> None:
        self.model = model

    async def ask(self, prompt: str) -> Answered:
        await self.may_answer.wait()
        self.say(f"answer to {prompt}")
        return Answered(Usage(10, 5, cost_usd=0.01), steps=1)

    def say(self, words: str) -> None:
        for event in whole_block(self.listener.next_block(), "text", words, self.listener.now()):
            self.listener.tell(event)

    async def clear(self) -> bool:
        return False

    async def interrupt(self) -> None:
        self.may_answer.set()


class Pretender(Talker):
    """An agent whose sessions are pretended ones."""

    sessions: ClassVar[list[Pretended]] = []

    @asynccontextmanager
    async def open_session(self, context: AgentContext, listener: Listener, **options: Any) -> AsyncIterator[Session]:
        session = Pretended(listener)
        self.sessions.append(session)
        yield session  # type: ignore[misc]  # it can what these tests need
        if session.has_last_words:
            listener.began("")
            session.say("last words")
        session.is_closed = True
