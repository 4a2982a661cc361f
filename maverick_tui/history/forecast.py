"""Forecast: what a run of an agent is likely to cost and to take, by its past ones.

`python -m` this module tells it of all agents: the application has it asked by a process that ends thereupon, for what
reads the index takes memory for as long as a process lives.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maverick_tui.agent.xray_rows import RowPart, XRayRow
from maverick_tui.journal.folders import kept_journals
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock

LEAST = 3
"""Runs that it takes to say anything."""
MOST = 50
"""The last runs that count: an agent changes."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Half of the runs have taken no more than `p50`, and nine of ten no more than `p90`."""

    runs: int
    cost_p50: float | None
    cost_p90: float | None
    """None where no run is known to have cost anything."""
    seconds_p50: float
    seconds_p90: float

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "runs": self.runs,
            "cost_usd": {"p50": self.cost_p50, "p90": self.cost_p90},
            "seconds": {"p50": self.seconds_p50, "p90": self.seconds_p90},
        }

    @property
    def row(self) -> XRayRow:
        """The same for an X-ray."""
        parts = [
            RowPart(f"{name} {f'~{dollars(cost)} in ' if cost is not None else ''}{clock(seconds)}")
            for name, cost, seconds in (
                ("half", self.cost_p50, self.seconds_p50),
                ("9 of 10", self.cost_p90, self.seconds_p90),
            )
        ]
        price = "" if self.cost_p90 is not None else ", no price is known"
        return XRayRow("forecast", (*parts, RowPart(f"at most, by its last {self.runs} runs{price}", "muted")))


def forecast(agent: str) -> Forecast | None:
    """What is to be expected of an agent; None where too few of its runs are kept. It reads the index, so it blocks."""
    return forecasts(agent).get(agent)


def forecasts(only: str = "") -> dict[str, Forecast]:
    """The same of all agents, or of only one, by their names."""
    if next(kept_journals(), None) is None:  # an index of nothing need not be made
        return {}
    from maverick_tui.history.index import RunIndex

    found: dict[str, list[tuple[float | None, float]]] = {}
    with RunIndex() as index:
        for agent, cost, seconds in index.taken(only):
            found.setdefault(agent, []).append((cost, seconds))
    told = ((agent, forecast_of(taken[:MOST])) for agent, taken in found.items())
    return {agent: one for agent, one in told if one is not None}


def forecast_of(taken: Sequence[tuple[float | None, float]]) -> Forecast | None:
    """What follows from what runs have cost and how long they took."""
    if len(taken) < LEAST:
        return None
    costs = [cost for cost, _ in taken if cost is not None]
    seconds = [seconds for _, seconds in taken]
    known = len(costs) >= LEAST
    return Forecast(
        len(taken),
        share(costs, 0.5) if known else None,
        share(costs, 0.9) if known else None,
        share(seconds, 0.5),
        share(seconds, 0.9),
    )


def share(values: Iterable[float], part: float) -> float:
    """The least of the values that so great a part of them does not exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(part * len(ordered)) - 1]


def from_json(said: Mapping[str, Any]) -> dict[str, Forecast]:
    """What `main` has said."""
    return {agent: Forecast(**values) for agent, values in said.items()}


def main() -> None:
    """Tell it of all agents, to whoever has started us."""
    json.dump({agent: asdict(one) for agent, one in forecasts().items()}, sys.stdout)


if __name__ == "__main__":
    main()
