"""Viewport: which lines of a page are in view, and why: it follows the end, or stays with what a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from maverick_tui.ui.transcript.blocks import Block
from maverick_tui.ui.transcript.page import Page
from maverick_tui.ui.transcript.seen import SeenLines

if TYPE_CHECKING:
    from maverick_tui.ui.transcript.shown import ShownPage

Anchor: TypeAlias = tuple[Block, int]
"""A block, and which of its rows; less than 0 in the gap above it."""


class ReadingPlace(NamedTuple):
    """Where a person reads, whatever the width: how many characters of the block stand above the row."""

    anchor: Anchor
    length: int


class Viewport:
    """Settles what is in view, so that heights there are known, and holds it in place while others change."""

    def __init__(self, page: Page, window: ShownPage) -> None:
        """Follow the end."""
        self.is_following = True
        self.top: Anchor | None = None
        """What stood at the top when it was shown last; None at the end. The size may have changed since."""
        self.seen = SeenLines(page.blocks)
        self._page = page
        self._blocks = page.blocks
        self._window = window
        self._held = 0
        """The entry whose head the view does not follow the end past: it asks, and nobody has scrolled since."""
        self._read_from: Anchor | None = None
        """What the person has scrolled to, while a larger view has reached the end all by itself: it stays in view."""
        self._rewrapped: ReadingPlace | None = None
        """What stands at the top since the width has changed."""

    @property
    def lowest(self) -> int:
        """The line at the top of a view of the end."""
        return max(0, self._blocks.lines - self._window.page_height)

    @property
    def is_at_end(self) -> bool:
        """Whether the end is followed and can be seen."""
        return self.is_following and self._window.top_line >= self.lowest

    def look(self) -> int:
        """All that is in view has been seen; how many lines are below that."""
        self.seen.look(min(self._window.top_line + self._window.page_height, self._blocks.lines))
        return 0 if self.is_at_end else self.seen.unseen

    # -- staying where it is ------------------------------------------------------------------------------------------

    def anchor(self) -> Anchor | None:
        """What stands at the top."""
        if not len(self._blocks):
            return None
        index, offset = self._blocks.at(self._window.top_line)
        return self._blocks[index], offset - self._blocks[index].gap

    def hold(self, anchor: Anchor | None) -> None:
        """Keep that at the top, whatever has become of the lines above it."""
        if anchor is not None:
            self._window.move_to(self._line_of(anchor))

    def _line_of(self, anchor: Anchor) -> int:
        block, row = anchor
        return self._blocks.start(self._blocks.index(block)) + max(0, min(block.gap + row, block.height - 1))

    def draw(self, index: int, until: float) -> bool:
        """Draw a block; whether there is more of it than there was time for. What is read below it stays in place."""
        is_above = not self.is_following and index <= self._blocks.at(self._window.top_line)[0]
        anchor = self.anchor() if is_above else None
        has_more = self._page.draw(index, until)
        self.hold(anchor)
        return has_more

    # -- going somewhere ----------------------------------------------------------------------------------------------

    def go_on(self, *, is_following: bool, held: int = 0) -> None:
        """The person has said where the view is to be; what held it before does not any more."""
        self.is_following, self._held, self._read_from = is_following, held, None

    def hold_question(self, number: int) -> None:
        """An entry asks, or none does any more: who follows the end is not taken past its head."""
        self._held = number if self.is_following else 0

    def follow_if_at_the_end(self, read_from: Anchor | None = None) -> bool:
        """Follow the end if nothing more is below the view; the view, or what is above it, has changed."""
        if self.is_following or self._window.top_line < self.lowest:
            return False
        self.is_following, self.top, self._read_from = True, None, read_from
        return True

    def place(self) -> None:
        """Settle what is in view, and where the view is."""
        self._settle()
        if not self.is_following and self._window.top_line > self.lowest:
            self._settle_end()  # a larger view ends with the last line, and begins above what has been looked at
        resting = self._resting()
        self._window.move_to(resting if self.is_following else min(self._window.top_line, self.lowest))
        self.top = None if self.is_following else self.anchor()

    def _resting(self) -> int:
        """The line at the top of a view that follows the end: no further than what is held in view."""
        if not self.is_following:
            self._held, self._read_from = 0, None
        held = self._blocks.get(self._held)
        anchors = [*([(held, 0)] if held is not None else []), *([self._read_from] if self._read_from else [])]
        for block, _ in anchors:
            self._settle_from(self._blocks.index(block), self._window.page_height)
        return min([self.lowest, *map(self._line_of, anchors)])

    # -- knowing the heights of what is in view -----------------------------------------------------------------------

    def _settle(self) -> None:
        """Draw every block that is in view, so that heights there are known and not guessed."""
        if self.is_following:
            self._settle_end()
            return
        if not len(self._blocks):
            return
        index, offset = self._blocks.at(self._window.top_line)
        if not (block := self._blocks[index]).is_measured:
            from_end = block.height - offset
            self._page.measure(index)
            offset = max(0, block.height - from_end) if offset else 0
        self._window.move_to(self._blocks.start(index) + min(offset, max(0, block.height - 1)))
        self._settle_from(index, self._window.page_height + offset)

    def _settle_end(self) -> None:
        """Draw every block that is in view at the end."""
        index, left = len(self._blocks) - 1, self._window.page_height
        while index >= 0 and left > 0:
            self._page.measure(index)
            left -= self._blocks[index].height
            index -= 1

    def settle_below(self, line: int) -> None:
        """Know the heights of what is in view with that line at the top: whether the end is, too, depends on them."""
        if len(self._blocks):
            index, offset = self._blocks.at(max(0, line))
            self._settle_from(index, self._window.page_height + offset)

    def line_above(self, block: Block, rows: int) -> int:
        """The line that stands so many rows above a block, where there are as many; their heights are known then."""
        above, left = self._blocks.index(block), rows
        self._page.measure(above)
        while above and left > 0:
            above -= 1
            self._page.measure(above)
            left -= self._blocks[above].height
        return max(0, self._page.first_line(block) - rows)

    def _settle_from(self, index: int, left: int) -> None:
        """Draw the blocks that begin within so many lines."""
        while index < len(self._blocks) and left > 0:
            self._page.measure(index)
            left -= self._blocks[index].height
            index += 1

    # -- another width ------------------------------------------------------------------------------------------------

    def reading(self) -> ReadingPlace | None:
        """Where the person reads, before all is drawn for another width; None at the end."""
        anchor = self.top or self._read_from
        return ReadingPlace(anchor, self._length_above(anchor)) if anchor is not None else None

    def read_on(self, reading: ReadingPlace) -> Anchor:
        """Have the same text at the top, though its rows are others."""
        block, row = reading.anchor
        anchor = block, self._row_after(block, reading.length) if row > 0 else row
        if self.is_following:
            self._read_from = anchor
        self.hold(anchor)
        return anchor

    def lose_place(self) -> None:
        """What the person reads is not there any more."""
        self.top = self._read_from = self._rewrapped = None

    def remember(self, reading: ReadingPlace | None) -> None:
        """The view has come to rest there for its new width."""
        place = self.top or self._read_from
        self._rewrapped = ReadingPlace(place, reading.length if reading else 0) if place is not None else None

    def _length_above(self, anchor: Anchor) -> int:
        """How many characters of its block stand above the row.

        If the row stands there because of another width, it is the same number as then: else the view would creep up
        with every step of a window that is made larger or smaller.
        """
        if self._rewrapped is not None and self._rewrapped.anchor == anchor:
            return self._rewrapped.length
        block, row = anchor
        is_drawn = block.rows is not None or block.live is not None
        above = self._page.rows_in(block)[: max(0, row)] if is_drawn else []
        return sum(len(row.copied()) + len(row.glue) for row in above)

    def _row_after(self, block: Block, length: int) -> int:
        """The row of the block above which so many characters stand, as it is drawn now."""
        self._page.measure(self._blocks.index(block))
        for at, row in enumerate(self._page.rows_in(block)):
            length -= len(row.copied()) + len(row.glue)
            if length < 0:
                return at
        return 0
