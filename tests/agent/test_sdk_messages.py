"""Any engine's answers in the SDK's messages: also those that nobody reads to their end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import Any, cast

from claude_agent_sdk import StreamEvent, SystemMessage

from maverick_tui.agent.engines import Answered, Listener, Session
from maverick_tui.agent.sdk_messages import MessageSession, SdkListener, SdkMessages
from maverick_tui.events import kinds as ev
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


def streamed(told: Iterable[ev.Event], made: SdkMessages | None = None) -> list[dict[str, Any]]:
    made = made or SdkMessages("here", lambda: "plan")
    messages = [message for event in told for message in made.of(event)]
    return [message.event for message in messages if isinstance(message, StreamEvent)]


def test_a_call_has_its_id_from_the_beginning_of_its_block() -> None:
    (start,) = streamed([ev.BlockStarted(0, 1, "tool", name="Read", call="call-1")])
    assert start["content_block"] == {"type": "tool_use", "id": "call-1", "name": "Read", "input": {}}


def test_no_two_blocks_of_an_answer_have_one_index_and_each_answer_counts_anew() -> None:
    one = [ev.UsageReported(0, "one"), *whole_block(1, "thinking", "hm", 0), *whole_block(2, "text", "yes", 0)]
    aside = whole_block(3, "text", "of a subagent", 0, "call-1")
    other = [ev.UsageReported(0, "two"), ev.BlockStarted(0, 4, "text"), ev.BlockStarted(0, 5, "tool")]
    starts = [event for event in streamed([*one, *aside, *other]) if event["type"] == "content_block_start"]
    assert [start["index"] for start in starts] == [0, 1, 0, 1]


def test_each_answer_begins_with_the_model_the_conversation_and_the_mode() -> None:
    listener = SdkListener(mode="plan")
    listener.tell(ev.ModeChanged(0, "default"))
    (begun,) = listener.messages().of(ev.ModelNamed(0, "sonnet"))
    assert isinstance(begun, SystemMessage)
    assert begun.data == {"model": "sonnet", "session_id": listener.session_id, "permissionMode": "default"}
