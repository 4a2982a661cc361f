"""A small shop: money, a cart and its receipt."""

from .cart import Cart
from .money import Money

__all__ = ["Cart", "Money"]
