"""Blocks: which entry stands on which line. Heights that are not known yet are guessed until somebody looks."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.runs.entries import Entry, ToolEntry

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.ui.rendering.live import LiveMarkdown
    from maverick_tui.ui.rendering.row import Row

KEPT_ROWS = 3_000
"""Rows of finished blocks that are kept; others are drawn again when they are looked at."""


class Block:
    """An entry on the screen: its rows while they are kept, and its height always."""

    __slots__ = (
        "asks",
        "dressed",
        "entry",
        "fed",
        "fed_parts",
        "gap",
        "guides",
        "height",
        "is_measured",
        "live",
        "rows",
    )

    def __init__(self, entry: Entry, guess: int) -> None:
        self.entry = entry
        self.rows: list[Row] | None = None
        self.asks: PermissionAsked | None = None
        """The question that its rows show, if they show one."""
        self.height = guess
        self.is_measured = False
        self.gap = 0
        """Blank rows above it, which are part of its height."""
        self.guides = 0
        """How many guides of subagents go through them."""
        self.live: LiveMarkdown | None = None
        self.dressed: dict[int, tuple[Row, Row]] | None = None
        """Rows of open text by their place, bare and with what stands beside them."""
        self.fed = 0
        self.fed_parts = 0


class Blocks:
    """The blocks in their order, found by line or by entry."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._by_number: dict[int, Block] = {}
        self._starts: list[int] = []
        self._prepared: dict[int, Block] = {}
        """Blocks of entries that are to come, by their numbers."""
        self._kept: OrderedDict[int, Block] = OrderedDict()
        self._kept_rows = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, index: int) -> Block:
        return self._blocks[index]

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    def get(self, number: int) -> Block | None:
        """The block of the entry with that number."""
        return self._by_number.get(number)

    def index(self, block: Block) -> int:
        """Where the block stands; most of the time it is near the end."""
        for index in range(len(self._blocks) - 1, -1, -1):
            if self._blocks[index] is block:
                return index
        raise ValueError("The block is not among these.")

    def append(self, block: Block) -> None:
        """Add a block at the end."""
        self._blocks.append(block)
        self._by_number[block.entry.number] = block

    def prepare(self, block: Block) -> None:
        """Have a block for an entry that is to come."""
        self._prepared[block.entry.number] = block

    def reorder(self, first: int, entries: Iterable[Entry], guess: int) -> None:
        """From `first` on the order is that of `entries`; blocks that exist are kept."""
        known = {block.entry.number: block for block in self._blocks[first:]}
        del self._blocks[first:]
        del self._starts[first:]
        for number in known:
            del self._by_number[number]
        for entry in entries:
            block = known.get(entry.number) or self._prepared.get(entry.number) or Block(entry, guess)
            block.entry = entry  # the store may have become another one, which holds more of the run
            self.append(block)
        self._prepared.clear()

    # -- lines ------------------------------------------------------------------------------------------------------

    def set_height(self, index: int, height: int) -> None:
        """A block has another height."""
        block = self._blocks[index]
        if block.height != height:
            block.height = height
            del self._starts[index + 1 :]

    def start(self, index: int) -> int:
        """The line on which a block begins; of the index after the last one, the number of lines."""
        starts = self._starts
        if not starts:
            starts.append(0)
        for before in range(len(starts) - 1, index):
            starts.append(starts[before] + self._blocks[before].height)
        return starts[index]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return self.start(len(self._blocks)) if self._blocks else 0

    def at(self, line: int) -> tuple[int, int]:
        """The block that a line belongs to, and which of its lines that is."""
        self.start(len(self._blocks))
        index = min(bisect_right(self._starts, line) - 1, len(self._blocks) - 1)
        while index > 0 and self._blocks[index].height == 0:  # only of a line below the last one
            index -= 1
        return index, line - self._starts[index]

    # -- rows that are kept -------------------------------------------------------------------------------------------

    def keep(self, block: Block, rows: list[Row]) -> None:
        """Keep the rows of a block for now."""
        self.drop(block)
        block.rows, block.asks = rows, asked_in(block.entry)
        self._kept[block.entry.number] = block
        self._kept_rows += len(rows)

    def drop(self, block: Block) -> None:
        """Its rows are out of date or not needed."""
        if block.rows is not None and self._kept.pop(block.entry.number, None) is not None:
            self._kept_rows -= len(block.rows)
        block.rows = None

    def touch(self, block: Block) -> None:
        """Somebody looks at it: it is among the last to be forgotten."""
        if block.entry.number in self._kept:
            self._kept.move_to_end(block.entry.number)

    def forget_old(self) -> None:
        """Let go of rows nobody has looked at for long."""
        while self._kept_rows > KEPT_ROWS and len(self._kept) > 1:
            _, block = self._kept.popitem(last=False)
            if block.rows is not None:
                self._kept_rows -= len(block.rows)
                block.rows = None


def asked_in(entry: Entry) -> PermissionAsked | None:
    """The question that an entry waits for; None if it waits for none."""
    return entry.question if isinstance(entry, ToolEntry) and entry.state == "asking" else None


class Gap(NamedTuple):
    """Blank rows above an entry, and how many guides of subagents go through them."""

    rows: int = 0
    guides: int = 0


def gap_between(before: Entry | None, entry: Entry) -> Gap:
    """The room between an entry and what stands before it: things of a kind stand together."""
    if before is None or not _is_apart(before.kind, entry):
        return Gap()
    return Gap(1, min(before.depth, entry.depth))


def _is_apart(last: str, entry: Entry) -> bool:
    if isinstance(entry, ToolEntry) and (entry.state == "asking" or entry.name == "TodoWrite"):
        return True
    if entry.kind == "tool":
        return last not in ("tool", "text", "thinking", "notice")
    if entry.kind == "notice":
        return last == "end"  # it is no part of what has ended
    return entry.kind != "end" and not (entry.kind == last == "thinking")
