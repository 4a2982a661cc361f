"""Which turn is open: what comes late belongs to none."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import StreamEvent

from maverick_tui.events.kinds import Event
from maverick_tui.runs.turns import Outlet, Turns


def streamed(kind: str, **more: Any) -> StreamEvent:
    return StreamEvent("id", "session", {"type": kind, **more})


async def test_what_comes_after_the_end_of_an_answer_that_was_cut_opens_no_turn() -> None:
    told: list[Event] = []
    turns = Turns(Outlet(told.append, lambda: 0.0), lambda: None)
    turns.end(turns.begin("go"))
    told.clear()
    late = {"type": "text_delta", "text": "the rest of it"}
    turns.take_background(streamed("content_block_delta", index=0, delta=late))
    turns.take_background(streamed("message_stop"))
    assert turns.current is None, "it would never end, and every prompt would wait for that"
    assert told == []


async def test_an_answer_that_nobody_has_asked_for_opens_a_turn_when_it_begins() -> None:
    turns = Turns(Outlet(lambda _: None, lambda: 0.0), lambda: None)
    start = {"id": "m", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1, "output_tokens": 1}}
    turns.take_background(streamed("message_start", message=start))
    assert turns.current is not None
    assert turns.current.origin == "background"
