"""Coupons: codes that take a part off a price."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from .money import Money


@dataclass(frozen=True)
class Coupon:
    """So many percent off, up to and including its last day."""

    code: str
    percent: int
    last_day: date

    def is_valid(self, today: date) -> bool:
        """Whether it can be used today."""
        return today < self.last_day


def redeem(price: Money, coupons: Iterable[Coupon], today: date) -> Money:
    """Take all coupons that are valid off the price."""
    left = price
    for coupon in coupons:
        if coupon.is_valid(today):
            left -= price.percent(coupon.percent)
    return left
