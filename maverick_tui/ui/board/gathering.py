"""Gathering: the cards of all runs that are alive: our own by their events, others by asking their hosts in turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from maverick_tui.runs.card import NO_ANSWER, RunCard, card_of, in_order

if TYPE_CHECKING:
    from maverick_tui.host.live import LiveRun
    from maverick_tui.runs.board import Board, RunModel

ROUND = 1.0
"""Seconds in which all other runs of this machine are asked once, if they are few."""
EACH = 0.015
"""Seconds for each of them, if they are many: keys come in between, and nobody reads so many rows at once."""
FIRST = 0.3
"""Seconds for the first time, when nothing is known yet."""
AT_ONCE = 16
"""Runs that are asked at the same time: one that does not answer holds up few others."""
HOSTLESS_EVERY = 10.0
"""Seconds between two looks at runs without a host: their journals have to be read."""
INTERRUPTED_WITHIN = 20.0
"""Seconds after which a row says again what its run does, though that was to be interrupted."""

FarRuns = Callable[[], "Sequence[LiveRun]"]


class Gathering:
    """Knows one card for each run. Nothing is drawn here; `changed` hears that a card may be another one."""

    def __init__(self, board: Board, far: FarRuns, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        """`far` tells the runs of other machines."""
        self._board = board
        self._far = far
        self._clock = clock
        self._changed = changed
        self._own: dict[str, RunCard] = {}
        self._elsewhere: dict[str, RunCard] = {}
        self._hostless: list[RunCard] = []
        self._there: dict[str, tuple[LiveRun, RunCard]] = {}
        """Runs of other machines as they were told of, and their cards by the clock of that moment."""
        self._events: dict[str, int] = {}
        """How many events the hosts of other runs have told of."""
        self._tags: dict[str, tuple[str, ...]] = {}
        self._dirty: set[str] = set(board.runs)
        self._stopping: dict[str, float] = {}
        """Runs that somebody has just interrupted here, and when: their rows say so at once."""
        self.unheeded = 0
        """How many went on all the same, of those that were interrupted last."""
        self.problem = ""
        """Why other runs of this machine are not known."""

    # -- what is known ------------------------------------------------------------------------------------------------

    def hear(self, run: RunModel) -> None:
        """A run of ours has told something."""
        self._dirty.add(run.run_id)

    def cards(self, now: float) -> list[RunCard]:
        """All of them as they stand, in their order."""
        self._look_at_own()
        found = [*self._own.values()]
        found += [card for run_id, card in self._elsewhere.items() if run_id not in self._own]
        found += [card for card in self._hostless if card.run_id not in self._own]
        found += self._far_cards(now)
        return in_order([self._as_wanted(card, now) for card in found], now)

    def _look_at_own(self) -> None:
        served = {run_id: run for run_id, run in self._board.runs.items() if run.is_served}
        for run_id in self._own.keys() - served.keys():
            del self._own[run_id]
        for run_id, run in served.items():
            if run_id in self._dirty or run_id not in self._own:
                self._own[run_id] = card_of(run, self._tags.get(run_id, ()))
        self._dirty.clear()

    def _far_cards(self, now: float) -> Iterable[RunCard]:
        if not (runs := [run for run in self._far() if run.run_id not in self._own]):
            return []
        from maverick_tui.host.card import live_card

        before, self._there = self._there, {}
        for run in runs:
            known = before.get(key := f"{run.machine}:{run.run_id}")
            self._there[key] = known if known is not None and known[0] is run else (run, live_card(run, now))
        return [card for _, card in self._there.values()]

    def known_events(self, card: RunCard) -> int:
        """How many events of a run its host has told of, if it was asked."""
        return self._events.get(card.run_id, 0) if not card.machine else 0

    # -- what is wanted -----------------------------------------------------------------------------------------------

    def interrupted(self, keys: Iterable[str]) -> None:
        """Somebody has just interrupted these."""
        self.unheeded = 0
        self._stopping.update(dict.fromkeys(keys, self._clock()))

    def not_interrupted(self, key: str) -> None:
        """That did not arrive."""
        self.unheeded += self._stopping.pop(key, None) is not None

    @property
    def stopping(self) -> int:
        """How many of those that were interrupted are still at it."""
        return len(self._stopping)

    def _as_wanted(self, card: RunCard, now: float) -> RunCard:
        at = self._stopping.get(card.key)
        if at is None:
            return card
        if not card.can_be_interrupted and card.phase != NO_ANSWER:  # who says nothing may still be at it
            del self._stopping[card.key]
            return card
        if now - at > INTERRUPTED_WITHIN:
            self.not_interrupted(card.key)
            return card
        return replace(card, phase="interrupting", about="", since=at)

    # -- asking -------------------------------------------------------------------------------------------------------

    async def look(self) -> None:
        """Go on asking the hosts of this machine's other runs, a few at a time."""
        await asyncio.to_thread(_load)
        least, hostless_at = FIRST, 0.0
        while True:
            known = list(self._board.runs)
            run_ids, self.problem, tags = await asyncio.to_thread(_hosted, known)
            self._take_tags(tags)
            others = [run_id for run_id in run_ids if run_id not in self._board.runs]
            for run_id in self._elsewhere.keys() - set(others):
                del self._elsewhere[run_id]
            if time.monotonic() >= hostless_at:
                self._hostless = await asyncio.to_thread(_hostless, {*run_ids, *self._board.runs}, self._clock())
                hostless_at = time.monotonic() + HOSTLESS_EVERY
            self._changed()
            await self._ask_all(others, least if others else ROUND)
            least = max(ROUND, EACH * len(others)) if others else FIRST

    async def _ask_all(self, run_ids: Sequence[str], within: float) -> None:
        """Ask each of them, spread over so many seconds."""
        room = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as asked:
            for run_id in run_ids:
                await room.acquire()
                asked.create_task(self._ask(run_id)).add_done_callback(lambda _: room.release())
                await asyncio.sleep(within / len(run_ids))
            if not run_ids:
                await asyncio.sleep(within)

    async def _ask(self, run_id: str) -> None:
        from maverick_tui.host.card import live_card
        from maverick_tui.host.live import hosted_now

        known = self._elsewhere.get(run_id)
        for run in await hosted_now([run_id]):
            now = self._clock()
            if run.is_silent and known is not None:
                self._elsewhere[run_id] = replace(known, phase=NO_ANSWER, about="")
            else:
                self._elsewhere[run_id] = live_card(run, now, self._tags.get(run_id, ()))
            if run.host is not None:
                self._events[run_id] = run.host.events
            if known != self._elsewhere[run_id]:
                self._changed()

    def _take_tags(self, tags: Mapping[str, tuple[str, ...]]) -> None:
        for run_id, of_run in tags.items():
            if self._tags.get(run_id, ()) != of_run:
                self._tags[run_id] = of_run
                self._dirty.add(run_id)

    def tagged(self, run_id: str, tags: tuple[str, ...]) -> None:
        """A run has other tags now."""
        self._take_tags({run_id: tags})
        if (card := self._elsewhere.get(run_id)) is not None:
            self._elsewhere[run_id] = replace(card, tags=tags)


# -- in threads, for they import and look at files ---------------------------------------------------------------------


def _load() -> None:
    import maverick_tui.host.card  # noqa: F401 - wanted a moment later


def _hostless(known: Container[str], now: float) -> list[RunCard]:
    from maverick_tui.host.card import live_card
    from maverick_tui.host.live import hostless_runs

    return [live_card(run, now) for run in hostless_runs(known)]


def _hosted(known: Sequence[str]) -> tuple[list[str], str, dict[str, tuple[str, ...]]]:
    """The runs of this machine with a host, what keeps us from knowing them, and the tags of all."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.labels import read_labels
    from maverick_tui.host.places import hosted_runs
    from maverick_tui.journal.folders import journal_of

    problem, run_ids = "", list[str]()
    try:
        run_ids = list(hosted_runs())
    except ConfigError as error:
        problem = error.message
    tags = {run_id: read_labels(journal_of(run_id).parent).tags for run_id in {*run_ids, *known}}
    return run_ids, problem, tags
