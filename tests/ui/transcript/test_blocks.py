"""Blocks: which entry stands on which line, against a model that counts from the beginning each time."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from maverick_tui.runs.entries import Entry
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.transcript.blocks import KEPT_ROWS, Block, Blocks
from tests.support.sampling import examples


def rows(count: int) -> list[Row]:
    return [Row([], 0) for _ in range(count)]


def entries(count: int) -> list[Entry]:
    return [Entry(number, 0.0, 1) for number in range(1, count + 1)]


def blocks_of(*heights: int) -> Blocks:
    blocks = Blocks()
    for entry, height in zip(entries(len(heights)), heights, strict=True):
        blocks.append(Block(entry, height))
    return blocks


def test_without_blocks_there_are_no_lines() -> None:
    assert (len(Blocks()), Blocks().lines, Blocks().get(1)) == (0, 0, None)


def test_a_line_belongs_to_the_block_that_it_stands_in() -> None:
    blocks = blocks_of(2, 0, 3)
    assert blocks.lines == 5
    assert [blocks.at(line) for line in range(5)] == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]


def test_a_line_below_the_last_one_belongs_to_the_last_block_that_has_any() -> None:
    assert blocks_of(2, 0).at(2) == (0, 2)
    assert blocks_of(2, 0).at(9) == (0, 9)
    assert blocks_of(0, 0).at(0) == (0, 0)


def test_another_height_moves_what_is_below() -> None:
    blocks = blocks_of(2, 3, 1)
    assert [blocks.start(index) for index in range(4)] == [0, 2, 5, 6]
    blocks.set_height(1, 10)
    assert [blocks.start(index) for index in range(4)] == [0, 2, 12, 13]


def test_rows_that_nobody_has_looked_at_for_long_are_forgotten_first() -> None:
    blocks = blocks_of(1, 1, 1, 1)
    for block in blocks:
        blocks.keep(block, rows(KEPT_ROWS // 3))
    blocks.touch(blocks[0])
    blocks.forget_old()
    assert [block.rows is not None for block in blocks] == [True, False, True, True]


def test_a_block_that_is_larger_than_all_that_is_kept_stays_while_it_is_the_only_one() -> None:
    blocks = blocks_of(1, 1)
    blocks.keep(blocks[0], rows(KEPT_ROWS + 1))
    blocks.forget_old()
    assert blocks[0].rows is not None
    blocks.keep(blocks[1], rows(1))
    blocks.forget_old()
    assert [block.rows is not None for block in blocks] == [False, True]


class BlocksMachine(RuleBasedStateMachine):
    """Does anything to blocks, and to a list of numbers and heights."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = Blocks()
        self.entries: list[Entry] = []
        self.heights: dict[int, int] = {}
        self.last = 0

    def new_entry(self) -> Entry:
        self.last += 1
        return Entry(self.last, 0.0, 1)

    @rule(height=st.integers(0, 3))
    def append(self, height: int) -> None:
        entry = self.new_entry()
        self.blocks.append(Block(entry, height))
        self.entries.append(entry)
        self.heights[entry.number] = height

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), height=st.integers(0, 4))
    def set_height(self, data: st.DataObject, height: int) -> None:
        index = data.draw(st.integers(0, len(self.entries) - 1))
        self.blocks.set_height(index, height)
        self.heights[self.entries[index].number] = height

    @rule(data=st.data(), guess=st.integers(0, 2))
    def insert(self, data: st.DataObject, guess: int) -> None:
        index = data.draw(st.integers(0, len(self.entries)))
        entry = self.new_entry()
        self.entries.insert(index, entry)
        self.heights[entry.number] = guess
        self.blocks.reorder(index, self.entries[index:], guess)

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        source = data.draw(st.integers(0, len(self.entries) - 1))
        entry = self.entries.pop(source)
        target = data.draw(st.integers(0, len(self.entries)))
        self.entries.insert(target, entry)
        self.blocks.reorder(min(source, target), self.entries[min(source, target) :], 0)

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), count=st.integers(0, KEPT_ROWS))
    def keep(self, data: st.DataObject, count: int) -> None:
        block = self.blocks[data.draw(st.integers(0, len(self.entries) - 1))]
        self.blocks.keep(block, rows(count))
        self.blocks.forget_old()
        assert block.rows is not None, "what was drawn last is not forgotten at once"

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        self.blocks.drop(self.blocks[data.draw(st.integers(0, len(self.entries) - 1))])

    @invariant()
    def order_and_starts_are_those_of_the_model(self) -> None:
        assert [block.entry for block in self.blocks] == self.entries
        start = 0
        for index, entry in enumerate(self.entries):
            assert self.blocks.start(index) == start
            block = self.blocks.get(entry.number)
            assert block is self.blocks[index]
            assert block is not None
            assert self.blocks.index(block) == index
            start += self.heights[entry.number]
        assert self.blocks.lines == start

    @invariant()
    def each_line_is_where_the_model_has_it(self) -> None:
        places = [(index, row) for index, one in enumerate(self.entries) for row in range(self.heights[one.number])]
        assert [self.blocks.at(line) for line in range(len(places))] == places

    @invariant()
    def not_more_rows_are_kept_than_allowed(self) -> None:
        kept = [len(block.rows) for block in self.blocks if block.rows is not None]
        assert sum(kept) <= KEPT_ROWS or len(kept) <= 1


TestBlocks = BlocksMachine.TestCase
TestBlocks.settings = settings(max_examples=examples(20, 80), stateful_step_count=25, deadline=None)
