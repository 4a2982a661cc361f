"""Usage: what was used, in tokens, dollars and time. It can be added and subtracted."""

from __future__ import annotations

from dataclasses import dataclass

SAME_PRICE = 0.00005
"""Dollars by which an estimate and a bill for the same tokens may differ."""
MOST_TOKENS = 10**12
"""No answer, request or conversation has as many: a larger number, from an endpoint or a program, counts nothing, and
whoever adds it up or stores it may fail.
"""
CHARACTERS_PER_TOKEN = 4
"""What a token is taken for as long as nobody has counted it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, dollars and time. What was read from or written to the cache is counted apart from the input.

    `cost_usd` is None where nobody knows it; what is not known adds nothing to what is.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    duration_ms: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            sum(costs) if costs else None,
            self.duration_ms + other.duration_ms,
        )

    def __sub__(self, other: Usage) -> Usage:
        """What is left without the other: a correction may take away more than there is, but no money comes back."""
        return Usage(
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.cache_read_tokens - other.cache_read_tokens,
            self.cache_write_tokens - other.cache_write_tokens,
            None if self.cost_usd is None else max(0.0, self.cost_usd - (other.cost_usd or 0.0)),
            self.duration_ms - other.duration_ms,
        )

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """Input, output, read from and written to the cache."""
        return self.input_tokens, self.output_tokens, self.cache_read_tokens, self.cache_write_tokens

    @property
    def all_input(self) -> int:
        """Everything that the model read, from the cache or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """Everything read and written."""
        return self.all_input + self.output_tokens


NO_USAGE = Usage()
"""Nothing was used."""
