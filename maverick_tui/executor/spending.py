"""Spending: what an execution has used of its limits, what is set aside, and what no longer fits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from maverick_tui.executor.limits import LimitError, Limits, ended_by
from maverick_tui.executor.model.pricing import Price
from maverick_tui.usage import Usage

_MILLION = 1_000_000
_ROUNDING = 1e-9
"""Dollars that the sum of many small prices may be off."""


@dataclass(slots=True)
class Spending:
    """What an execution has used; what a subagent uses counts for its caller, too."""

    limits: Limits
    above: Spending | None = None
    usage: Usage = field(default_factory=Usage)
    known_cost: float = 0.0
    is_cost_known: bool = True
    tool_calls: int = 0
    next_input: int = 0
    """What the next request will read, as far as it is known or counted."""
    held: Usage = field(default_factory=Usage)
    held_cost: float = 0.0
    """What requests in progress may use, here and below: nobody else may count on it."""
    is_limited: bool = field(init=False)
    """Whether anything here or above limits tokens or dollars; if nothing does, nothing need be computed."""
    bounds_input: bool = field(init=False)
    """Whether any limit depends on what the next request reads."""
    _passed: LimitError | None = None
    """The limit for one request that an answer has exceeded."""
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find out once what is asked before each request."""
        request = self.limits.per_request
        reading, writing = [request.max_input_tokens, request.max_cost_usd], [request.max_output_tokens]
        for at in self._levels():
            limits = at.limits
            reading += [limits.max_input_tokens, limits.max_total_tokens, limits.max_cost_usd]
            writing.append(limits.max_output_tokens)
        self.bounds_input = any(bound is not None for bound in reading)
        self.is_limited = self.bounds_input or any(bound is not None for bound in writing)

    @property
    def cost_usd(self) -> float | None:
        """What it has cost; None once something was used whose price is unknown."""
        return self.known_cost if self.is_cost_known else None

    @property
    def needs_price(self) -> bool:
        """Whether a limit here or above can only be kept if the price of a token is known."""
        return any(at.limits.needs_price for at in self._levels())

    def add(self, usage: Usage, cost: float | None, *, is_void: bool = False) -> None:
        """Count an answer; a void one costs as much, but is not part of the next request."""
        self.next_input = usage.all_input if is_void else usage.total
        self._passed = self._passed or self._passed_by(usage, cost or 0.0)
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

    # -- what is in progress------------------------------------------------------------------------------------------

    def hold(self, most: int | None, price: Price | None = None) -> Callable[[], None]:
        """Set aside what the next request may use, given its longest answer; returns a function that gives it back."""
        if not self.is_limited:
            return _nothing
        bounds = [bound for bound in (most, self.most_output(price)) if bound is not None]
        read, written = self.next_input, min(bounds, default=0)
        usage = Usage(read, written)
        cost = 0.0 if price is None else price.at_most(usage)
        self._hold(usage, cost)
        *_, top = self._levels()

        def release() -> None:
            self._hold(Usage(-read, -written), -cost)
            waiting, top._waiting = top._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

        return release

    def _hold(self, usage: Usage, cost: float) -> None:
        for at in self._levels():
            at.held += usage
            at.held_cost = at.held_cost + cost if at.held != Usage() else 0.0  # drops what rounding leaves over

    async def released(self) -> None:
        """Wait until a request for which something was set aside has ended, anywhere under the same limits."""
        *_, top = self._levels()
        one = asyncio.get_running_loop().create_future()
        top._waiting.append(one)
        await one

    # -- what is left -------------------------------------------------------------------------------------------------

    def left(self, name: str, *, beside_held: bool = True) -> int | None:
        """How much of a limit is left here and above; None if there is none. What is held may count as used."""
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

    def _money_left(self, *, beside_held: bool) -> float | None:
        limits = ((at.limits.max_cost_usd, at) for at in self._levels())
        amounts = [
            limit - at.known_cost - (at.held_cost if beside_held else 0.0) for limit, at in limits if limit is not None
        ]
        if self.limits.per_request.max_cost_usd is not None:
            amounts.append(self.limits.per_request.max_cost_usd)
        return min(amounts, default=None)

    def most_output(self, price: Price | None = None, *, beside_held: bool = True) -> int | None:
        """The longest that the next answer may be, as far as limits and prices tell."""
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
            bounds.append(int((money - price.at_most(Usage(self.next_input))) / price.output * _MILLION))
        known = [bound for bound in bounds if bound is not None]
        return min(known) if known else None

    # -- what does not fit --------------------------------------------------------------------------------------------

    def objection(self, price: Price | None = None, *, beside_held: bool = False) -> LimitError | None:
        """Why the model may not be asked again, as far as that can be known beforehand; None if it may.

        With `beside_held`, it must fit into what the requests in progress will leave in any case.
        """
        if not self.is_limited:
            return None
        coming = self.next_input
        request = self.limits.per_request.max_input_tokens
        if request is not None and coming > request:
            return _too_much("per_request.max_input_tokens", "read", coming, request, "allowed")
        for name, what, needed in (("max_input_tokens", "read", coming), ("max_total_tokens", "use", coming + 1)):
            left = self.left(name, beside_held=beside_held)
            if left is not None and (left <= 0 or needed > left):
                return _too_much(name, what, needed, max(0, left), "left")
        left = self.left("max_output_tokens", beside_held=beside_held)
        if left is not None and left <= 0:
            return ended_by("all output tokens are used", limit="max_output_tokens", needed=1)
        money = self._money_left(beside_held=beside_held)
        if price is None or money is None:
            return None
        cost, most = price.at_most(Usage(coming, 1)), self.most_output(price, beside_held=beside_held)
        if cost > money + _ROUNDING or (most is not None and most < 1):
            return self._too_dear(cost, max(0.0, money))
        return None

    def _too_dear(self, cost: float, left: float) -> LimitError:
        request = self.limits.per_request.max_cost_usd
        is_of_request = request is not None and left >= request
        limit = "per_request.max_cost_usd" if is_of_request else "max_cost_usd"
        return ended_by(
            f"the next request would cost ${cost:.6f} or more, ${left:.6f} "
            f"{'is allowed' if is_of_request else 'is left'} ({limit})",
            limit=limit,
            needed=cost,
            left=left,
        )

    def overrun(self) -> LimitError | None:
        """The limit that was exceeded all the same: an endpoint may count differently, or answer at length."""
        if not self.is_limited or self._passed is not None:
            return self._passed
        names = (("max_input_tokens", "read"), ("max_output_tokens", "written"), ("max_total_tokens", "used"))
        for name, what in names:
            limit, used = getattr(self.limits, name), self._used(name, beside_held=False)
            if limit is not None and used > limit:
                return _passed(name, f"{used:,} tokens were {what}", used, limit)
        money = self.limits.max_cost_usd
        if money is not None and self.known_cost > money + _ROUNDING:
            return _passed("max_cost_usd", f"${self.known_cost:.6f} was spent", self.known_cost, money)
        return None

    def _passed_by(self, usage: Usage, cost: float) -> LimitError | None:
        """The limit for one request that this answer has exceeded."""
        request = self.limits.per_request
        for name, what, used in (
            ("max_input_tokens", "read", usage.all_input),
            ("max_output_tokens", "wrote", usage.output_tokens),
        ):
            limit = getattr(request, name)
            if limit is not None and used > limit:
                return _passed(f"per_request.{name}", f"a request {what} {used:,} tokens", used, limit)
        if request.max_cost_usd is not None and cost > request.max_cost_usd + _ROUNDING:
            return _passed("per_request.max_cost_usd", f"a request cost ${cost:.6f}", cost, request.max_cost_usd)
        return None


def _too_much(limit: str, what: str, needed: int, left: int, how: str) -> LimitError:
    return ended_by(
        f"the next request would {what} about {needed:,} tokens, {left:,} are {how} ({limit})",
        limit=limit,
        needed=needed,
        left=left,
        hint=f"Raise {limit} by {needed - left:,} or more, or send less.",
    )


def _passed(limit: str, what: str, used: float, allowed: float) -> LimitError:
    shown = f"{allowed:,}" if isinstance(allowed, int) else f"${allowed:g}"
    return ended_by(f"{what}, {shown} allowed by {limit}", limit=limit, needed=used, left=allowed)


def _nothing() -> None:
    """Nothing was set aside, as there are no limits."""
