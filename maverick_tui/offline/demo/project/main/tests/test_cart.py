"""What a cart costs."""

from __future__ import annotations

import unittest

from shop.cart import Cart
from shop.money import Money


class CartTest(unittest.TestCase):
    """A cart, as a customer fills it."""

    def setUp(self) -> None:
        """Start with an empty cart."""
        self.cart = Cart()

    def test_an_empty_cart_costs_nothing(self) -> None:
        """Not even shipping."""
        self.assertEqual(self.cart.total, Money())

    def test_pieces_of_one_product_add_up(self) -> None:
        """Added twice, the product still has one line."""
        self.cart.add("cup", Money.of("3.20"))
        self.cart.add("cup", Money.of("3.20"), 2)
        self.assertEqual([line.count for line in self.cart.lines], [3])
        self.assertEqual(self.cart.subtotal, Money.of("9.60"))

    def test_a_product_can_be_removed(self) -> None:
        """And what is not there can be, too."""
        self.cart.add("cup", Money.of("3.20"))
        self.cart.remove("cup")
        self.cart.remove("saucer")
        self.assertEqual(self.cart.lines, [])

    def test_less_than_one_piece_cannot_be_added(self) -> None:
        """A wrong count is refused."""
        with self.assertRaises(ValueError):
            self.cart.add("cup", Money.of("3.20"), 0)

    def test_ten_pieces_of_one_product_are_a_bulk_order(self) -> None:
        """Nine are not."""
        self.cart.add("cup", Money.of("3.20"), 9)
        self.assertEqual(self.cart.discount, Money())
        self.cart.add("cup", Money.of("3.20"))
        self.assertEqual(self.cart.discount, Money.of("3.20"))

    def test_the_discount_is_rounded_to_the_nearest_cent(self) -> None:
        """15 tea bags cost 14.85; 10 % of it are 1.485, and halves go up."""
        self.cart.add("tea bag", Money.of("0.99"), 15)
        self.assertEqual(self.cart.discount, Money.of("1.49"))


if __name__ == "__main__":
    unittest.main()
