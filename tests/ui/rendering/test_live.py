"""Text that grows is drawn as if it had been there from the beginning, and its cost does not grow with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.markup import grammar
from maverick_tui.ui.rendering import reader
from maverick_tui.ui.rendering.live import LiveMarkdown
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.table import SETTLED
from maverick_tui.ui.rendering.units import Units
from tests.support.cases import each
from tests.support.sampling import examples, sampled
from tests.ui.rendering.documents import DOCUMENTS, chunks, documents
from tests.ui.rendering.looks import assert_sound, renderer, shown

MADE = renderer(40, gutter=3)
FOREVER = 1e9


def whole(source: str) -> list[Row]:
    """The rows of a text that is parsed in one piece."""
    source = source.replace("\r", "")
    return [row for unit in Units().of(grammar.blocks(source), source.split("\n")) for row in MADE.unit(unit)]


def assert_same(rows: Sequence[Row], others: Sequence[Row]) -> None:
    assert shown(rows) == shown(others)
    assert all(row.is_same(other) for row, other in zip(rows, others, strict=True))


def stream(parts: Sequence[str], budgets: Sequence[float] = (FOREVER,)) -> LiveMarkdown:
    """Feed a text, with a frame after each part; rows that look as before are the objects that they were."""
    live = LiveMarkdown(MADE)
    before: list[Row] = []

    def look() -> None:
        nonlocal before
        now = [*live.frozen, *live.tail]
        assert all(row is same or not row.is_same(same) for row, same in zip(now, before, strict=False))
        before = now

    for index, part in enumerate(parts):
        live.feed(part)
        live.advance(budgets[index % len(budgets)])
        look()
    live.finish()
    look()
    assert live.tail == []
    assert live.source == "".join(parts)
    return live


@settings(max_examples=examples(30, 60), deadline=None)
@given(st.data(), st.sampled_from(sorted(DOCUMENTS)))
def test_every_document_cut_anywhere_is_drawn_as_in_one_piece(data: st.DataObject, name: str) -> None:
    source = DOCUMENTS[name]
    live = stream(data.draw(chunks(source)), data.draw(st.sampled_from([(FOREVER,), (0.0,), (0.0, FOREVER)])))
    assert_same(live.frozen, MADE.markdown(source))


@pytest.mark.explore
@settings(max_examples=examples(60, 120), deadline=None)
@given(st.data(), documents())
def test_lines_that_interfere_are_drawn_as_in_one_piece(data: st.DataObject, source: str) -> None:
    expected = MADE.markdown(source)
    assert_same(expected, whole(source))
    assert_same(stream(data.draw(chunks(source))).frozen, expected)


@each("name", sorted(set(DOCUMENTS) - {"long paragraph", "long lines", "long item"}))
def test_reading_in_pieces_changes_nothing(name: str) -> None:
    assert_same(MADE.markdown(DOCUMENTS[name]), whole(DOCUMENTS[name]))


@pytest.mark.explore
@settings(max_examples=examples(40, 80), deadline=None)
@given(st.data(), documents() | st.sampled_from(sorted(DOCUMENTS.values())))
def test_where_long_blocks_are_cut_does_not_depend_on_the_deltas(data: st.DataObject, source: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "WINDOW", 64)
        patch.setattr(reader, "LINES", data.draw(st.sampled_from([3, 100])))
        assert_same(stream(data.draw(chunks(source[:2_000]))).frozen, MADE.markdown(source[:2_000]))


def test_the_tail_shows_what_is_being_written() -> None:
    live = LiveMarkdown(MADE)
    live.feed("# Head\n\nSome **bo")
    assert live.advance(FOREVER) is False
    assert shown(live.frozen) == "   Head"
    assert shown(live.tail) == "\n   Some **bo"
    live.feed("ld** text\n- it")
    live.advance(FOREVER)
    assert shown(live.frozen) == "   Head"
    assert shown(live.tail) == "\n   Some bold text\n\n   • it"
    live.feed("em\n")
    live.advance(FOREVER)
    assert shown(live.frozen) == "   Head\n\n   Some bold text"
    assert shown(live.tail) == "\n   • item"
    live.feed("\npara\n\nne")
    live.advance(FOREVER)
    assert shown(live.frozen) == "   Head\n\n   Some bold text\n\n   • item\n\n   para"
    assert shown(live.tail) == "\n   ne"


def test_rows_that_have_not_changed_are_the_same_objects() -> None:
    live = LiveMarkdown(MADE)
    live.feed("word " * 30)
    live.advance(FOREVER)
    before = live.tail
    live.feed("more")
    live.advance(FOREVER)
    assert len(before) > 3
    assert all(row is same for row, same in zip(before[:-1], live.tail, strict=False))
    assert live.tail[-1] is not before[-1]
    before = live.tail
    live.feed("\n\nnext\n")
    live.advance(FOREVER)
    assert all(row is same for row, same in zip(before, live.frozen, strict=True))


def test_a_frame_without_news_changes_nothing() -> None:
    live = LiveMarkdown(MADE)
    live.feed("text")
    live.advance(FOREVER)
    tail = live.tail
    assert live.advance(FOREVER) is False
    assert live.tail is tail


def test_an_open_fence_freezes_its_lines_and_is_lexed_as_a_whole_when_it_closes() -> None:
    live = LiveMarkdown(MADE)
    live.feed('text\n\n```python\nx = 1\n"""one\nreturn 2\n')
    live.advance(FOREVER)
    assert shown(live.frozen) == '   text\n\n     x = 1\n     """one\n     return 2'
    assert live.tail == []
    alone = live.frozen[4]
    live.feed('"""\nretu')
    live.advance(FOREVER)
    assert live.frozen[4] is alone
    assert shown(live.tail) == "     retu"
    live.feed("rn\n``")
    live.advance(FOREVER)
    assert live.tail == []  # it looks like the end of the block
    before = live.frozen[:3]
    live.feed("`\n")
    live.advance(FOREVER)
    assert all(row is same for row, same in zip(before, live.frozen, strict=False))
    assert not live.frozen[4].is_same(alone)
    assert_same(live.frozen, MADE.markdown(live.source))


def test_a_table_shows_its_rows_when_they_are_complete() -> None:
    live = LiveMarkdown(MADE)
    live.feed("| a | b |\n|---|---|\n| 1 | 2 |\n| longer ce")
    live.advance(FOREVER)
    assert shown(live.tail) == "   a │ b\n   ──┼──\n   1 │ 2"
    head = live.tail[0]
    live.feed("ll | 3 |\n")
    live.advance(FOREVER)
    assert shown(live.tail) == "   a           │ b\n   ────────────┼──\n   1           │ 2\n   longer cell │ 3"
    assert live.tail[0] is not head
    before = live.tail
    live.feed("| 4 | 5 |\n")
    live.advance(FOREVER)
    assert all(row is same for row, same in zip(before, live.tail[:4], strict=True))


def test_a_long_table_is_frozen_as_it_grows() -> None:
    live = LiveMarkdown(MADE)
    live.feed("| a |\n|---|\n" + "| 1 |\n" * (SETTLED + 10))
    live.advance(FOREVER)
    assert live.tail == []
    assert len(live.frozen) == SETTLED + 12
    live.feed("| wider than the others |\n")
    live.advance(FOREVER)
    assert len(live.frozen) > SETTLED + 13
    live.finish()
    assert_same(live.frozen, MADE.markdown(live.source))


def test_items_are_frozen_when_the_next_one_has_begun() -> None:
    live = LiveMarkdown(MADE)
    live.feed("3. a\n3. b\n\n3. c")
    live.advance(FOREVER)
    assert shown(live.frozen) == "   3. a"
    assert shown(live.tail) == "   4. b\n\n   5. c"
    live.feed("\n\nend")
    live.finish()
    assert shown(live.frozen) == "   3. a\n   4. b\n\n   5. c\n\n   end"


@pytest.mark.explore
def test_a_lot_at_once_is_worked_off_in_slices() -> None:
    source = DOCUMENTS["answer"] * 40
    live = LiveMarkdown(MADE)
    live.feed(source)
    slices, seen = 1, 0
    while live.advance(0.0):
        slices += 1
        assert len(live.frozen) >= seen
        seen = len(live.frozen)
    assert slices > 100
    live.finish()
    assert_same(live.frozen, MADE.markdown(source))


def test_text_may_come_between_two_slices() -> None:
    live = LiveMarkdown(MADE)
    parts = [DOCUMENTS["answer"]] * 5
    for part in parts:
        live.feed(part)
        live.advance(0.0)
    while live.advance(0.0):
        pass
    live.finish()
    assert_same(live.frozen, MADE.markdown("".join(parts)))


GROWING = {
    "paragraphs": "Some words that make a paragraph of a usual length.\n\n",
    "paragraph": "words without an end ",
    "lines": "a line of a paragraph\n",
    "items": "- an item\n",
    "ordered": "1. an item\n",
    "nested": "  - nested in one long item\n",
    "code": "x = 1  # a line of code\n",
    "table": "| 1 | 2 |\n",
    "quote": "> a quoted line\n",
    "indented": "    code\n",
}
STARTS = {"nested": "- start\n", "code": "```python\n", "table": "|a|b|\n|-|-|\n"}


@pytest.mark.explore
@pytest.mark.parametrize("kind", sampled(sorted(GROWING), 3))
def test_the_work_of_a_delta_does_not_grow_with_the_text(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: characters parsed, and rows drawn, for each delta."""
    parsed, drawn = 0, 0
    parse, make = grammar.blocks, Row.__init__

    def counting(source: str) -> list[object]:
        nonlocal parsed
        parsed += len(source)
        return parse(source)  # type: ignore[return-value]

    def making(self: Row, *arguments: object) -> None:
        nonlocal drawn
        drawn += 1
        make(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(grammar, "blocks", counting)
    monkeypatch.setattr(Row, "__init__", making)
    live = LiveMarkdown(MADE)
    live.feed(STARTS.get(kind, ""))
    piece = GROWING[kind] * 20
    most = []
    for _ in range(2):
        work = 0
        for _ in range(80 if kind == "nested" else 30):
            parsed = drawn = 0
            live.feed(piece)
            live.advance(FOREVER)
            work = max(work, parsed + 40 * drawn)
        most.append(work)
    assert most[1] <= most[0] * 1.1 + 100
    bound = reader.WINDOW * reader._LONGEST_ITEM if kind == "nested" else reader.WINDOW * reader._LONGEST
    assert most[1] <= 12 * bound


def test_a_failure_shows_the_text_as_it_is_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    live = LiveMarkdown(MADE)
    live.feed("# Head\n\ntext\n\n")
    live.advance(FOREVER)

    def fail(self: Renderer, unit: object) -> object:
        raise ValueError("nothing can be drawn")

    monkeypatch.setattr(Renderer, "unit", fail)
    with caplog.at_level(logging.ERROR):
        live.feed("- item\n- it")
        assert live.advance(FOREVER) is False
    assert "cannot be drawn" in caplog.text
    assert shown(live.frozen) == "   # Head\n\n   text\n\n   - item\n   - it"
    before = live.frozen[:5]
    live.feed("em")
    live.advance(FOREVER)
    assert shown(live.frozen).endswith("\n   - item")
    assert all(row is same for row, same in zip(before, live.frozen, strict=False))
    live.finish()
    assert_sound(live.frozen, 40)


def test_a_block_that_is_too_long_goes_on_without_a_gap() -> None:
    words = [f"word{n}" for n in range(4_000)]
    live = stream([f"{' '.join(words)}\n\nend"])
    *rows, blank, end = shown(live.frozen).split("\n")
    assert (blank, end) == ("", "   end")
    assert "" not in rows
    assert " ".join(row.strip() for row in rows).split() == words


def test_what_follows_the_end_is_a_block_of_its_own() -> None:
    live = LiveMarkdown(MADE)
    live.feed("one")
    live.finish()
    live.feed("two")
    live.finish()
    assert shown(live.frozen) == "   one\n\n   two"
