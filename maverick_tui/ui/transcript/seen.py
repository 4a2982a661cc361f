"""What has been on the screen: how far down a transcript, and which of its open questions from head to choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from maverick_tui.ui.transcript.blocks import Block, Blocks

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.ui.rendering.row import Row


class SeenLines:
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
        if self._block is None or self._blocks.get(self._block.entry.number) is not self._block:
            return 0  # nothing yet, or nothing of what there is since the store has become another one
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
        """How much of the last block has been seen, for `keep_share` after it is drawn differently."""
        if self._share is not None:
            return self._share
        return min(1.0, self._lines / self._block.height) if self._block is not None and self._block.height else 1.0

    def keep_share(self, share: float) -> None:
        """The same part of the last block counts as seen, however many lines that is once it is drawn."""
        self._share = share if self._block is not None else None


class QuestionsSeen:
    """Kept by request, since the same call may be asked about again with other arguments.

    A request that comes again counts as seen only if it is the same question: whoever asks chooses its name.
    """

    def __init__(
        self, clock: Callable[[], float], when_drawn: Callable[[Callable[[], None]], None] = lambda act: act()
    ) -> None:
        """Nothing has been seen; `when_drawn` does something once what was written is on the screen."""
        self._clock = clock
        self._when_drawn = when_drawn
        self._asked: dict[str, PermissionAsked] = {}
        self._rows: dict[str, list[Row]] = {}
        self._seen: dict[str, set[int]] = {}
        self._head_since: dict[str, float] = {}
        self._whole_since: dict[str, float] = {}
        self._tops: dict[str, int] = {}
        self._still_since: dict[str, float] = {}

    def witness(self, blocks: Blocks, top_line: int, rows: Iterable[int]) -> None:
        """Rows of the view, counted from its first line, are on the screen."""
        found: dict[Block, list[int]] = {}
        tops: dict[Block, int] = {}
        for y in rows:
            if (line := top_line + y) < blocks.lines:
                index, offset = blocks.at(line)
                block = blocks[index]
                if block.asks is not None and offset >= block.gap:
                    found.setdefault(block, []).append(offset - block.gap)
                    tops[block] = y - offset
        for block, places in found.items():
            if block.rows is not None and block.asks is not None:
                self.look(block.asks, block.rows, places, tops[block])

    def look(self, question: PermissionAsked, rows: list[Row], places: Iterable[int], top: int) -> None:
        """Some rows of a question are on the screen, on which its first one is, or would be, at `top`."""
        request = question.request
        if not self._is_known(question):
            self._begin(question)
        if self._tops.get(request) != top:
            self._tops[request], self._still_since[request] = top, self._clock()
        if request in self._whole_since:
            return
        seen = self._still_seen(request, rows)
        seen.update(places)
        if 0 in seen:
            self._head_since.setdefault(request, self._clock())
        if len(seen) == len(rows):
            self._whole_since[request] = inf
            del self._rows[request], self._seen[request]
            self._when_drawn(partial(self._is_drawn, question))

    def _is_drawn(self, question: PermissionAsked) -> None:
        if self._is_known(question) and self._whole_since.get(question.request) == inf:
            self._whole_since[question.request] = self._clock()

    def _is_known(self, question: PermissionAsked) -> bool:
        return self._asked.get(question.request) == question

    def _begin(self, question: PermissionAsked) -> None:
        """Nothing has been seen of it, whatever was called so before."""
        self._asked[question.request] = question
        for kept in (self._rows, self._seen, self._head_since, self._whole_since, self._tops, self._still_since):
            kept.pop(question.request, None)

    def _still_seen(self, request: str, rows: list[Row]) -> set[int]:
        """What was seen of it; rows that look different since then, as after a resize, have not been seen."""
        known, seen = self._rows.get(request, rows), self._seen.get(request, set())
        if known is not rows:
            seen = {at for at in seen if at < len(rows) and rows[at].is_same(known[at])}
        self._rows[request], self._seen[request] = rows, seen
        return seen

    def forget(self) -> None:
        """Nothing has been seen: it was another terminal, perhaps, in which all of a question had room."""
        self._asked.clear()

    def look_anew(self) -> None:
        """Count what is on the screen as seen from now on: until now nobody was there to see it."""
        for since in (self._head_since, self._whole_since, self._still_since):
            since.update({request: self._clock() for request, at in since.items() if at != inf})

    def head_since(self, question: PermissionAsked) -> float | None:
        """Since when it is known which call is asked about; None if it has not been on the screen."""
        return self._head_since.get(question.request) if self._is_known(question) else None

    def still_since(self, question: PermissionAsked) -> float:
        """Since when it is where it is: a click that was meant for another may hit one that has just moved there."""
        return self._still_since.get(question.request, 0.0)

    def whole_since(self, question: PermissionAsked) -> float | None:
        """Since when all rows of it are on the screen; None if some were not yet, `inf` if they are on the way."""
        return self._whole_since.get(question.request) if self._is_known(question) else None
