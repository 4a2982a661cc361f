"""Figures: what a run has used, how fast it is, and where its time went."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.usage import CHARACTERS_PER_TOKEN, SAME_PRICE, Usage

if TYPE_CHECKING:
    from maverick_tui.events.kinds import TurnEnded, UsageReported

RATE_SECONDS = 60
_MODEL_PHASES = frozenset({"sending", "thinking", "writing", "calling", "retrying"})


class Spent(NamedTuple):
    """Seconds of a run by what it was waiting for."""

    model: float = 0.0
    tools: float = 0.0
    person: float = 0.0


class Figures:
    """Counts along with the events; the figures of turns that have ended are the CLI's own, to the token."""

    def __init__(self) -> None:
        self.settled = Usage()
        self.turns = 0
        self.steps = 0
        self.is_estimate = False
        self.has_unpriced = False
        """Whether some turn came without a cost: then the sum is less than what was spent."""
        self.context_size: int | None = None
        self.context_used: int | None = 0
        """Tokens of the conversation; None where it has become another one since the last answer."""
        self.turn_began: float | None = None
        self.model_seconds = 0.0
        self.tool_seconds = 0.0
        self.person_seconds = 0.0
        self.turn_steps = 0
        """How often the model was asked in the turn that runs, or in the last one."""
        self._live: dict[str, Usage] = {}
        self._live_sum = Usage()
        """What the running turn has reported; its cost is an estimate by list price."""
        self._counted: dict[str, Usage] = {}
        """What the last turn's own figures contain already: a background task may report the same answer again."""
        self._growing = 0.0
        self._rates: deque[tuple[int, float]] = deque(maxlen=RATE_SECONDS)

    @property
    def usage(self) -> Usage:
        """Everything until now, the running turn included as far as it has been reported."""
        return self.settled + self._live_sum

    @property
    def has_live_cost(self) -> bool:
        """Whether the cost contains an estimate of what has not been billed yet."""
        return self._live_sum.cost_usd is not None

    @property
    def growing(self) -> int:
        """Tokens, by the characters that came, of the agent's own answer that it has not reported yet."""
        return round(self._growing)

    def seconds(self, now: float) -> float:
        """How long turns have taken altogether."""
        open_turn = max(0.0, now - self.turn_began) if self.turn_began is not None else 0.0
        return self.settled.duration_ms / 1000 + open_turn

    def spent_until(self, now: float, phase: str, since: float) -> Spent:
        """Where the time went, the current phase included."""
        going = max(0.0, now - since)
        return Spent(
            self.model_seconds + (going if phase in _MODEL_PHASES else 0.0),
            self.tool_seconds + (going if phase == "tool" else 0.0),
            self.person_seconds + (going if phase == "asking" else 0.0),
        )

    def rates(self, now: float, seconds: int) -> list[float]:
        """Estimated tokens of each of the last seconds, oldest first; the current second is left out."""
        counted = dict(self._rates)
        last = int(now)
        return [counted.get(second, 0.0) for second in range(last - seconds, last)]

    # -- counting -----------------------------------------------------------------------------------------------------

    def turn_started(self, at: float) -> None:
        """A turn begins to count; what background tasks reported since the last one is part of it.

        One before it that has told no end is over, too: what it has reported stays.
        """
        if self.turn_began is not None:
            self.is_estimate = self.is_estimate or self.has_live_cost
            self.settled += self._live_sum
            self._settle_live()
        self.turn_began = at
        self.turn_steps = 0

    def turn_ended(self, event: TurnEnded) -> None:
        """Its own figures count instead of what was reported while it ran.

        A turn that broke off has no bill, or one without the answer that broke: then the estimate by list price stays.
        """
        used, estimate = event.usage, self._live_sum.cost_usd
        is_cut = event.outcome != "done" and estimate is not None and estimate - (used.cost_usd or 0.0) > SAME_PRICE
        if is_cut:
            used = replace(used, cost_usd=estimate)
        self.settled += used
        self.has_unpriced = self.has_unpriced or (used.cost_usd is None and any(used.tokens))
        self.is_estimate = self.is_estimate or event.is_estimate or is_cut
        self.turns += 1
        self.steps += event.steps
        self.turn_steps = event.steps or self.turn_steps
        self.turn_began = None
        self._settle_live()

    def _settle_live(self) -> None:
        self._counted, self._live = self._live, {}
        self._live_sum = Usage()
        self._growing = 0.0

    def amount_to(self, total: Usage, turns: int) -> None:
        """Only the last turns were told here; all of them together are known to have used this."""
        self.settled = total - self._live_sum
        self.turns = turns

    def run_ended(self, at: float) -> None:
        """Nothing more comes: a turn that was never closed stops to take time."""
        if self.turn_began is not None:
            open_ms = max(0, round((at - self.turn_began) * 1000))
            self.settled = replace(self.settled, duration_ms=self.settled.duration_ms + open_ms)
            self.turn_began = None

    def reported(self, event: UsageReported) -> None:
        """One answer's figures, which replace what it said before."""
        before = self._live.get(event.message) or self._counted.get(event.message)
        usage = event.usage
        if before is None and not event.parent and self.turn_began is not None:
            self.turn_steps += 1
        self._live[event.message] = usage
        self._live_sum = self._live_sum + usage - (before or Usage())
        if not event.parent:
            self._growing = 0.0
            self.context_used = sum(usage.tokens)

    def grew(self, at: float, characters: int, *, is_own: bool) -> None:
        """Text came: it counts for the speed and, where it is the agent's own, until its tokens are reported."""
        second, tokens = int(at), characters / CHARACTERS_PER_TOKEN
        self._growing += tokens if is_own else 0.0
        if self._rates and self._rates[-1][0] == second:
            self._rates[-1] = (second, self._rates[-1][1] + tokens)
        else:
            self._rates.append((second, tokens))

    def spent(self, phase: str, seconds: float) -> None:
        """A phase is over."""
        if phase in _MODEL_PHASES:
            self.model_seconds += seconds
        elif phase == "tool":
            self.tool_seconds += seconds
        elif phase == "asking":
            self.person_seconds += seconds


def dollars(usd: float) -> str:
    """An amount as people read it: the smaller it is the more digits, and never nothing for something."""
    if 0 < usd < 0.0001:
        return "<$0.0001"
    return f"${usd:.2f}" if usd >= 0.9995 or usd == 0 else f"${usd:.3f}" if usd >= 0.01 else f"${usd:.4f}"
