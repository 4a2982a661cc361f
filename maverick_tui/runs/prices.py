"""What the tokens of a run cost by list price, while it runs and nobody has billed them yet."""

from __future__ import annotations

from collections.abc import Mapping

from maverick_tui.executor.model.messages import Usage
from maverick_tui.executor.model.pricing import is_read, price_of


def context_size(model: str) -> int | None:
    """How much a model can hold, if it is a known one. Reads the tables, so call it in a thread."""
    price = price_of(model)
    return price.context_size if price is not None else None


def estimate(model: str, counts: Mapping[str, int]) -> float | None:
    """What an answer costs that has reported these counts; None while no price is known."""
    price = price_of(model) if model and is_read() else None
    if price is None:
        return None
    return price.of(
        Usage(
            input_tokens=counts.get("input_tokens", 0),
            output_tokens=counts.get("output_tokens", 0),
            cache_read_tokens=counts.get("cache_read_input_tokens", 0),
            cache_write_tokens=counts.get("cache_creation_input_tokens", 0),
        )
    )
