"""What tokens cost by list price, while nobody has billed them yet, and how much a model can hold."""

from __future__ import annotations

from maverick_tui.executor.model.pricing import is_read, price_of
from maverick_tui.usage import Usage


def context_size(model: str) -> int | None:
    """How much a model can hold, if it is a known one. Reads the tables, so call it in a thread."""
    price = price_of(model)
    return price.context_size if price is not None else None


def estimate(model: str, used: Usage) -> float | None:
    """What an answer costs that has used these tokens; None while no price is known."""
    price = price_of(model) if model and is_read() else None
    return None if price is None else price.of(used)
