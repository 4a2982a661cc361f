"""What the CLI says beside answers, told in events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from typing import Any, cast

import pytest
from claude_agent_sdk import Message, ResultMessage, StreamEvent, SystemMessage

from maverick_tui.agent.engine.claude.scheduling import FIRED, WOKEN
from maverick_tui.agent.engine.claude.telling import ClaudeSession
from maverick_tui.agent.engines import Answered, Listener
from maverick_tui.events.kinds import Event, ModeChanged, Noticed


class Kept:
    """Keeps what it is told."""

    ask = None

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.next_block = count(1).__next__
        self.began = lambda _prompt: None

    def now(self) -> float:
        return 1.0

    def tell(self, event: Event) -> None:
        self.events.append(event)

    def ended(self, answered: Answered) -> None:
        pass


class Native:
    """A session of the SDK's that answers with what it was given."""

    last_usage = None

    def __init__(self, *answer: Message) -> None:
        self._answer = answer

    async def query(self, _prompt: str, **_options: bool) -> AsyncIterator[Message]:
        for message in self._answer:
            yield message


def test_a_mode_that_is_not_the_one_it_was_started_in_is_told() -> None:
    kept = Kept()
    session = ClaudeSession(cast("Listener", kept))
    session.begin(cast(Any, object()), "default")
    for mode in ("default", "acceptEdits"):
        session.hear(SystemMessage("init", {"permissionMode": mode, "model": "m", "session_id": "s"}))
    assert [event.mode for event in kept.events if isinstance(event, ModeChanged)] == ["acceptEdits"]


BEGINS = StreamEvent(uuid="e", session_id="s", event={"type": "message_start", "message": {"id": "m", "usage": {}}})
ENDS = ResultMessage("success", 1, 1, False, 1, "s")


def news(text: str) -> SystemMessage:
    return SystemMessage(WOKEN, {"prompt": f"<task-notification>{text}</task-notification>"})


@pytest.mark.parametrize("answers", ["a prompt", "by itself"])
async def test_news_that_an_answer_has_read_have_woken_nobody(answers: str) -> None:
    kept = Kept()
    session = ClaudeSession(cast("Listener", kept))
    session.begin(cast(Any, Native(BEGINS, ENDS)), "default")
    session.hear(news("<summary>one</summary>"))
    if answers == "a prompt":  # the CLI makes one turn of both
        await session.ask("go")
    else:
        for message in (BEGINS, news("<summary>two</summary>"), BEGINS, ENDS):
            session.hear(message)
    for message in (
        SystemMessage(FIRED, {"prompt": "a job"}),
        BEGINS,
        ENDS,
        news("<status>completed</status>"),
        BEGINS,
    ):
        session.hear(message)
    told = [event.text for event in kept.events if isinstance(event, Noticed)]
    assert told == ([] if answers == "a prompt" else ["Woken: one"])
