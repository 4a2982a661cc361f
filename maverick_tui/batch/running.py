"""Batch: has every prompt answered by a run of its own, wherever there is room, and writes down what came of it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple, Protocol

from maverick_tui.batch.folder import BatchFolder, StartedRun
from maverick_tui.batch.items import Item
from maverick_tui.batch.places import NeverBegunError, Place
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.host.orders import Order
from maverick_tui.host.ways import AwayError
from maverick_tui.masking.redact import redact_fields
from maverick_tui.runs.outcome import ReadOutcome, RunOutcome

log = logging.getLogger(__name__)

AWAY_FOR = 60.0
"""Seconds after which a machine that was away is tried again, while others work."""
AGAIN_AFTER = (1.0, 5.0, 20.0)
"""Seconds before each further attempt where there is no other one; then what is left is left."""


_LOOK = "The log has more, and so may the run itself: maverick runs show."


class Judged(Protocol):
    """What a run is left with: see `cli/verdict.py`."""

    @property
    def kind(self) -> str:
        """Empty if all is fine."""

    @property
    def error(self) -> dict[str, Any] | None:
        """What is wrong."""


class Told(Protocol):
    """Whoever is told how it goes."""

    def changed(self) -> None:
        """Something has begun or ended."""

    def failed(self, item: Item, record: dict[str, Any]) -> None:
        """A prompt has failed."""

    def said(self, message: str, hint: str = "") -> None:
        """Something that the person should know."""


class _Work(NamedTuple):
    item: Item
    run: StartedRun | None = None
    """What was started for it before, and is to be looked at."""


class AtWork(NamedTuple):
    """A run that a prompt has now."""

    item: Item
    place: Place
    run_id: str
    outcome: ReadOutcome
    following: asyncio.Task[None]


class Batch:
    """One batch; `serve` does it."""

    def __init__(
        self,
        folder: BatchFolder,
        items: Sequence[Item],
        places: Sequence[Place],
        order_of: Callable[[Item, Place, str], Order],
        judge: Callable[[RunOutcome], Judged],
        told: Told,
    ) -> None:
        """`order_of` makes the order of a run with that id, `judge` says what it is left with."""
        self.items = items
        self.at_work: dict[str, AtWork] = {}
        self.is_stopping = False
        """Whether nothing more is begun."""
        self.limit = ""
        """Which fuse of a day has nothing left, where one has not."""
        self._folder = folder
        self._places = list(places)
        self._order_of = order_of
        self._judge = judge
        self._told = told
        self._is_interrupting = False
        todo = [item for item in items if item.key not in folder.done and item.key not in folder.failed]
        self._waiting = deque(_Work(item) for item in todo if item.key not in folder.started)
        self._taken_up = {place.name: deque[_Work]() for place in places}
        for item in todo:
            if (run := folder.started.get(item.key)) is not None:
                self._taken_up.setdefault(run.machine, deque()).append(_Work(item, run))
        self._undecided = 0
        """Prompts that may come back, since nobody knows yet whether their run begins."""
        self._moved = asyncio.Event()
        self._away: dict[str, float] = {}
        """Places that take nothing now, and until when."""
        self._tries: dict[str, int] = {}
        """How often each of them was tried in vain."""

    @property
    def unreached(self) -> set[str]:
        """Machines that have runs of this batch, and are none of its places."""
        return self._taken_up.keys() - {place.name for place in self._places}

    @property
    def running(self) -> int:
        """Prompts whose run is at work, or is being started."""
        return len(self.at_work) + self._undecided

    @property
    def done(self) -> list[dict[str, Any]]:
        """Results of the prompts of this batch."""
        return [self._folder.done[item.key] for item in self.items if item.key in self._folder.done]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Those that have failed."""
        return [self._folder.failed[item.key] for item in self.items if item.key in self._folder.failed]

    # -- life ----------------------------------------------------------------------------------------------------------

    async def serve(self, extra: Sequence[Place] = ()) -> None:
        """Do all that can be done; `extra` places only have runs of before. What is left afterwards could not be."""
        places = [*self._places, *extra]
        async with asyncio.TaskGroup() as group:
            for place in places:
                for _ in range(place.jobs):
                    group.create_task(self._work(place, begins=place in self._places))

    def stop(self) -> None:
        """Begin nothing more; what is at work goes on."""
        self.is_stopping = True
        self._move()

    async def interrupt(self) -> None:
        """End what is at work, too: it is asked anew when the batch goes on."""
        self.stop()
        self._is_interrupting = True

        await asyncio.gather(*map(self._end, list(self.at_work.values())))

    async def _end(self, one: AtWork) -> None:
        try:
            await one.place.stop(one.run_id)
        except MaverickError as error:  # it may go on where nobody can reach it, and is looked for next time
            self._told.said(error.message, error.hint)
            one.following.cancel()

    # -- one place of one run at a time --------------------------------------------------------------------------------

    async def _work(self, place: Place, *, begins: bool) -> None:
        while (work := await self._next(place, begins=begins)) is not None:
            try:
                await self._do(work, place, begins=begins)
            finally:
                self._move()

    async def _do(self, work: _Work, place: Place, *, begins: bool) -> None:
        if work.run is not None:
            try:
                await self._follow(work, work.run, place)
                return
            except NeverBegunError:  # whoever was about to start it was killed before
                if self.is_stopping or not begins:
                    self._come_back(work.item)
                    return
        if (run := await self._begun(work.item, place)) is not None:
            await self._follow(work._replace(run=None), run, place)

    async def _next(self, place: Place, *, begins: bool) -> _Work | None:
        """What this place is to do next; None if there is nothing, and nothing comes back."""
        while True:
            if taken_up := self._taken_up.get(place.name):
                return taken_up.popleft()
            if self.is_stopping or not begins or not (self._waiting or self._undecided or self.at_work):
                return None
            away_for = self._away.get(place.name, 0.0) - asyncio.get_running_loop().time()
            if away_for > 0:
                if away_for == inf and not self._others_work(place):
                    return None
                await self._wait(min(away_for, AWAY_FOR))
            elif self._waiting:
                self._away.pop(place.name, None)
                return self._waiting.popleft()
            else:
                await self._wait()

    def _others_work(self, place: Place) -> bool:
        return any(other.name != place.name and other.name not in self._away for other in self._places)

    async def _wait(self, seconds: float | None = None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._moved.wait()

    def _move(self) -> None:
        """Wake all who wait for something to do."""
        self._moved.set()
        self._moved = asyncio.Event()
        self._told.changed()

    def _come_back(self, item: Item) -> None:
        """What was started for a prompt does not count; it waits again."""
        self._folder.give_up([item.key])
        self._waiting.appendleft(_Work(item))

    async def _begun(self, item: Item, place: Place) -> StartedRun | None:
        """Start a run; None if it cannot be there, and the prompt waits again.

        One that was ordered by whoever was killed meanwhile keeps its id: so it cannot begin twice.
        """
        run = self._folder.started.get(item.key) or StartedRun(uuid.uuid4().hex[:12], place.name)
        self._folder.begin(item, run)
        self._undecided += 1
        try:
            await place.start(self._order_of(item, place, run.run_id))
        except (AwayError, ConfigError) as error:
            self._come_back(item)
            self._stay_away(place, error)
            return None
        finally:
            self._undecided -= 1
        self._tries.pop(place.name, None)
        return run

    def _stay_away(self, place: Place, error: AwayError | ConfigError) -> None:
        """Start nothing there for a while: until it is back, or, if it refuses, for good."""
        now = asyncio.get_running_loop().time()
        if self._away.get(place.name, 0.0) > now:
            return  # another of its runs has found that out
        tries, has_others = self._tries.get(place.name, 0), self._others_work(place)
        self._tries[place.name] = tries + 1
        is_over = not isinstance(error, AwayError) or (not has_others and tries >= len(AGAIN_AFTER))
        self._away[place.name] = now + (inf if is_over else AWAY_FOR if has_others else AGAIN_AFTER[tries])
        goes = " Its prompts go elsewhere." if has_others else "" if is_over else " It is tried again."
        self._told.said(f"{error.message}{goes}", error.hint)

    def _leave_for_today(self, place: Place, why: str) -> None:
        """Start nothing there any more: each run would come to the same end."""
        if self._away.get(place.name) == inf:
            return
        self.limit, self._away[place.name] = why, inf
        goes = "Its prompts go elsewhere." if self._others_work(place) else "Nothing more begins."
        self._told.said(f"{f'{place.name}: ' if place.name else ''}{why} {goes}", "Raise it, or go on tomorrow.")

    async def _follow(self, work: _Work, run: StartedRun, place: Place) -> None:
        """Wait for the end of a run, and write down what came of it. NeverBegunError if there is no such run."""
        item, outcome = work.item, ReadOutcome()
        following = asyncio.create_task(place.follow(run.run_id, outcome), name="maverick-following")
        one = self.at_work[item.key] = AtWork(item, place, run.run_id, outcome, following)
        self._told.changed()
        try:
            if self._is_interrupting:
                await self._end(one)
            await asyncio.wait({following})
        finally:
            following.cancel()
            del self.at_work[item.key]
        error = None if following.cancelled() else following.exception()
        if following.cancelled():
            return  # it may go on where nobody could reach it, and is looked for next time
        if isinstance(error, AwayError):
            self._told.said(error.message, error.hint)
        elif isinstance(error, NeverBegunError) or not isinstance(error, Exception | None):
            raise error
        elif error is None and outcome.is_day_over:
            self._come_back(item)
            self._leave_for_today(place, outcome.why)
        elif error is None and self._is_to_be_asked_again(work, outcome):
            self._come_back(item)
        else:
            self._record(item, run, outcome, error)

    def _is_to_be_asked_again(self, work: _Work, outcome: ReadOutcome) -> bool:
        """Whether a run came to nothing by what became of the batch, and not by itself."""
        was_left_alone = work.run is not None
        if outcome.cut == "interrupted":
            return self._is_interrupting or was_left_alone
        return was_left_alone and not outcome.is_ended

    def _record(self, item: Item, run: StartedRun, outcome: ReadOutcome, problem: BaseException | None) -> None:
        try:
            record = self._recorded(item, run, outcome, problem)
        except Exception as unexpected:  # whatever another machine has told is the affair of its prompt alone
            record = self._recorded(item, run, ReadOutcome(), unexpected)
        self._folder.add(item.key, record, is_done=record["error"] is None)
        if record["error"] is not None:
            self._told.failed(item, record)

    def _recorded(
        self, item: Item, run: StartedRun, outcome: ReadOutcome, problem: BaseException | None
    ) -> dict[str, Any]:
        verdict, usage = self._judge(outcome), outcome.usage
        error = verdict.error if problem is None else _told_of(problem, run)
        record = {
            "id": item.item_id,
            "line": item.line,
            "run_id": run.run_id,
            "outcome": (error or {}).get("kind") or "done",
            "answer": outcome.result,
            "output": outcome.output,
            "error": error,
            "cost": usage.cost_usd,
            "usage": {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cache_read_tokens": usage.cache_read_tokens,
                "cache_write_tokens": usage.cache_write_tokens,
            },
            "seconds": round(outcome.seconds, 3),
            "machine": run.machine,
        }
        # Its journal is masked; what a problem or another machine says may not be.
        return redact_fields(record)


def _told_of(problem: BaseException, run: StartedRun) -> dict[str, Any]:
    """Why nobody can say what has come of a run."""
    if isinstance(problem, ConfigError):
        return {"kind": "journal", "message": problem.message, "hint": problem.hint}
    log.error("What came of the run %s cannot be told", run.run_id, exc_info=problem)
    return {"kind": "journal", "message": f"What came of the run cannot be read: {problem!r}.", "hint": _LOOK}
