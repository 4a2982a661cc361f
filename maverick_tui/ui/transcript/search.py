"""Finding in a transcript: where a text stands, and rows with it highlighted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row


class Match(NamedTuple):
    """The number of an entry, and which of the matches in it this is."""

    entry: int
    ordinal: int


class Search:
    """Looks for a text in the entries; small letters find capitals, too, capitals only themselves."""

    def __init__(self, sources: Callable[[], list[tuple[int, str]]]) -> None:
        self.needle = ""
        self._sources = sources
        self._found: list[Match] = []
        self.at = 0

    @property
    def total(self) -> int:
        """How many matches there are."""
        return len(self._found)

    def start(self, needle: str, is_ahead: Callable[[Match], bool] = lambda _: False) -> int:
        """Look for something else; the first match ahead is the first to be visited, else the last there is."""
        self.needle = needle
        self._found = self._matches()
        ahead = (at for at, match in enumerate(self._found) if is_ahead(match))
        self.at = next(ahead, max(0, len(self._found) - 1))
        return len(self._found)

    def step(self, direction: int) -> Match | None:
        """The next match; it goes round at the ends, and finds what has come meanwhile."""
        current = self._found[self.at] if self._found else None
        if current is None:
            return self._found[self.at] if direction and self.start(self.needle) else None
        if direction:
            self._found = self._matches()
        if current in self._found:
            self.at = self._found.index(current)
        if not self._found:
            self.at = 0
            return None
        self.at = (self.at + direction) % len(self._found)
        return self._found[self.at]

    def _matches(self) -> list[Match]:
        if not self.needle:
            return []
        return [
            Match(number, ordinal)
            for number, text in self._sources()
            for ordinal in range(folded(text, self.needle).count(self.needle))
        ]


def folded(text: str, needle: str) -> str:
    """The text as it is compared; of the same length, so that places in it are places in the text."""
    if needle != needle.lower():
        return text
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def places(row: Row, needle: str) -> Iterator[tuple[int, int]]:
    """First and last cell of each match in a row; what only decorates the row is not looked at."""
    text = row.text
    lower = folded(text, needle)
    at = lower.find(needle) if needle else -1
    while at >= 0:
        start = cell_len(text[:at])
        if start >= row.indent:
            yield start, start + cell_len(text[at : at + len(needle)])
        at = lower.find(needle, at + len(needle))


def highlighted(row: Row, needle: str, palette: Palette, current: int = -1) -> Row:
    """The row with every match highlighted; the `current` one of them stands out."""
    for ordinal, (start, end) in enumerate(list(places(row, needle))):
        row = row.marked(start, end, palette.current_match if ordinal == current else palette.match)
    return row
