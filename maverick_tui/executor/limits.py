"""Limits: what one execution may use at most, and what it has used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from maverick_tui.executor.messages import Usage
from maverick_tui.executor.pricing import Price

Count: TypeAlias = Annotated[int, Field(gt=0)]
Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]

DEFAULT_MAX_TURNS = 50
_MILLION = 1_000_000


class RequestLimits(BaseModel):
    """What one call of the model may use; None is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timeout_ms: Amount | None = None
    max_input_tokens: Count | None = None
    max_output_tokens: Count | None = None
    max_cost_usd: Amount | None = None


class Limits(BaseModel):
    """What an execution may use, subagents included; None is no limit. `per_request` holds for each call alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_turns: Count | None = DEFAULT_MAX_TURNS
    timeout_ms: Amount | None = None
    max_tool_calls: Annotated[int, Field(ge=0)] | None = None
    max_input_tokens: Count | None = None
    max_output_tokens: Count | None = None
    max_total_tokens: Count | None = None
    max_cost_usd: Amount | None = None
    per_request: RequestLimits = RequestLimits()

    @property
    def needs_price(self) -> bool:
        """Whether it cannot be kept without knowing what a token costs."""
        return self.max_cost_usd is not None or self.per_request.max_cost_usd is not None


@dataclass(slots=True)
class Spending:
    """What an execution has used; a subagent's counts for the one above it, too."""

    limits: Limits
    above: Spending | None = None
    usage: Usage = field(default_factory=Usage)
    known_cost: float = 0.0
    is_cost_known: bool = True
    tool_calls: int = 0
    next_input: int = 0
    """The least that the next request will read: what the last one did, and what was answered."""

    @property
    def cost_usd(self) -> float | None:
        """What it has cost; None once something was used whose price is not known."""
        return self.known_cost if self.is_cost_known else None

    @property
    def needs_price(self) -> bool:
        """Whether a limit here or above cannot be kept without knowing what a token costs."""
        return any(at.limits.needs_price for at in self._levels())

    def add(self, usage: Usage, cost: float | None, *, is_void: bool = False) -> None:
        """Count an answer; a void one has cost as much, but is not part of the next request."""
        self.next_input = usage.all_input if is_void else usage.total
        for at in self._levels():
            at.usage += usage
            at.known_cost += cost or 0.0
            at.is_cost_known = at.is_cost_known and cost is not None

    def count_tool_call(self) -> bool:
        """Count a tool call, if there may be one more."""
        if (left := self.left("max_tool_calls")) is not None and left <= 0:
            return False
        for at in self._levels():
            at.tool_calls += 1
        return True

    def _levels(self) -> Iterator[Spending]:
        at: Spending | None = self
        while at is not None:
            yield at
            at = at.above

    def left(self, name: str) -> int | None:
        """How much of a limit is left here and above; None if there is none."""
        limits = ((getattr(at.limits, name), at) for at in self._levels())
        return min((limit - at._used(name) for limit, at in limits if limit is not None), default=None)

    def _used(self, name: str) -> int:
        return {
            "max_tool_calls": self.tool_calls,
            "max_input_tokens": self.usage.all_input,
            "max_output_tokens": self.usage.output_tokens,
            "max_total_tokens": self.usage.total,
        }[name]

    def most_output(self, price: Price | None = None) -> int | None:
        """The most that the next answer may be, as far as limits and prices tell."""
        bounds = [self.limits.per_request.max_output_tokens, self.left("max_output_tokens")]
        if (total := self.left("max_total_tokens")) is not None:
            bounds.append(total - self.next_input)
        if price is not None and price.output > 0 and (money := self._money_left()) is not None:
            bounds.append(int((money - self._least_cost(price)) / price.output * _MILLION))
        known = [bound for bound in bounds if bound is not None]
        return min(known) if known else None

    def objection(self, price: Price | None = None) -> str:
        """Why the model may not be asked once more, as far as that can be known before; empty if it may."""
        coming = self.next_input
        request = self.limits.per_request.max_input_tokens
        if request is not None and coming > request:
            return f"the next request would read {coming:,} tokens or more, {request:,} are allowed"
        for name, what in (("max_input_tokens", "read"), ("max_total_tokens", "use")):
            left = self.left(name)
            if left is not None and (left <= 0 or coming >= left):
                return f"the next request would {what} {coming:,} tokens or more, {max(0, left):,} are left"
        if (left := self.left("max_output_tokens")) is not None and left <= 0:
            return "all output tokens are used"
        money = self._money_left()
        most = self.most_output(price)
        if money is not None and (money <= 0 or (most is not None and most < 1)):
            return f"${max(0.0, money):.4f} are left, which the next request would not do with"
        return ""

    def _least_cost(self, price: Price) -> float:
        """What the next request costs at least: as if all that it reads came from the cache."""
        return price.of(Usage(cache_read_tokens=self.next_input))

    def _money_left(self) -> float | None:
        limits = ((at.limits.max_cost_usd, at) for at in self._levels())
        amounts = [limit - at.known_cost for limit, at in limits if limit is not None]
        if self.limits.per_request.max_cost_usd is not None:
            amounts.append(self.limits.per_request.max_cost_usd)
        return min(amounts, default=None)
