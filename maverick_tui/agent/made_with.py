"""What whoever makes an agent gives it, apart from what its own constructor adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


class MadeWith:
    """Remembers the mappings among the arguments that it is made with: servers that are its maker's affair.

    A class of its own, so that the signature of agents stays that of their constructor.
    """

    _made_with: tuple[Mapping[str, Any], ...] = ()

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Leave the arguments to the constructor, and note those that may be servers."""
        made = super().__new__(cls)
        # Copies: the constructor may add to them.
        made._made_with = tuple(dict(value) for value in (*values, *named.values()) if isinstance(value, Mapping))
        return made
