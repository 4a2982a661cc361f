"""Finding: from match to match through a page, beginning where the person looks."""

from __future__ import annotations

from collections.abc import Callable

from maverick_tui.runs.entries import Entry
from maverick_tui.ui.transcript.blocks import Block
from maverick_tui.ui.transcript.page import Page
from maverick_tui.ui.transcript.texts import Match, places
from maverick_tui.ui.transcript.viewport import Anchor, Viewport


class Finding:
    """Says where the next match stands, and opens what it is hidden in for as long as something is looked for."""

    def __init__(self, page: Page, viewport: Viewport, toggle: Callable[[Entry], None]) -> None:
        """Nothing is looked for."""
        self._page = page
        self._viewport = viewport
        self._toggle = toggle
        self._begun: Anchor | None = None
        """What stood at the top of the view when the person began to look for something; None at the end."""
        self._opened: set[int] = set()
        """Entries that are open only because of a match in them."""

    def start(self, needle: str, words: tuple[str, ...] = (), begin_at: Block | None = None) -> int:
        """Look for text, or for any of these words; how many places there are. With no text it is over.

        The first match to be visited is in the block to begin at, or below. Else it follows the top of the view in
        which the person began, for each letter moves the view. Who looks at the end begins there.
        """
        if begin_at is not None:
            self._begun = begin_at, 0
        elif not self._page.search.needle:
            self._begun = None if self._viewport.is_following else self._viewport.anchor()
        if not needle:
            self._close_what_was_opened()
        self._page.match = (0, 0, 0)
        return self._page.search.start(needle, self._is_ahead, words)

    def step(self, direction: int) -> int | None:
        """Choose the next match; the line on which it stands, or None if there is none."""
        page = self._page
        found = page.search.step(direction)
        block = page.blocks.get(found.entry) if found is not None else None
        if found is None or block is None:
            return None
        hits = self._hits(block)
        if found.ordinal >= len(hits) and not page.folding.is_expanded(block.entry):
            self._toggle(block.entry)
            self._opened.add(block.entry.number)
            hits = self._hits(block)
        row, ordinal = hits[min(found.ordinal, len(hits) - 1)] if hits else (0, 0)
        page.match, page.chosen = (found.entry, row, ordinal), found.entry
        return page.first_line(block) + row

    def keep_open(self, *numbers: int) -> None:
        """The person has opened or closed these entries: they stay so; without numbers, all."""
        self._opened.difference_update(numbers or set(self._opened))

    def _is_ahead(self, match: Match) -> bool:
        """Whether a match stands where the person began, or below."""
        blocks = self._page.blocks
        block = blocks.get(match.entry)
        if self._begun is None or block is None:
            return False
        begun, row = self._begun
        if blocks.get(begun.entry.number) is not begun:  # the store has become another one
            return False
        if block is not begun:
            return blocks.index(block) > blocks.index(begun)
        hits = self._hits(block)
        return match.ordinal >= len(hits) or hits[match.ordinal][0] >= row

    def _close_what_was_opened(self) -> None:
        """Close the entries that were opened for their matches, and not those that the person has opened since."""
        for number in list(self._opened):
            block = self._page.blocks.get(number)
            if block is not None and self._page.folding.is_expanded(block.entry):
                self._toggle(block.entry)
        self._opened.clear()

    def _hits(self, block: Block) -> list[tuple[int, int]]:
        """The row of each match in a block, and which one in its row it is."""
        self._page.measure(self._page.blocks.index(block))
        rows, needles = self._page.rows_in(block), self._page.search.needles
        return [(at, nth) for at, row in enumerate(rows) for nth, _ in enumerate(places(row, *needles))]
