"""Meter: what each turn has used, out of the running totals that the CLI reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maverick_tui.events.kinds import Usage

if TYPE_CHECKING:
    from claude_agent_sdk import ResultMessage

    from maverick_tui.agent.result import AgentUsage

_LIMITS = ("contextWindow", "maxOutputTokens")
_STREAMED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_TOTALS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")


@dataclass(frozen=True, slots=True)
class Totals:
    """What a CLI says to have used since its conversation began."""

    models: Mapping[str, Mapping[str, Any]]
    cost: float = 0.0
    api_ms: int = 0

    @property
    def tokens(self) -> tuple[int, ...]:
        """Input, output, read from and written to the cache, of all models."""
        return tuple(sum(int(model.get(name) or 0) for model in self.models.values()) for name in _TOTALS)


ZERO = Totals({})


@dataclass(frozen=True, slots=True)
class Reading:
    """One result: the message with this turn's figures alone, and what it was counted from."""

    own: ResultMessage
    resumed_from: Totals
    """What an earlier CLI of the same conversation had used, where this one has begun its count with that."""

    @property
    def is_estimate(self) -> bool:
        """Whether the CLI had to guess a price."""
        bases = {str(model.get("costBasis") or "list") for model in (self.own.model_usage or {}).values()}
        return self.own.total_cost_usd is None or bases - {"list"} != set()

    def usage(self, streamed: Iterable[Mapping[str, int]], duration_ms: int) -> Usage:
        """This turn's figures, but no less than what its answers have reported themselves."""
        tokens = Totals(self.own.model_usage or {}).tokens
        fresh, output, cache_read, cache_write = map(max, tokens, _sum(streamed))
        return Usage(fresh, output, cache_read, cache_write, self.own.total_cost_usd, max(0, duration_ms))


class Meter:
    """Reads the results of one run in the order they come."""

    def __init__(self) -> None:
        self._before = ZERO
        self._earlier: list[Totals] = []
        self._is_resumed = False

    def restart(self, *, resumed: bool) -> None:
        """Another CLI goes on: with the same conversation, or with a new one."""
        self._earlier = [*self._earlier, self._before] if resumed else []
        self._before, self._is_resumed = ZERO, resumed

    def read(self, result: ResultMessage, streamed: Iterable[Mapping[str, int]]) -> Reading:
        """Take the next result; `streamed` is what the answers of its turn have reported themselves."""
        totals = Totals(result.model_usage or {}, result.total_cost_usd or 0.0, result.duration_api_ms)
        resumed_from = ZERO
        if self._is_resumed:
            self._before = resumed_from = self._begun_with(totals, streamed)
            self._is_resumed = False
        before, self._before = self._before, totals
        own = replace(
            result,
            model_usage=None if result.model_usage is None else _difference(totals.models, before.models),
            total_cost_usd=None if result.total_cost_usd is None else max(0.0, totals.cost - before.cost),
            duration_api_ms=max(0, totals.api_ms - before.api_ms),
        )
        return Reading(own, resumed_from)

    def _begun_with(self, totals: Totals, streamed: Iterable[Mapping[str, int]]) -> Totals:
        """A CLI that was ended in good order counts on when it is resumed, one that was killed does not.

        It began with the most that leaves room for what the answers of this turn have reported.
        """
        least = _sum(streamed)
        fitting = [
            earlier
            for earlier in (ZERO, *self._earlier)
            if all(t - e >= n for t, e, n in zip(totals.tokens, earlier.tokens, least, strict=True))
        ]
        return max(fitting, key=lambda earlier: sum(earlier.tokens), default=ZERO)


def _sum(streamed: Iterable[Mapping[str, int]]) -> tuple[int, ...]:
    reports = list(streamed)
    return tuple(sum(report.get(name, 0) for report in reports) for name in _STREAMED)


def _difference(now: Mapping[str, Mapping[str, Any]], before: Mapping[str, Mapping[str, Any]]) -> Any:
    return {
        name: {
            key: max(0, value - (before.get(name, {}).get(key) or 0))
            if key not in _LIMITS and isinstance(value, int | float)
            else value
            for key, value in model.items()
        }
        for name, model in now.items()
    }


def usage_of(usage: AgentUsage, resumed_from: Totals | None = None) -> Usage:
    """The figures of `AgentUsage`, without what an earlier CLI had used."""
    earlier = resumed_from or ZERO
    fresh, output, cache_read, cache_write = earlier.tokens
    cost = usage.total_cost_usd
    return Usage(
        input_tokens=usage.input_tokens - fresh,
        output_tokens=usage.output_tokens - output,
        cache_read_tokens=usage.cache_read_tokens - cache_read,
        cache_write_tokens=usage.cache_write_tokens - cache_write,
        cost_usd=None if cost is None else max(0.0, cost - earlier.cost),
        duration_ms=usage.duration_ms,
    )


def added(one: Usage, other: Usage) -> Usage:
    """Both together, in the time of the first."""
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cache_read_tokens + other.cache_read_tokens,
        one.cache_write_tokens + other.cache_write_tokens,
        sum(costs) if costs else None,
        one.duration_ms,
    )
