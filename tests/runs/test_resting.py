"""A CLI that nobody uses is ended: never in the middle of something, and without a prompt being lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engines import Answered
from maverick_tui.events.kinds import ConnectFailed, Noticed, TurnEnded, TurnStarted
from maverick_tui.runs.commands import ClearConversation, Interrupt, NameRun, ReleasePrompts
from tests.runs.pretending import Pretended, Pretender
from tests.runs.watching import Watched, watch

IDLE_AFTER = 3600.0


@pytest.fixture(autouse=True)
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Pretended]:
    monkeypatch.setattr(Pretender, "sessions", [])
    return Pretender.sessions


@asynccontextmanager
async def resting() -> AsyncIterator[Watched]:
    """A run that has answered one prompt, and rests after a while without another."""
    async with watch(Pretender, config=MaverickConfig.load(idle_after=IDLE_AFTER)) as run:
        await run.ask("one")
        await settled()
        yield run


async def settled() -> None:
    """Let everything happen that waits for nothing."""
    for _ in range(20):
        await asyncio.sleep(0)


def put_forward(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock of the event loop jump."""
    loop = asyncio.get_running_loop()
    real = loop.time
    monkeypatch.setattr(loop, "time", lambda: real() + seconds)


async def test_without_use_it_is_ended(monkeypatch: pytest.MonkeyPatch, sessions: list[Pretended]) -> None:
    async with resting() as run:
        put_forward(monkeypatch, IDLE_AFTER + 1)
        await settled()
        assert sessions[0].is_closed
        assert (await run.ask("two")).outcome == "done"
    assert len(sessions) == 2


async def test_a_prompt_that_comes_as_the_time_is_up_is_answered(
    monkeypatch: pytest.MonkeyPatch, sessions: list[Pretended]
) -> None:
    async with resting() as run:
        asyncio.get_running_loop().call_later(IDLE_AFTER + 1, run.prompt, "two")
        put_forward(monkeypatch, IDLE_AFTER + 2)  # both are due in one round of the loop, the rest first
        assert (await run.until(TurnEnded, 2)).outcome == "done"
    assert run.text() == "answer to one\nanswer to two"
    assert len(sessions) == 1, "it was needed after all"


async def test_a_turn_of_its_own_is_not_cut_short(monkeypatch: pytest.MonkeyPatch, sessions: list[Pretended]) -> None:
    async with resting() as run:
        sessions[0].listener.began("")
        sessions[0].say("by myself")
        await settled()
        put_forward(monkeypatch, IDLE_AFTER + 1)
        await settled()
        assert not sessions[0].is_closed
        sessions[0].listener.ended(Answered())
        assert (await run.ask("two")).outcome == "done"
    assert [turn.origin for turn in run.all(TurnStarted)] == ["person", "background", "person"]
    assert [turn.outcome for turn in run.all(TurnEnded)] == ["done"] * 3
    assert len(sessions) == 1


async def test_a_turn_of_its_own_that_begins_while_it_is_ended_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, sessions: list[Pretended]
) -> None:
    async with resting() as run:
        sessions[0].has_last_words = True
        put_forward(monkeypatch, IDLE_AFTER + 1)
        assert (await run.until(TurnEnded, 2)).outcome == "interrupted"
        assert (await run.ask("two")).outcome == "done"


async def test_something_in_the_background_keeps_it(monkeypatch: pytest.MonkeyPatch, sessions: list[Pretended]) -> None:
    async with resting() as run:
        sessions[0].may_rest = False
        run.send(NameRun("awake"))
        await settled()
        put_forward(monkeypatch, IDLE_AFTER + 1)
        await settled()
        assert not sessions[0].is_closed


async def test_what_is_sent_before_a_new_conversation_belongs_to_the_old_one(sessions: list[Pretended]) -> None:
    async with watch(Pretender) as run:
        await run.ask("one")
        sessions[0].may_answer.clear()
        run.prompt("two")
        run.prompt("three")
        run.send(ClearConversation())
        run.prompt("four")
        sessions[0].may_answer.set()
        await run.until(TurnEnded, 4)
    kept = (event for event in run.events if isinstance(event, TurnStarted | Noticed))
    told = [event.text if isinstance(event, TurnStarted) else event.kind for event in kept]
    assert told == ["one", "two", "clear", "three", "cleared", "four"], "that it waits is told as it is sent"


async def test_no_new_conversation_overtakes_prompts_that_are_held(sessions: list[Pretended]) -> None:
    async with watch(Pretender) as run:
        await run.ask("one")
        sessions[0].may_answer.clear()
        run.prompt("two")
        await run.until(TurnStarted, 2)
        run.prompt("three")
        run.send(ClearConversation())
        run.send(Interrupt())
        await run.until(TurnEnded, 2)
        sessions[0].may_answer.set()
        run.send(ReleasePrompts())
        await run.until(TurnEnded, 3)
        await settled()
    assert [event.kind for event in run.all(Noticed)] == ["clear"], "it waits, and has cleared nothing"
    assert [event.text for event in run.all(TurnStarted)] == ["one", "two", "three"]


async def test_a_lost_cli_is_not_replaced_for_prompts_that_are_held(sessions: list[Pretended]) -> None:
    async with watch(Pretender) as run:
        await run.ask("one")
        sessions[0].may_answer.clear()
        run.prompt("two")
        run.prompt("three")
        run.send(Interrupt())
        await run.until(TurnEnded, 2)
        await settled()
        sessions[0].lose()
        await run.until(ConnectFailed)
        await settled()
        assert sessions[0].is_closed
    assert len(sessions) == 1
