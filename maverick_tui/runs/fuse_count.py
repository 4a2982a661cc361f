"""FuseCount: what a run has used as its fuses count it. Plain: it follows from the events alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.runs.moments import local_time
from maverick_tui.runs.open_calls import OpenCalls
from maverick_tui.usage import CHARACTERS_PER_TOKEN, Usage


@dataclass(frozen=True, slots=True)
class Used:
    """An amount of each unit."""

    usd: float = 0.0
    tokens: float = 0.0
    turns: float = 0.0
    minutes: float = 0.0

    def __add__(self, other: Used) -> Used:
        """Both together."""
        return Used(
            self.usd + other.usd,
            self.tokens + other.tokens,
            self.turns + other.turns,
            self.minutes + other.minutes,
        )

    def __sub__(self, other: Used) -> Used:
        """What has been used since then."""
        return Used(
            max(0.0, self.usd - other.usd),
            max(0.0, self.tokens - other.tokens),
            max(0.0, self.turns - other.turns),
            max(0.0, self.minutes - other.minutes),
        )

    def of(self, unit: str) -> float:
        """So much of one unit."""
        return float(getattr(self, unit))


NOTHING = Used()


class FuseCount:
    """Takes the events of a run, in their order.

    Of what a turn's answers have reported and what the engine says of the whole turn, the higher counts: a fuse that
    holds a little early costs a question, one that holds late costs money. `price` says what tokens that are just being
    written cost. Time in which nothing but a person is waited for is nobody's, and so is that between turns.
    """

    def __init__(self, price: Callable[[str, Usage], float | None] = lambda _model, _usage: None) -> None:
        self._price = price
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._model = ""
        self._settled = NOTHING
        self._live: dict[str, Usage] = {}
        self._own: set[str] = set()
        """The answers of the running turn that are the agent's own."""
        self._counted: dict[str, Usage] = {}
        """What the last turn's figures contain: a background task may report the same answer again."""
        self._growing = 0
        """Characters of answers that were not reported yet."""
        self._calls = OpenCalls()
        self._is_in_turn = False
        self._working_since: float | None = None
        self._minutes = 0.0
        self._day: date | None = None
        self._before_today = NOTHING

    def used(self, now: float) -> Used:
        """All until now."""
        live = sum((usage - self._counted.get(message, Usage()) for message, usage in self._live.items()), Usage())
        growing = Usage(output_tokens=self._growing // CHARACTERS_PER_TOKEN)
        if growing.output_tokens:
            growing = replace(growing, cost_usd=self._price(self._model, growing))
        open_minutes = max(0.0, now - self._working_since) / 60 if self._working_since is not None else 0.0
        return replace(
            self._settled + _used(live + growing, len(self._own)),
            minutes=self._minutes + open_minutes,
        )

    def used_today(self, now: float) -> Used:
        """All since the last midnight."""
        self._look_at_day(now)
        return self.used(now) - self._before_today

    def take(self, event: Event) -> None:
        """The next event."""
        if isinstance(event, ev.BlockGrew):
            self._growing += len(event.text)
            return
        self._look_at_day(event.at)
        match event:
            case ev.RunForked():
                self._begin_anew()  # what it has of another run is counted there
                self._model = event.model
            case ev.AgentLoaded() | ev.ModelNamed():
                self._model = event.model or self._model
            case ev.TurnStarted():
                if self._is_in_turn:  # the one before has told no end
                    self._settle(Usage(), 0, event.at)
                self._is_in_turn = True
            case ev.UsageReported():
                self._live[event.message] = event.usage
                self._growing = 0
                if not event.parent and event.message not in self._counted:
                    self._own.add(event.message)
            case ev.TurnEnded():
                self._settle(event.usage, event.steps, event.at)
            case ev.RunEnded():
                self._is_in_turn = False
        self._calls.take(event)
        self._count_time(event.at)

    def _settle(self, bill: Usage, steps: int, at: float) -> None:
        reported = self.used(at) - self._settled
        billed = _used(bill, steps)
        self._settled += Used(
            max(billed.usd, reported.usd), max(billed.tokens, reported.tokens), max(billed.turns, reported.turns)
        )
        self._counted, self._live, self._own, self._growing = self._live, {}, set(), 0
        self._is_in_turn = False

    def _count_time(self, at: float) -> None:
        is_working = self._is_in_turn and not self._calls.only_wait
        if self._working_since is not None:
            self._minutes += max(0.0, at - self._working_since) / 60
        self._working_since = at if is_working else None

    def _look_at_day(self, at: float) -> None:
        day = day_of(at)
        if day != self._day:
            self._before_today = self.used(at) if self._day is not None else NOTHING
            self._day = day


def day_of(at: float) -> date | None:
    """The day of a moment here; None if no calendar has it."""
    moment = local_time(at)
    return moment.date() if moment is not None else None


def _used(usage: Usage, turns: int) -> Used:
    return Used(usage.cost_usd or 0.0, usage.total, turns)
