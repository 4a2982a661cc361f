"""What runs have used altogether: by day, by agent and by model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace
from datetime import date
from typing import Any

_TOKENS = "input_tokens + output_tokens + cache_read_tokens + cache_write_tokens"
_ANSWERED_BY = "coalesce(nullif({turns}, ''), runs.model)"
"""The model that has answered a turn: a run may change it."""
OF_DAYS = (
    "WITH spent AS ("
    # A turn of a session that Claude Code has copied to go on from there is in both, and was paid for once.
    "SELECT min(run) AS run, max(model) AS by, started_at AS at, max(coalesce(cost_usd, 0)) AS cost,"
    " max(tokens) AS tokens FROM turns"
    " WHERE run IN ({runs}) GROUP BY started_at, CASE request WHEN '' THEN run || ' ' || number ELSE request END"
    " UNION ALL SELECT run, '', started_at, 0, 0 FROM turns WHERE run IN ({runs})"
    # What no turn that has ended tells of, such as the open one, counts for the day on which something was last heard.
    " UNION ALL SELECT run, '', last_at, max(0, coalesce(cost_usd, 0) - (SELECT total(cost_usd) FROM turns"
    f" WHERE turns.run = runs.run)), max(0, {_TOKENS} - (SELECT total(tokens) FROM turns WHERE turns.run = runs.run))"
    " FROM runs WHERE run IN ({runs}))"
    f" SELECT date(at, 'unixepoch', 'localtime'), agent, {_ANSWERED_BY.format(turns='spent.by')}, sum(cost),"
    # Each run once a day, with whichever model it has now.
    " sum(tokens), count(DISTINCT CASE spent.by WHEN '' THEN run END), max(is_estimate AND cost > 0)"
    " FROM spent JOIN runs USING (run) WHERE at >= ? GROUP BY 1, 2, 3"
)
"""Asks for day, agent, model, dollars, tokens, runs, and whether dollars are an estimate."""
OF_RUNS = "SELECT agent, count(*) FROM runs WHERE run IN ({runs}) GROUP BY 1"
"""Asks how many runs there are of each agent: one of several days is one run."""
OF_MODELS = (
    f"SELECT {_ANSWERED_BY.format(turns='turns.model')}, count(DISTINCT run)"
    " FROM runs LEFT JOIN turns USING (run) WHERE run IN ({runs}) GROUP BY 1"
)
"""Asks in how many runs each model has answered."""


@dataclass(slots=True)
class Figures:
    """What can be added up."""

    cost_usd: float = 0.0
    tokens: int = 0
    runs: int = 0
    is_estimate: bool = False
    """Whether that holds for some of the dollars."""

    def add(self, cost_usd: float = 0.0, tokens: int = 0, runs: int = 0, is_estimate: bool = False) -> None:
        """Take more in."""
        self.cost_usd += cost_usd
        self.tokens += tokens
        self.runs += runs
        self.is_estimate = self.is_estimate or is_estimate

    @classmethod
    def sum_of(cls, parts: Iterable[Figures]) -> Figures:
        """All of these together."""
        whole = cls()
        for part in parts:
            whole.add(*astuple(part))
        return whole


@dataclass(slots=True)
class Totals:
    """The sum, and its parts."""

    whole: Figures = field(default_factory=Figures)
    days: dict[date, Figures] = field(default_factory=dict)
    agents: dict[str, Figures] = field(default_factory=dict)
    models: dict[str, Figures] = field(default_factory=dict)
    unread: int = 0
    """Sessions of Claude Code that are not read yet: what they have used is missing."""

    @classmethod
    def of(
        cls, by_day: Iterable[tuple[Any, ...]], by_run: Iterable[tuple[str, int]], by_model: Iterable[tuple[str, int]]
    ) -> Totals:
        """Add up what `OF_DAYS`, `OF_RUNS` and `OF_MODELS` have found."""
        totals = cls()
        for day, agent, model, cost, tokens, runs, is_estimate in by_day:
            spent = Figures(float(cost), int(tokens), 0, bool(is_estimate))
            if day is not None:  # a time that no calendar has counts, but on no day
                totals.days.setdefault(date.fromisoformat(day), Figures()).add(*astuple(replace(spent, runs=runs)))
            for figures in (totals.whole, totals._of_agent(agent)):
                figures.add(*astuple(spent))
            if cost or tokens:  # else it may be one that has answered nothing yet
                totals._of_model(model).add(*astuple(spent))
        for agent, runs in by_run:
            for figures in (totals.whole, totals._of_agent(agent)):
                figures.add(runs=runs)
        for model, runs in by_model:
            totals._of_model(model).add(runs=runs)
        return totals

    def _of_agent(self, agent: str) -> Figures:
        return self.agents.setdefault(agent, Figures())

    def _of_model(self, model: str) -> Figures:
        return self.models.setdefault(model, Figures())
