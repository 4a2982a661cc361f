"""What tokens cost by list price, while nobody has billed them yet, and how much a model can hold."""

from __future__ import annotations

from maverick_tui.executor.model import model_id
from maverick_tui.executor.model.pricing import Price, is_read, price_of
from maverick_tui.usage import Usage


def context_size(model: str) -> int | None:
    """How much a model can hold, if it is a known one. Reads the tables, so call it in a thread."""
    price = _listed(model)
    return price.context_size if price is not None else None


def list_price(model: str, used: Usage) -> float | None:
    """What these tokens cost, if the model is a known one. Reads the tables, so call it in a thread."""
    price = _listed(model)
    return price.of(used) if price is not None else None


def _listed(model: str) -> Price | None:
    # The tables know no others, and take a while to read.
    return price_of(model) if "claude" in model_id(model) else None


def estimate(model: str, used: Usage) -> float | None:
    """What an answer costs that has used these tokens; None while no price is known."""
    price = price_of(model) if model and is_read() else None
    return None if price is None else price.of(used)


_CHEAPER = ("opus", "sonnet", "haiku")
"""Families of models, from dear to cheap."""


def cheaper_than(model: str) -> str:
    """The next model of the same maker that costs less; empty where there is none, or no price is known."""
    price = price_of(model) if model and is_read() else None
    family = next((place for place, name in enumerate(_CHEAPER) if name in model), None)
    if price is None or family is None:
        return ""
    for name in _CHEAPER[family + 1 :]:
        other = price_of(model_id(name))
        if other is not None and other.output < price.output:
            return model_id(name)
    return ""
