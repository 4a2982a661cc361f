"""Figures of a result, as the CLI adds them up out of what an endpoint has told it: that may be any number, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maverick_tui.agent.record import count_of, dollars
from maverick_tui.usage import MOST_TOKENS

_COUNTS = ("duration_ms", "duration_api_ms", "num_turns")


def with_sound_figures(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the CLI, whose figures can be added, stored and shown; a price that cannot be one is not known."""
    if message.get("type") != "result":
        return message
    usage, models = message.get("usage"), message.get("modelUsage")
    return {
        **message,
        **{name: count_of(message, name) for name in _COUNTS if name in message},
        "total_cost_usd": dollars(message.get("total_cost_usd")),
        "usage": usage if isinstance(usage, dict) else None,
        "modelUsage": _of_models(models) if isinstance(models, dict) else None,
    }


def _of_models(models: Mapping[str, Any]) -> dict[str, Any]:
    return {
        model: {name: _number(value) for name, value in figures.items()}
        for model, figures in models.items()
        if isinstance(figures, dict)
    }


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return min(value, MOST_TOKENS) if value > 0 else 0
