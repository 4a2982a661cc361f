"""Growth: what a block has grown by, many pieces of it as one value. A delta is a few letters in a large object."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple


class Piece(NamedTuple):
    """Several pieces as one."""

    last: int
    """The place of the last of them."""
    at: float
    """When that came."""
    text: str


class Growth:
    """The pieces of one block in their order, from place 0 on, in a tenth of the room."""

    __slots__ = ("_at", "_ends", "_text", "block")

    def __init__(self, block: int, at: Iterable[float], texts: Sequence[str]) -> None:
        """`at` is when each of the texts came."""
        self.block = block
        self._at = array("d", at)
        self._ends = array("Q", accumulate(map(len, texts)))
        self._text = "".join(texts)

    def __len__(self) -> int:
        """How many pieces there are."""
        return len(self._at)

    def pieces(self, start: int, end: int) -> list[tuple[float, str]]:
        """The pieces from `start` to before `end`: when each came, and its text."""
        text = self._text
        bounds = pairwise([self._ends[start - 1] if start else 0, *self._ends[start:end]])
        return [(at, text[begin:end]) for at, (begin, end) in zip(self._at[start:end], bounds, strict=True)]

    def by_seconds(self, start: int, end: int) -> Iterator[Piece]:
        """The pieces from `start` to before `end`; those of the same second are one."""
        first = start
        for _, same in groupby(map(int, self._at[start:end])):
            last = first + len(list(same)) - 1
            yield self._between(first, last)
            first = last + 1

    def _between(self, first: int, last: int) -> Piece:
        begin = self._ends[first - 1] if first else 0
        return Piece(last, self._at[last], self._text[begin : self._ends[last]])
