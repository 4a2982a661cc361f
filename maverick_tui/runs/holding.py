"""Holding: ends a run that takes more than it was given, all its turns together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maverick_tui.events import kinds as ev
from maverick_tui.runs.figures import Figures, dollars


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a whole run may take at most, whatever its agent makes of it; None is no limit."""

    turns: int | None = None
    """How often the model may be asked."""
    cost_usd: float | None = None
    seconds: float | None = None

    @property
    def named(self) -> frozenset[str]:
        """Those of an agent's limits that are among them."""
        given = {"turns": self.turns, "cost": self.cost_usd}
        return frozenset(name for name, most in given.items() if most is not None)


class Holding:
    """Counts along with the events of a run, and has it stopped, with the reason, once a limit is reached."""

    def __init__(self, limits: RunLimits, stop: Callable[[str], None]) -> None:
        self.figures = Figures()
        self._limits = limits
        self._stop = stop

    def take(self, event: ev.Event) -> None:
        """The next event."""
        match event:
            case ev.TurnStarted():
                self.figures.turn_started(event.at)
            case ev.UsageReported():
                self.figures.reported(event)
                self._hold_to_cost()
            case ev.RequestStarted():
                self._hold_to_turns()
            case ev.TurnEnded():
                self.figures.turn_ended(event)
                self._hold_to_cost()
            case ev.RunEnded():
                self.figures.run_ended(event.at)

    def _hold_to_cost(self) -> None:
        most, cost = self._limits.cost_usd, self.figures.usage.cost_usd
        if most is not None and cost is not None and cost > most:
            self._stop(f"It has cost {dollars(cost)}, and it was given {dollars(most)}.")

    def _hold_to_turns(self) -> None:
        """An agent that asks several times has the limit once, for all of it."""
        is_open = self.figures.turn_began is not None
        asked = self.figures.steps + (self.figures.turn_steps if is_open else 0)
        if self._limits.turns is not None and asked >= self._limits.turns:
            self._stop(f"It has asked the model {asked} times, as often as it was allowed to.")
