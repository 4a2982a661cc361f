"""A run that nobody attends ends when nothing goes on any more, and not before."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from maverick_tui.events.kinds import Noticed
from maverick_tui.runs import settling
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.settling import has_settled


class Busy:
    """A session that works on until it is told that it is done."""

    def __init__(self) -> None:
        self.is_done = asyncio.Event()

    async def settled(self) -> None:
        await self.is_done.wait()


def waiting(session: object, events: EventLog, wake: asyncio.Event) -> asyncio.Task[bool]:
    return asyncio.create_task(has_settled(cast("Any", session), events, wake))


async def test_a_session_that_does_nothing_beside_its_answers_has_settled() -> None:
    assert await has_settled(None, EventLog(), asyncio.Event())
    assert await has_settled(cast("Any", object()), EventLog(), asyncio.Event())


async def test_it_waits_for_the_session_and_for_what_wakes_it() -> None:
    session, wake = Busy(), asyncio.Event()
    settled = waiting(session, EventLog(), wake)
    await asyncio.sleep(0)
    assert not settled.done()
    session.is_done.set()
    assert await settled
    woken = waiting(Busy(), EventLog(), wake)
    wake.set()
    assert not await woken


async def test_work_of_which_nothing_is_heard_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "LONGEST_SILENCE", 0.05)
    events = EventLog()
    settled = waiting(Busy(), events, asyncio.Event())
    for number in range(50):
        events.emit(Noticed(float(number), "task", "It goes on."))
        await asyncio.sleep(0)
    assert not settled.done(), "as long as something is heard it is waited for"
    assert await settled
