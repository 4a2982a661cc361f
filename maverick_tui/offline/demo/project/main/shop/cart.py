"""The cart: what a customer is about to buy, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from .money import Money

BULK_COUNT = 10
BULK_PERCENT = 10
SHIPPING = Money.of("4.90")
FREE_SHIPPING_FROM = Money.of("50.00")


@dataclass(frozen=True)
class Line:
    """One product in the cart."""

    name: str
    price: Money
    count: int

    @property
    def total(self) -> Money:
        """The price of all pieces."""
        return self.price * self.count

    @property
    def discount(self) -> Money:
        """What a bulk order of this product takes off."""
        return self.total.percent(BULK_PERCENT) if self.count >= BULK_COUNT else Money()


class Cart:
    """Lines, one for each product, in the order in which they were added."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}

    @property
    def lines(self) -> list[Line]:
        """What is in the cart."""
        return list(self._lines.values())

    def add(self, name: str, price: Money, count: int = 1) -> None:
        """Put pieces of a product on top of those in the cart; the last price counts."""
        if count < 1:
            raise ValueError(f"cannot add {count} pieces of {name}")
        before = self._lines[name].count if name in self._lines else 0
        self._lines[name] = Line(name, price, before + count)

    def remove(self, name: str) -> None:
        """Take a product out; one that is not there is no mistake."""
        self._lines.pop(name, None)

    @property
    def subtotal(self) -> Money:
        """The price of everything, before discount and shipping."""
        return sum((line.total for line in self.lines), Money())

    @property
    def discount(self) -> Money:
        """What all bulk orders take off."""
        return sum((line.discount for line in self.lines), Money())

    @property
    def shipping(self) -> Money:
        """Free from FREE_SHIPPING_FROM on, and for an empty cart."""
        price = self.subtotal - self.discount
        return Money() if not self._lines or price >= FREE_SHIPPING_FROM else SHIPPING

    @property
    def total(self) -> Money:
        """What the customer pays."""
        return self.subtotal - self.discount + self.shipping
