"""Agents whose sessions have nothing behind them: for what a run does with a session, whatever that is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from claude_agent_sdk import Message
from claude_agent_sdk._internal.message_parser import parse_message

from maverick_tui import AgentContext, AgentError
from maverick_tui.agent.engine.protocol import Session
from tests.support.agents import Talker
from tests.support.replay import assistant, result


def parsed(frame: dict[str, Any]) -> Message:
    message = parse_message(frame)
    assert message is not None
    return message


class Pretended:
    """A session with nothing behind it, which answers as soon as it may."""

    def __init__(self, tell: Callable[[Message], None]) -> None:
        self.last_usage = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.is_closed = False
        self.tell = tell
        """Take a message of a turn that the CLI begins by itself."""
        self.last_words: list[Message] = []
        """What it says while it is being ended."""
        self._loss: asyncio.Future[AgentError] = asyncio.get_running_loop().create_future()

    @property
    def is_ended(self) -> bool:
        return self._loss.done()

    def lose(self) -> None:
        self._loss.set_result(AgentError("It is gone."))

    async def ended(self) -> AgentError:
        return await asyncio.shield(self._loss)

    async def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncIterator[Message]:
        await self.may_answer.wait()
        yield parsed(assistant(f"answer to {prompt}"))
        yield parsed(result())

    async def clear(self) -> bool:
        return False

    async def interrupt(self) -> None:
        self.may_answer.set()


class Pretender(Talker):
    """An agent whose sessions are pretended ones."""

    sessions: ClassVar[list[Pretended]] = []

    @asynccontextmanager
    async def session(self, context: AgentContext, **options: Any) -> AsyncIterator[Session]:
        session = Pretended(options["on_background"])
        self.sessions.append(session)
        yield session  # type: ignore[misc]  # it can what these tests need
        for message in session.last_words:
            session.tell(message)
        session.is_closed = True
