"""What models cost at list price: estimates, as good as the tables of the `genai-prices` package."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from functools import cache
from typing import Any

from maverick_tui.executor.model import model_id
from maverick_tui.usage import Usage

_PROBE = 1_000
_MILLION = 1_000_000


class Price:
    """The price of one model; `output` is the least that a million tokens of an answer cost."""

    def __init__(self, prices: Any, context_size: int | None) -> None:
        self._prices = prices
        self.context_size = context_size
        # Asking the package takes as long as the rest of a turn, so it is asked for the rates only once. Where many
        # tokens cost more than a few, it is asked each time beyond the first of those bounds.
        tiers = [tier.start for price in vars(prices).values() for tier in getattr(price, "tiers", ())]
        self._bound = min(tiers, default=sys.maxsize)
        probe = min(_PROBE, self._bound)
        self._fixed = self._cost(0, 0, 0, 0)
        self._plain = (self._cost(probe, 0, 0, 0) - self._fixed) / probe
        self._written = (self._cost(0, probe, 0, 0) - self._fixed) / probe
        self._from_cache = (self._cost(probe, 0, probe, 0) - self._fixed) / probe
        self._to_cache = (self._cost(probe, 0, 0, probe) - self._fixed) / probe
        self.output = self._written * _MILLION

    def of(self, usage: Usage) -> float:
        """What these tokens cost, in dollars."""
        if usage.all_input > self._bound:
            return self._cost(usage.all_input, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        return (
            self._fixed
            + usage.input_tokens * self._plain
            + usage.output_tokens * self._written
            + usage.cache_read_tokens * self._from_cache
            + usage.cache_write_tokens * self._to_cache
        )

    def at_most(self, usage: Usage) -> float:
        """What these tokens cost if nothing is read from the cache: plain, or written to it, whichever costs more."""
        written = Usage(output_tokens=usage.output_tokens, cache_write_tokens=usage.all_input)
        return max(self.of(Usage(usage.all_input, usage.output_tokens)), self.of(written))

    def _cost(self, read: int, written: int, from_cache: int, to_cache: int) -> float:
        from genai_prices import Usage as Tokens

        tokens = Tokens(
            input_tokens=read, output_tokens=written, cache_read_tokens=from_cache, cache_write_tokens=to_cache
        )
        return float(self._prices.calc_price(tokens)["total_price"])


def is_read() -> bool:
    """Whether the tables have been read, so that `price_of` returns at once."""
    return price_of.cache_info().currsize > 0


@cache
def price_of(model: str) -> Price | None:
    """The list price of a model; None for an unknown one. The first call reads the tables: a third of a second."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model_id(model), None, "anthropic", None)
        prices = found.get_prices(datetime.now(UTC))
    except LookupError:
        return None
    return Price(prices, found.context_window)
