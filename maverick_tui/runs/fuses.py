"""Fuses: a run that has used what it was given holds before its next tool or request, and asks what to do."""

from __future__ import annotations

import asyncio
import logging
import math
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from maverick_tui.agent.engine.prices import cheaper_than, estimate
from maverick_tui.agent.engines import AskPerson, ToolQuestion
from maverick_tui.events import kinds as ev
from maverick_tui.fuse_amounts import SCOPES, TAKES, UNITS, amount_in, in_words, is_amount
from maverick_tui.runs.fuse_count import NOTHING, FuseCount, Used, day_of
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.own_questions import FUSE
from maverick_tui.threads import in_thread
from maverick_tui.usage import Usage

log = logging.getLogger(__name__)

STOP = "Stop"
STOPPED = "The person has stopped the run at its fuse."
CATCH_UP = 5.0
"""Seconds of silence after which the figures of an answer that calls a tool are not waited for any longer."""
WHOSE = {"run": "this run", "agent_day": "{agent} today", "day": "all runs of today"}


class Ledger(Protocol):
    """Knows what other runs have used."""

    def used_today(self, agent: str, now: float) -> Used:
        """What they have used since midnight, those of one agent or, for "", all of them. It blocks."""
        ...


class Fuse(NamedTuple):
    """What may be used: so much of a unit, and how much of that others have used already."""

    scope: str
    unit: str
    given: float
    extended: float = 0.0
    others: float = 0.0

    @property
    def most(self) -> float:
        """So much, with all that it was extended by."""
        return self.given + self.extended

    def beyond(self, used: float) -> Fuse:
        """The same, extended by as much as was given again, as often as it takes for half of that to be left."""
        times = max(0, math.ceil((used - self.most) / self.given - 0.5)) + 1
        return self._replace(extended=self.extended + times * self.given)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Fuse | None:
        """As an event has it, without what others have used; None if it makes no sense."""
        most, extended = told.get("most"), more if is_amount(more := told.get("extended")) else 0.0
        if not is_amount(most) or most <= extended:
            return None
        return cls(str(told.get("scope")), str(told.get("unit")), most - extended, extended)

    def to_json(self) -> dict[str, Any]:
        """As an event has it."""
        return {
            "scope": self.scope,
            "unit": self.unit,
            "most": self.most,
            "extended": self.extended,
            "others": self.others,
        }


def blown(fuses: Mapping[tuple[str, str], Fuse], run: Used, today: Used) -> tuple[Fuse, float] | None:
    """The first fuse whose amount is used, and how much that is."""
    for fuse in fuses.values():
        used = (run if fuse.scope == "run" else today).of(fuse.unit) + fuse.others
        if used >= fuse.most:
            return fuse, used
    return None


class Fuses:
    """Those of one run. Whoever is about to call a tool or to ask the model waits for `hold` before."""

    def __init__(self, events: EventLog, ask: AskPerson | None, *, set_model: Callable[[str], None]) -> None:
        """`ask` is None where nobody can be asked: then `on_blown` is told why, and by whose fuse, and ends the run."""
        self.ledger: Ledger | None = None
        self.given: Mapping[str, float] = {}
        """What the person has said for this run: it counts before its agent's file and the settings."""
        self.on_blown: Callable[[str, str], None] = lambda _why, _scope: None
        self.stop: Callable[[], None] = lambda: None
        """Ends what is being answered."""
        self._events = events
        self._ask = ask
        self._set_model = set_model
        self._fuses: dict[tuple[str, str], Fuse] = {}
        self._count = FuseCount(estimate)
        self._reader = events.reader(0)
        self._one_at_a_time = asyncio.Lock()
        self._agent = ""
        self._model = ""
        self._turn = 0
        self._stopped_in = -1
        """The turn that the person has stopped at a fuse."""
        self._called: set[str] = set()
        """Calls of the agent itself whose answer has not told its figures yet."""
        self._known: set[str] = set()
        self._warned: set[str] = set()

    def begin(self, agent: str, settings: Mapping[str, Mapping[str, float]], own: Mapping[str, float]) -> None:
        """The agent is known, with what its file says; neither widens what the other gives, nor what it had before."""
        before = self._told()
        self._agent = agent
        found: dict[tuple[str, str], Fuse] = {}
        for scope in SCOPES:
            amounts = dict(settings.get(scope, {}))
            if scope == "run":
                had = {unit: fuse.given for (_, unit), fuse in before.items() if fuse.scope == "run"}
                all_of = {unit: min(one.get(unit, math.inf) for one in (own, amounts, had)) for unit in UNITS}
                amounts = {unit: most for unit, most in all_of.items() if most < math.inf} | dict(self.given)
            for unit in UNITS:
                if unit in amounts:
                    extended = before[scope, unit].extended if (scope, unit) in before else 0.0
                    found[scope, unit] = Fuse(scope, unit, float(amounts[unit]), extended)
        self._fuses = found
        if found or before:
            self._tell()

    def _told(self) -> dict[tuple[str, str], Fuse]:
        """The fuses of a run that goes on, by what it has told; those of a day, only on that day."""
        told: ev.FusesSet | None = None
        for event in self._events.since(0):
            if isinstance(event, ev.FusesSet):
                told = event
            elif isinstance(event, ev.RunForked):
                told = None
        found: dict[tuple[str, str], Fuse] = {}
        is_of_today = told is not None and day_of(told.at) == day_of(self._events.now())
        for one in told.fuses if told is not None else ():
            fuse = Fuse.from_json(one)
            if fuse is not None and (fuse.scope == "run" or is_of_today):
                found[fuse.scope, fuse.unit] = fuse
        return found

    def _tell(self) -> None:
        told = tuple(fuse.to_json() for fuse in self._fuses.values())
        self._events.emit(ev.FusesSet(self._events.now(), told))

    # -- holding ------------------------------------------------------------------------------------------------------

    async def hold(self, call: str = "") -> str:
        """Wait until the run may go on; empty, or why it may not. `call` is the one that would run next."""
        if not self._fuses:
            return ""
        async with self._one_at_a_time:  # calls of one answer wait for one question
            await self._catch_up(call)
            while not self._is_stopped:
                found = await self._blown()
                if found is None:
                    return ""
                if self._ask is None:
                    self._end(*found)
                else:
                    await self._decide(self._ask, *found)
            return STOPPED

    async def passed(self, call: str) -> str:
        """A call has its result, or with "" the model is asked, without `hold`: what is used, if a person is to be
        asked now; without one it ends."""
        if not self._fuses:
            return ""
        async with self._one_at_a_time:
            await self._catch_up(call)
            found = None if self._is_stopped else await self._blown()
            if found is not None and self._ask is None:
                self._end(*found)
            return self._what(*found) if found is not None and self._ask is not None else ""

    def _end(self, fuse: Fuse, used: float) -> None:
        self._stopped_in = self._turn
        self.on_blown(f"{self._what(fuse, used)}.", fuse.scope)

    @property
    def _is_stopped(self) -> bool:
        return self._stopped_in == self._turn

    def _take(self) -> None:
        """Count what was told since the last time."""
        for event in self._reader.take():
            self._count.take(event)
            match event:
                case ev.TurnStarted():
                    self._turn = event.turn
                case ev.AgentLoaded() | ev.ModelNamed():
                    self._model = event.model or self._model
                case ev.ToolCalled():
                    self._known.add(event.call)
                    if not event.parent:
                        self._called.add(event.call)
                case ev.UsageReported() if not event.parent:
                    self._called.clear()
                case ev.TurnEnded():
                    self._called.clear()

    async def _catch_up(self, call: str) -> None:
        """Wait until the figures of the answer are told that makes the call: what asks us may be faster than that."""
        self._take()
        while call and (call not in self._known or call in self._called):
            try:
                async with asyncio.timeout(CATCH_UP):
                    if not await self._events.wait(self._reader.number):
                        return
            except asyncio.TimeoutError:  # an answer that came in one piece tells no figures before its end
                log.info("The figures of an answer have not come for %g s", CATCH_UP)
                return
            self._take()

    async def _blown(self) -> tuple[Fuse, float] | None:
        self._take()
        self._look_at_price()
        await self._ask_ledger()
        self._take()
        now = self._events.now()
        return blown(self._fuses, self._count.used(now), self._count.used_today(now))

    def _look_at_price(self) -> None:
        """Say so if dollars are only known at the end of each turn."""
        has_price = estimate(self._model, Usage(output_tokens=1)) is not None
        if not has_price and self._turn and any(fuse.unit == "usd" for fuse in self._fuses.values()):
            self._warn(
                f"The price of {self._model or 'this model'} is not known: its dollars count only once the "
                "engine tells them. Tokens, turns or minutes hold it sooner."
            )

    def _warn(self, text: str) -> None:
        """Tell what makes a fuse hold later than one thinks, once."""
        if text not in self._warned:
            self._warned.add(text)
            self._events.emit(ev.Noticed(self._events.now(), "fuse", text))

    async def _ask_ledger(self) -> None:
        """Learn what others have used by now."""
        if self.ledger is None:
            return
        is_new = False
        for scope, agent in (("agent_day", self._agent), ("day", "")):
            own = [fuse for fuse in self._fuses.values() if fuse.scope == scope]
            try:
                used = await in_thread(self.ledger.used_today, agent, self._events.now()) if own else NOTHING
            except OSError as error:
                why = error.strerror or str(error)
                self._warn(
                    f"What other runs have used today cannot be read ({why}): a day's fuse counts this run alone."
                )
                return
            for fuse in own:
                if used.of(fuse.unit) != fuse.others:
                    self._fuses[scope, fuse.unit] = fuse._replace(others=used.of(fuse.unit))
                    is_new = True
        if is_new:
            self._tell()

    # -- asking -------------------------------------------------------------------------------------------------------

    def _what(self, fuse: Fuse, used: float) -> str:
        whose = WHOSE[fuse.scope].format(agent=self._agent)
        return f"The fuse of {whose} is at {in_words(fuse.unit, used)} of {in_words(fuse.unit, fuse.most)}"

    async def _decide(self, ask: AskPerson, fuse: Fuse, used: float) -> None:
        """Ask what to do, and do it. What is no answer is asked again."""
        wider = fuse.beyond(used)
        until = in_words(fuse.unit, wider.most)
        extend, cheaper = f"Extend to {until}", cheaper_than(self._model) if fuse.unit == "usd" else ""
        options = [
            {"label": STOP, "description": "This turn ends here; everything that came is kept."},
            {"label": extend, "description": "It goes on, and asks again then."},
        ]
        if cheaper:
            options.append(
                {"label": f"Go on with {cheaper}", "description": f"It costs less; it asks again at {until}."}
            )
        question = {"question": f"{self._what(fuse, used)}. What now?", "header": "Fuse", "options": options}
        about = ToolQuestion(
            "AskUserQuestion",
            {"questions": [question], "kind": "fuse"},
            f"{FUSE}{uuid.uuid4().hex}",
            subagent="Maverick",
            is_asked_each_time=True,
        )
        permission = await ask(about)
        answers = (permission.arguments or {}).get("answers") or {}
        said = str(next(iter(answers.values()), extend)).strip()
        if not permission.is_granted or said == STOP:
            self._stopped_in = self._turn
            if not permission.ends_turn:  # else it is being ended already
                self.stop()
        elif said == extend:
            self._extend(wider)
        elif cheaper and said == f"Go on with {cheaper}":
            self._set_model(cheaper)
            self._extend(wider)
        elif (more := amount_in(said)) is not None:
            self._extend(fuse._replace(extended=fuse.extended + more))
        else:
            self._events.emit(ev.Noticed(self._events.now(), "fuse", f"That was no answer: {TAKES}"))

    def _extend(self, fuse: Fuse) -> None:
        self._fuses[fuse.scope, fuse.unit] = fuse
        self._tell()
