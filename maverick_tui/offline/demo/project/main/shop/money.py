"""Money in whole cents, so that sums are exact."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Money:
    """An amount, counted in cents."""

    cents: int = 0

    @classmethod
    def of(cls, text: str) -> Money:
        """Read an amount such as "9.99" or "12"."""
        whole, _, rest = text.partition(".")
        if len(rest) > 2:
            raise ValueError(f"{text} has fractions of a cent")
        return cls(int(whole) * 100 + int(rest.ljust(2, "0")))

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __sub__(self, other: Money) -> Money:
        return Money(self.cents - other.cents)

    def __mul__(self, count: int) -> Money:
        return Money(self.cents * count)

    def percent(self, rate: int) -> Money:
        """So many percent of the amount, rounded to the nearest cent, halves up."""
        return Money(self.cents * rate // 100)

    def __str__(self) -> str:
        sign = "-" if self.cents < 0 else ""
        return f"{sign}{abs(self.cents) // 100}.{abs(self.cents) % 100:02}"
