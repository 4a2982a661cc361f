"""What a receipt shows."""

from __future__ import annotations

import unittest

from shop.cart import Cart
from shop.money import Money
from shop.receipt import receipt


class ReceiptTest(unittest.TestCase):
    """A receipt, as it is printed."""

    def test_it_ends_with_the_total(self) -> None:
        """The last line is what the customer pays."""
        cart = Cart()
        cart.add("teapot", Money.of("24.50"))
        self.assertRegex(receipt(cart).splitlines()[-1], r"^Total +29\.40$")

    def test_without_a_discount_there_is_no_line_for_it(self) -> None:
        """Zero is not worth a line."""
        cart = Cart()
        cart.add("teapot", Money.of("24.50"))
        self.assertNotIn("Discount", receipt(cart))
