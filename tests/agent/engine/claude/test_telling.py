"""What the CLI does by itself, told to whoever listens: what comes late belongs to no answer."""

from __future__ import annotations

from itertools import count
from typing import Any

from claude_agent_sdk import Message, StreamEvent, SystemMessage
from claude_agent_sdk._internal.message_parser import parse_message

from maverick_tui.agent.engine.claude.signals import FIRED
from maverick_tui.agent.engine.claude.telling import ClaudeSession
from maverick_tui.agent.engine.protocol import Answered, AskPerson
from maverick_tui.events.kinds import Event
from tests.support.replay import assistant, result


class Ear:
    """Listens, and keeps what it hears."""

    ask: AskPerson | None = None

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.began_with: list[str] = []
        self.answers: list[Answered] = []
        self.tell = self.events.append
        self.began = self.began_with.append
        self.ended = self.answers.append
        self.next_block = count(1).__next__

    def now(self) -> float:
        return 1.0


def streamed(kind: str, **more: Any) -> StreamEvent:
    return StreamEvent("id", "session", {"type": kind, **more})


def parsed(frame: dict[str, Any]) -> Message:
    message = parse_message(frame)
    assert message is not None
    return message


def heard(*messages: Any) -> tuple[ClaudeSession, Ear]:
    ear = Ear()
    session = ClaudeSession(ear)
    for message in messages:
        session.hear(parsed(message) if isinstance(message, dict) else message)
    return session, ear


def test_what_comes_after_the_end_of_an_answer_that_was_cut_begins_none() -> None:
    late = {"type": "text_delta", "text": "the rest of it"}
    _, ear = heard(streamed("content_block_delta", index=0, delta=late), streamed("message_stop"))
    assert ear.began_with == [], "it would never end, and every prompt would wait for that"
    assert ear.events == []


def test_an_answer_that_nobody_has_asked_for_is_told_when_it_begins_and_ends() -> None:
    start = {"id": "m", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1, "output_tokens": 1}}
    fired = SystemMessage(FIRED, {"prompt": "look again"})
    _, ear = heard(fired, streamed("message_start", message=start), assistant("I have looked."), result())
    assert ear.began_with == ["look again"]
    assert [event.type for event in ear.events][-3:] == ["block_started", "block_grew", "block_ended"]
    (answered,) = ear.answers
    assert (answered.steps, answered.error, answered.is_cut) == (1, None, False)


def test_a_background_task_keeps_the_cli_from_resting() -> None:
    started = {"type": "system", "subtype": "task_started", "task_id": "b1", "tool_use_id": "c1", "session_id": "s"}
    session, ear = heard({**started, "description": "make watch", "uuid": "u"})
    assert not session.may_rest
    assert ear.began_with == []
    ended = {"type": "system", "subtype": "task_updated", "task_id": "b1", "patch": {"status": "completed"}}
    session.hear(parsed({**ended, "session_id": "s", "uuid": "u"}))
    assert session.may_rest
