"""What fuses count, and how their amounts are written: by settings, agents and command lines alike."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, TypeGuard

FuseUnit = Literal["usd", "tokens", "turns", "minutes"]
FuseScope = Literal["run", "agent_day", "day"]

UNITS: tuple[FuseUnit, ...] = ("usd", "tokens", "turns", "minutes")
SCOPES: tuple[FuseScope, ...] = ("run", "agent_day", "day")
WANTED = f"a map of {', '.join(UNITS[:-1])} or {UNITS[-1]} to a number above 0"

TAKES = "a fuse takes one of its options, or how much more it gives, as a number: 5, or 2.50."

_UNIT_WORDS = {"tokens": "tokens", "turns": "turns", "minutes": "min"}


def are_amounts(value: object) -> bool:
    """Whether these are amounts of a fuse: nothing else may be said there."""
    return isinstance(value, Mapping) and all(name in UNITS and is_amount(most) for name, most in value.items())


def is_amount(value: object) -> TypeGuard[float]:
    """Whether so much can be given."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def amount_in(text: str) -> float | None:
    """How much more somebody wants to give, in words: 5, $5, +2.50."""
    try:
        number = float(text.strip().removeprefix("+").removeprefix("$"))
    except ValueError:
        return None
    return number if is_amount(number) else None


def parse_pair(text: str) -> tuple[FuseUnit, float]:
    """What `usd=2` says. ValueError says what is wrong with it."""
    name, mark, amount = (part.strip() for part in text.partition("="))
    unit = next((one for one in UNITS if one == name), None)
    if unit is None or not mark:
        raise ValueError(f"{text!r} is not UNIT=AMOUNT, with one of {', '.join(UNITS)}")
    try:
        number = float(amount.removeprefix("$"))
    except ValueError:
        number = math.nan
    if not is_amount(number):
        raise ValueError(f"{amount!r} is not a number above 0")
    return unit, number


def parse_pairs(texts: list[str]) -> dict[str, float]:
    """All of them. ValueError if one is wrong, or there twice."""
    found: dict[str, float] = {}
    for text in texts:
        unit, amount = parse_pair(text)
        if unit in found:
            raise ValueError(f"{unit} is given twice")
        found[unit] = amount
    return found


def in_words(unit: str, amount: float) -> str:
    """So much of a unit, as people read it: $2, 50,000 tokens, 3 turns, 10 min."""
    if unit == "usd":
        return f"${amount:,.2f}" if amount >= 0.1 or not amount else f"${amount:.2g}"
    number = f"{amount:,.1f}".removesuffix(".0") if unit == "minutes" else f"{round(amount):,}"
    word = _UNIT_WORDS.get(unit, unit)
    return f"{number} {word.removesuffix('s') if number == '1' else word}"
