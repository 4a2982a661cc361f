"""Limits: what one execution may use at most, and what it has used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
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
    """What an execution may use; None is no limit. `per_request` holds for each call of the model alone.

    Tokens, dollars, tool calls and time are those of its subagents, too; turns are its own, and `per_request` is for
    its own calls: a subagent has such limits in its own definition.
    """

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
    held: Usage = field(default_factory=Usage)
    held_cost: float = 0.0
    """What requests that are under way may use, here and below: nobody else may count on it."""
    is_limited: bool = field(init=False)
    """Whether anything here or above bounds tokens or dollars; if nothing does, nothing need be reckoned."""
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look once for what is asked before each request."""
        request = self.limits.per_request
        bounds = [request.max_input_tokens, request.max_output_tokens, request.max_cost_usd]
        for at in self._levels():
            limits = at.limits
            bounds += [limits.max_input_tokens, limits.max_output_tokens, limits.max_total_tokens, limits.max_cost_usd]
        self.is_limited = any(bound is not None for bound in bounds)

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

    def hold(self, most: int | None, price: Price | None = None) -> Callable[[], None]:
        """Set aside what the next request may use, its answer being so long at most; returns what gives it free."""
        if not self.is_limited:
            return _nothing
        bounds = [bound for bound in (most, self.most_output(price)) if bound is not None]
        read, written = self.next_input, min(bounds, default=0)
        usage = Usage(cache_read_tokens=read, output_tokens=written)
        cost = price.of(usage) if price is not None else 0.0
        self._hold(usage, cost)
        *_, top = self._levels()

        def release() -> None:
            self._hold(Usage(cache_read_tokens=-read, output_tokens=-written), -cost)
            waiting, top._waiting = top._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

        return release

    def _hold(self, usage: Usage, cost: float) -> None:
        for at in self._levels():
            at.held += usage
            at.held_cost = at.held_cost + cost if at.held != Usage() else 0.0  # without the rest that rounding leaves

    async def released(self) -> None:
        """Wait until a request has ended that something was set aside for, anywhere under the same limits."""
        *_, top = self._levels()
        one = asyncio.get_running_loop().create_future()
        top._waiting.append(one)
        await one

    def left(self, name: str, *, beside_held: bool = True) -> int | None:
        """How much of a limit is left here and above; None if there is none. What is held counts as used, or not."""
        limits = ((getattr(at.limits, name), at) for at in self._levels())
        amounts = (limit - at._used(name, beside_held=beside_held) for limit, at in limits if limit is not None)
        return min(amounts, default=None)

    def _used(self, name: str, *, beside_held: bool) -> int:
        usage = self.usage + self.held if beside_held else self.usage
        return {
            "max_tool_calls": self.tool_calls,
            "max_input_tokens": usage.all_input,
            "max_output_tokens": usage.output_tokens,
            "max_total_tokens": usage.total,
        }[name]

    def most_output(self, price: Price | None = None, *, beside_held: bool = True) -> int | None:
        """The most that the next answer may be, as far as limits and prices tell."""
        if not self.is_limited:
            return None
        bounds = [
            self.limits.per_request.max_output_tokens,
            self.left("max_output_tokens", beside_held=beside_held),
        ]
        if (total := self.left("max_total_tokens", beside_held=beside_held)) is not None:
            bounds.append(total - self.next_input)
        money = self._money_left(beside_held=beside_held)
        if price is not None and price.output > 0 and money is not None:
            bounds.append(int((money - self._least_cost(price)) / price.output * _MILLION))
        known = [bound for bound in bounds if bound is not None]
        return min(known) if known else None

    def objection(self, price: Price | None = None, *, beside_held: bool = False) -> str:
        """Why the model may not be asked once more, as far as that can be known before; empty if it may.

        `beside_held` if it is to do with what the requests that are under way will leave in any case.
        """
        if not self.is_limited:
            return ""
        coming = self.next_input
        request = self.limits.per_request.max_input_tokens
        if request is not None and coming > request:
            return f"the next request would read {coming:,} tokens or more, {request:,} are allowed"
        for name, what in (("max_input_tokens", "read"), ("max_total_tokens", "use")):
            left = self.left(name, beside_held=beside_held)
            if left is not None and (left <= 0 or coming >= left):
                return f"the next request would {what} {coming:,} tokens or more, {max(0, left):,} are left"
        left = self.left("max_output_tokens", beside_held=beside_held)
        if left is not None and left <= 0:
            return "all output tokens are used"
        money = self._money_left(beside_held=beside_held)
        most = self.most_output(price, beside_held=beside_held)
        if money is not None and (money <= 0 or (most is not None and most < 1)):
            return f"${max(0.0, money):.4f} are left, which the next request would not do with"
        return ""

    def _least_cost(self, price: Price) -> float:
        """What the next request costs at least: as if all that it reads came from the cache."""
        return price.of(Usage(cache_read_tokens=self.next_input))

    def _money_left(self, *, beside_held: bool) -> float | None:
        limits = ((at.limits.max_cost_usd, at) for at in self._levels())
        amounts = [
            limit - at.known_cost - (at.held_cost if beside_held else 0.0) for limit, at in limits if limit is not None
        ]
        if self.limits.per_request.max_cost_usd is not None:
            amounts.append(self.limits.per_request.max_cost_usd)
        return min(amounts, default=None)


def _nothing() -> None:
    """Nothing is set aside where there are no limits."""
