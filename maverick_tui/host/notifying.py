"""Tells a person what becomes of a run that nobody looks at, by the command of their choice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.host.notify_command import ENDS_WITHIN, Told, tell_by_command
from maverick_tui.host.state import LiveState
from maverick_tui.keeper import LONGEST
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.news import NO_FAILURE, QUIET_FOR, News, news_of, shortened
from maverick_tui.runs.store import fork_words

log = logging.getLogger(__name__)

SETTLES = 0.3
"""Seconds after which news is told: what follows at once may have made it old."""
_CUTS = ("timeout", "limit")
"""Notices of a run that is ended before its time."""


@asynccontextmanager
async def notifying(
    run_id: str, events: EventLog, command: Sequence[str], is_looked_at: Callable[[], bool], since: int
) -> AsyncIterator[None]:
    """While the person hears of the run; what was told before the event `since` is no news.

    At its end what is being told is told, as long as the command takes.
    """
    if not command:
        yield
        return
    follower = _Follower(run_id, events, command, is_looked_at, since)
    following = asyncio.create_task(follower.follow(), name="maverick-news")
    try:
        yield
    finally:
        if events.is_closed:
            await asyncio.wait({following}, timeout=2 * (ENDS_WITHIN + LONGEST))
        following.cancel()
        await asyncio.wait({following})


class _Follower:
    """Reads one run, and tells what is news and still so a moment later."""

    def __init__(
        self, run_id: str, events: EventLog, command: Sequence[str], is_looked_at: Callable[[], bool], since: int
    ) -> None:
        self._run_id = run_id
        self._events = events
        self._command = command
        self._is_looked_at = is_looked_at
        self._state = LiveState()
        for event in events.since(0, since):
            self._state.take(event)
        self._reader = events.reader(since)
        self._latest: tuple[Event, News] | None = None
        self._asked_at = float("-inf")

    async def follow(self) -> None:
        """Tell all news of the run, to its end; what comes while the command runs is told by the last of it."""
        try:
            while await self._events.wait(self._reader.number):
                self._take()
                if self._latest is not None:
                    await asyncio.sleep(SETTLES)
                    self._take()
                    await self._tell(*self._latest)
                    self._latest = None
        except Exception:  # the run has nothing to do with it
            log.exception("News of the run cannot be told any more")

    def _take(self) -> None:
        for event in self._reader.take():
            self._state.take(event)
            if (news := news_of(event) or _end_of(event)) is not None:
                self._latest = event, news

    async def _tell(self, event: Event, news: News) -> None:
        if self._is_looked_at() or not self._is_still_so(event):
            return
        if isinstance(event, ev.PermissionAsked):
            since, self._asked_at = event.at - self._asked_at, event.at
            if 0 <= since < QUIET_FOR:
                return
        state = self._state
        title = state.name or state.first_prompt or fork_words(state.forked_from, state.forked_turn)
        await tell_by_command(self._command, Told(self._run_id, state.agent, title, news, state.folder))

    def _is_still_so(self, event: Event) -> bool:
        """Whether nothing has followed that makes it old: an answer, the next prompt, a plan to go on."""
        phase = self._state.phase
        if isinstance(event, ev.PermissionAsked):
            return phase == "asks"
        if isinstance(event, ev.TurnEnded | ev.ConnectFailed) and phase != "ended":
            return phase == "failed" or self._state.is_settled
        return True


def _end_of(event: Event) -> News | None:
    """News of a run that is ended before its time."""
    match event:
        case ev.Noticed() if event.kind in _CUTS:
            return News("ended", shortened(f"ended: {event.text}"))
        case ev.RunEnded() if event.reason not in NO_FAILURE:
            return News("failed", shortened(f"failed: {event.reason}"))
    return None
