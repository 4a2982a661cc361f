"""Prints the receipt of an example: python3 -m shop."""

from __future__ import annotations

from .cart import Cart
from .money import Money
from .receipt import receipt


def main() -> None:
    """Fill a cart and print its receipt."""
    cart = Cart()
    cart.add("teapot", Money.of("24.50"))
    cart.add("tea bag", Money.of("0.99"), 15)
    print(receipt(cart))


if __name__ == "__main__":
    main()
