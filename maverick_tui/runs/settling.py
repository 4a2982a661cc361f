"""When a run that nobody attends has nothing left to do: also what its session does beside the answers has ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from maverick_tui.agent.engines import Session, WorksOn
    from maverick_tui.runs.log import EventLog

LONGEST_SILENCE = 600.0
"""Seconds for which work in the background is waited for while nothing is heard of it."""


async def has_settled(session: Session | None, events: EventLog, wake: asyncio.Event) -> bool:
    """Whether nothing goes on any more; False as soon as something wakes the run before that is known."""
    if session is None or not hasattr(session, "settled"):
        return True
    settling = asyncio.ensure_future(cast("WorksOn", session).settled())
    waking = asyncio.ensure_future(wake.wait())
    try:
        while not settling.done() and not waking.done():
            heard = len(events)
            await asyncio.wait({settling, waking}, timeout=LONGEST_SILENCE, return_when=asyncio.FIRST_COMPLETED)
            if len(events) == heard:
                return not waking.done()
        return not wake.is_set()
    finally:
        for waiting in (settling, waking):
            waiting.cancel()
        await asyncio.gather(settling, waking, return_exceptions=True)
