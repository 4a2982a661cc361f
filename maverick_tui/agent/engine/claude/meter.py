"""Meter: what each turn has used, out of the running totals that the CLI reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.engine.claude.failures import is_interruption
from maverick_tui.agent.record import at_least, reported, totals_of
from maverick_tui.usage import Usage

if TYPE_CHECKING:
    from claude_agent_sdk import ResultMessage

_LIMITS = ("contextWindow", "maxOutputTokens")


@dataclass(frozen=True, slots=True)
class Count:
    """How far a CLI has counted since its conversation began: each model's figures, and all of them together."""

    usage: Usage
    models: Mapping[str, Mapping[str, Any]]
    api_ms: int = 0


ZERO = Count(Usage(), {})


@dataclass(frozen=True, slots=True)
class MeteredResult:
    """One result: the message with this turn's figures alone, and what it was counted from."""

    own: ResultMessage
    resumed_from: Usage
    """What an earlier CLI of the same conversation had used, where this one has begun its count with that."""

    @property
    def is_estimate(self) -> bool:
        """Whether the CLI had to guess a price."""
        bases = {str(model.get("costBasis") or "list") for model in (self.own.model_usage or {}).values()}
        return self.own.total_cost_usd is None or bases - {"list"} != set()

    def usage(self, streamed: Iterable[Mapping[str, int]]) -> Usage:
        """This turn's figures, but no less than what its answers have reported themselves."""
        return at_least(totals_of(self.own), reported(streamed))


class Meter:
    """Reads the results of one run in the order they come."""

    def __init__(self, counts: Iterable[Usage] = ()) -> None:
        """`counts` are what the conversation had used already, at any time at which a CLI may have been ended."""
        self._before = ZERO
        self._earlier = [Count(used, {}) for used in counts]
        self._is_resumed = False

    def restart(self) -> None:
        """Another CLI goes on with the same conversation."""
        self._earlier, self._before, self._is_resumed = [*self._earlier, self._before], ZERO, True

    def read(self, result: ResultMessage, streamed: Iterable[Mapping[str, int]]) -> MeteredResult:
        """Take the next result; `streamed` is what the answers of its turn have reported themselves."""
        count = Count(totals_of(result), result.model_usage or {}, result.duration_api_ms)
        resumed_from = Usage()
        if self._is_resumed:
            # What it was interrupted in, the CLI does not count: there, nothing has to be left for it.
            least = Usage() if is_interruption(result.terminal_reason) else reported(streamed)
            self._before = self._begun_with(count.usage, least)
            # The time is that of the turn alone.
            self._is_resumed, resumed_from = False, replace(self._before.usage, duration_ms=0)
        before, self._before = self._before, count
        is_told = before.usage != Usage() and not before.models
        api_ms = max(0, count.api_ms - before.api_ms)
        own = replace(
            result,
            model_usage=None if result.model_usage is None else _difference(count.models, before.models),
            total_cost_usd=(count.usage - before.usage).cost_usd,
            # Of a conversation of another time it is not told how much of it was the API's.
            duration_api_ms=min(api_ms, result.duration_ms) if is_told else api_ms,
        )
        return MeteredResult(own, resumed_from)

    def _begun_with(self, totals: Usage, least: Usage) -> Count:
        """A CLI that was ended in good order counts on when it is resumed, one that was killed does not.

        It began with the most that leaves room for what the answers of this turn have reported.
        """
        fitting = [
            earlier
            for earlier in (ZERO, *self._earlier)
            if all(t - e >= n for t, e, n in zip(totals.tokens, earlier.usage.tokens, least.tokens, strict=True))
        ]
        return max(fitting, key=lambda earlier: sum(earlier.usage.tokens), default=ZERO)


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
