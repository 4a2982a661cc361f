"""Pace: how eagerly a reader is told. Of a run that nobody looks at, what can wait comes in few, large portions.

Somebody may follow a hundred runs, and looks at one of them. Each piece of an answer would wake them for each run.
"""

from __future__ import annotations

import asyncio
import random

from maverick_tui.runs.log import EventLog

HELD = (0.7, 1.0)
"""Seconds that something waits: each time others, or many hosts would all tell theirs at the same moment."""
_CAN_WAIT = frozenset("request_started block_started block_grew block_ended usage_reported task_progressed".split())
"""What a list of runs can do without for a moment. All else is told at once: a question, a call, a failure, an end."""


class Pace:
    """That of one reader, who says when the run comes onto the screen, and when it leaves it."""

    def __init__(self, *, is_hidden: bool = False) -> None:
        self._is_hidden = is_hidden
        self._holding: asyncio.Timeout | None = None

    def set_hidden(self, is_hidden: bool) -> None:
        """Somebody looks, or does so no more: what was held back for them is told now."""
        self._is_hidden = is_hidden
        if not is_hidden and self._holding is not None and not self._holding.expired():
            self._holding.reschedule(asyncio.get_running_loop().time())

    async def hold(self, events: EventLog, number: int) -> None:
        """Wait while nobody looks and all that there is from that event on can wait; not for long."""
        if not self._is_hidden:
            return
        try:
            async with asyncio.timeout(random.uniform(*HELD)) as self._holding:
                while await events.wait(number) and _can_wait(events, number):
                    number = len(events)
        except asyncio.TimeoutError:
            pass  # it has waited long enough
        finally:
            self._holding = None


def _can_wait(events: EventLog, number: int) -> bool:
    return all(event.type in _CAN_WAIT for event in events.since(number))
