"""What a run has used, counted from the lines of its journal as the screen counts it from events."""

from __future__ import annotations

from dataclasses import asdict, astuple, replace
from typing import Any

from maverick_tui.events.typed import number, whole
from maverick_tui.runs.unreported import Written
from maverick_tui.usage import SAME_PRICE, Usage

_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "duration_ms")


class Spending:
    """Turns that have ended count by their own figures, an open one by what its answers have reported."""

    def __init__(self) -> None:
        self.is_estimate = False
        self.written = Written()
        """What the open turn has written and not reported: it counts once nothing more can come."""
        self._is_in_turn = False
        self._settled = Usage()
        self._live: dict[str, Usage] = {}
        self._counted: dict[str, Usage] = {}
        """What the last turn's figures contain: a background task may report the same answer again."""

    @property
    def _open(self) -> Usage:
        sum_of = Usage()
        for message, usage in self._live.items():
            sum_of += usage - self._counted.get(message, Usage())
        return sum_of

    @property
    def usage(self) -> Usage:
        """Everything until now."""
        return self._settled + self._open

    @property
    def has_estimate(self) -> bool:
        """Whether some of it is an estimate: for what an open turn reports there is no bill yet, and may never be."""
        return self.is_estimate or bool(self._open.cost_usd)

    def turn_started(self) -> None:
        """One before it that has told no end is over, too: what it has reported stays."""
        if self._is_in_turn:
            self._settle(self._open, is_estimate=bool(self._open.cost_usd))
        self._is_in_turn = True
        self.written.begin_turn()

    def reported(self, data: dict[str, Any]) -> None:
        """One answer's figures, which replace what it said before."""
        message, usage = data["message"], _usage(data)
        if not data.get("parent"):
            self.written.reported(message, is_news=self._live.get(message) != usage)
        self._live[message] = usage

    def turn_ended(self, data: dict[str, Any]) -> tuple[Usage, bool]:
        """What the turn has used, and whether its price is an estimate: the one by list prices, if there is no bill."""
        used, estimate = _usage(data["usage"]), self._open.cost_usd
        is_cut = data["outcome"] != "done" and estimate is not None and estimate - (used.cost_usd or 0.0) > SAME_PRICE
        if is_cut:
            used = replace(used, cost_usd=estimate)
        is_estimate = bool(data.get("is_estimate")) or is_cut
        self._settle(used, is_estimate=is_estimate)
        self._is_in_turn = False
        self.written.begin_turn()
        return used, is_estimate

    def _settle(self, used: Usage, *, is_estimate: bool) -> None:
        self.is_estimate = self.is_estimate or is_estimate
        self._settled += used
        self._counted, self._live = self._live, {}

    def to_json(self) -> dict[str, Any]:
        """To go on with later."""
        return {
            "is_estimate": self.is_estimate,
            "in_turn": self._is_in_turn,
            "written": asdict(self.written),
            "settled": astuple(self._settled),
            "live": {message: astuple(usage) for message, usage in self._live.items()},
            "counted": {message: astuple(usage) for message, usage in self._counted.items()},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any] | None) -> Spending:
        """Go on with what was counted."""
        spending = cls()
        if data is not None:
            spending.is_estimate, spending._settled = data["is_estimate"], Usage(*data["settled"])
            spending._is_in_turn, spending.written = data["in_turn"], Written(**data["written"])
            spending._live = {message: Usage(*values) for message, values in data["live"].items()}
            spending._counted = {message: Usage(*values) for message, values in data["counted"].items()}
        return spending


def _usage(data: dict[str, Any]) -> Usage:
    """ValueError for figures that nobody who reads the run takes, either: they could not be added."""
    counts = {name: whole(data.get(name) or 0) for name in _COUNTS}
    cost = data.get("cost_usd")
    return Usage(**counts, cost_usd=None if cost is None else float(number(cost)))
