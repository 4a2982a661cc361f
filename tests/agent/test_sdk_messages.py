"""Any engine's answers in the SDK's messages: also those that nobody reads to their end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any, cast

from maverick_tui.agent.engines import Answered, Listener, Session
from maverick_tui.agent.sdk_messages import MessageSession, SdkListener
from maverick_tui.events.kinds import whole_block
from maverick_tui.usage import Usage


class Endless:
    """A session whose answers end when they are interrupted, and then say what they have used."""

    is_ended = False

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._stop = asyncio.Event()

    async def ask(self, prompt: str) -> Answered:
        for event in whole_block(self._listener.next_block(), "text", prompt, self._listener.now()):
            self._listener.tell(event)
        await self._stop.wait()
        return Answered(Usage(10, 5, cost_usd=0.5), steps=1, is_cut=True)

    async def interrupt(self) -> None:
        self._stop.set()


async def test_what_an_answer_has_used_counts_also_if_nobody_reads_it_to_its_end() -> None:
    beside: list[Any] = []
    listener = SdkListener(None, beside.append)
    session = MessageSession(cast("Session", Endless(cast("Listener", listener))), listener)
    async with asyncio.timeout(60), aclosing(session.query("hello")) as messages:
        async for _ in messages:
            break
    assert session.last_usage is not None
    assert (session.last_usage.input_tokens, session.last_usage.total_cost_usd) == (10, 0.5)
    result = [message async for message in session.query("again")][-1]
    assert getattr(result, "total_cost_usd", None) == 1.0, "of both"
    assert beside == []
