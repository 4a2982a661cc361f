"""Seen: how far down a transcript has been on the screen."""

from __future__ import annotations

from maverick_tui.ui.transcript.blocks import Block, Blocks


class Seen:
    """Kept by block and row, since lines above come and go: what is unfolded there is nothing new."""

    def __init__(self, blocks: Blocks) -> None:
        """Nothing has been seen."""
        self._blocks = blocks
        self._block: Block | None = None
        self._lines = 0
        self._share: float | None = None
        """How much of the block counts as seen, until it is drawn and that is a number of lines."""

    def look(self, end: int) -> None:
        """Everything above this line has been on the screen."""
        if end > 0 and end > self.lines:
            index, offset = self._blocks.at(end - 1)
            self._block, self._lines, self._share = self._blocks[index], offset + 1, None

    @property
    def lines(self) -> int:
        """How many lines have been seen."""
        if self._block is None:
            return 0
        if self._share is not None:
            self._lines = round(self._share * self._block.height)
            self._share = None if self._block.is_measured else self._share
        return self._blocks.start(self._blocks.index(self._block)) + min(self._lines, self._block.height)

    @property
    def unseen(self) -> int:
        """How many lines are below all that was seen."""
        return self._blocks.lines - self.lines

    @property
    def share(self) -> float:
        """How much of the last block has been seen, for `keep_share` after it was drawn otherwise."""
        if self._share is not None:
            return self._share
        return min(1.0, self._lines / self._block.height) if self._block is not None and self._block.height else 1.0

    def keep_share(self, share: float) -> None:
        """The same part of the last block counts as seen, however many lines that are once it is drawn."""
        self._share = share if self._block is not None else None
