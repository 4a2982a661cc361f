"""The receipt of a cart, as text."""

from __future__ import annotations

from .cart import Cart
from .money import Money

WIDTH = 32


def receipt(cart: Cart) -> str:
    """One line for each product, then the sums."""
    rows = [_row(f"{line.count} x {line.name}", line.total) for line in cart.lines]
    rows.append("-" * WIDTH)
    if cart.discount > Money():
        rows.append(_row("Discount", Money() - cart.discount))
    rows.append(_row("Shipping", cart.shipping))
    rows.append(_row("Total", cart.total))
    return "\n".join(rows)


def _row(label: str, amount: Money) -> str:
    return f"{label:<{WIDTH - 10}}{amount!s:>10}"
