"""Rows: what is drawn, what is copied, and what Textual does with them."""

from __future__ import annotations

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.color import Color
from textual.filter import ANSIToTruecolor, Monochrome
from textual.strip import Strip

from maverick_tui.ui.rendering.row import Row, copied_text
from tests.ui.rendering.looks import DARK, renderer, shown

BLUE = Style(color="#0000ff")


def in_gutter(row: Row, text: str) -> Row:
    return row.with_lead([Segment(text.ljust(6), DARK.dim)])


def test_a_row_is_a_strip_that_makes_its_caches_late() -> None:
    row = Row([Segment("abc", BLUE), Segment("  ", BLUE)], 5)
    assert isinstance(row, Strip)
    assert "_crop_cache" not in {name for name in Strip.__slots__ if _is_set(row, name)}
    assert row.crop(1, 3).text == "bc"
    assert row.crop(1, 3) is row.crop(1, 3)
    assert row.divide([2, 5])[0].text == "ab"
    assert row.adjust_cell_length(6).text == "abc   "
    assert row.apply_style(Style(bold=True)).text == "abc  "
    assert row.apply_offsets(0, 1).text == "abc  "
    assert row.crop_extend(0, 6, None).text == "abc   "


def _is_set(row: Row, name: str) -> bool:
    try:
        Strip.__dict__[name].__get__(row)
    except AttributeError:
        return False
    return True


def test_a_slot_that_a_later_textual_adds_is_filled_when_it_is_asked_for() -> None:
    row = Row([Segment("abc", BLUE)], 3)
    row._crop_cache.set((0, 1), Strip([]))
    del row._render_cache  # as if Strip.__init__ had made it and ours had not
    assert row._render_cache is None
    assert row.text == "abc"


def test_the_filter_that_has_nothing_to_do_makes_no_copy() -> None:
    to_truecolor = ANSIToTruecolor(DEFAULT_TERMINAL_THEME)
    background = Color.parse("#000000")
    true = Row([Segment("abc", BLUE)], 3)
    assert true.apply_filter(to_truecolor, background) is true
    ansi = Row([Segment("abc", Style(color="red", bgcolor="default"))], 3)
    converted = next(iter(ansi.apply_filter(to_truecolor, background)))
    assert converted.style is not None
    assert converted.style.color is not None
    assert converted.style.color.triplet is not None
    grey = next(iter(true.apply_filter(Monochrome(), background)))
    assert grey.style is not None
    assert grey.style.color != RichColor.parse("#0000ff")


def test_the_gutter_takes_a_text_and_can_take_another() -> None:
    row = renderer(20, gutter=6).plain("hello", DARK.base)[0]
    assert (row.gutter, row.indent, row.text) == (6, 6, "      hello         ")
    timed = in_gutter(row, "14:02")
    assert timed.text == "14:02 hello         "
    led = timed.with_lead([Segment("ab", BLUE), Segment("cdef", BLUE)])
    assert led.text == "abcdefhello         "
    assert in_gutter(led, "x").text == "x     hello         "
    assert timed.copied() == "hello"
    without = renderer(20).plain("hello", DARK.base)[0]
    assert in_gutter(without, "14:02") is without


def test_a_mark_is_laid_over_cells() -> None:
    row = renderer(20, gutter=2).plain("日本語 text", DARK.base)[0]
    marked = row.marked(2, 6, DARK.match)
    assert marked.text == row.text
    assert [segment.text for segment in marked if segment.style and segment.style.bgcolor == DARK.match.bgcolor] == [
        "日本"
    ]
    assert marked.copied() == "日本語 text"
    assert row.marked(5, 5, DARK.match) is row


def test_a_marked_row_still_has_its_gutter() -> None:
    row = in_gutter(renderer(20, gutter=6).plain("hello", DARK.base)[0], "14:02")
    for start in (0, 3, 6, 8):
        marked = row.marked(start, 10, DARK.match)
        assert "".join(segment.text for segment in marked.lead) == "14:02 "
        assert in_gutter(marked, "x").text == "x     hello         "
    row = row.with_lead([Segment("ab", BLUE), Segment("cdef", BLUE)])
    assert in_gutter(row.marked(7, 9, DARK.match), "x").text == "x     hello         "


def test_copied_text_is_what_was_written_and_not_how_it_was_wrapped() -> None:
    text = "one two  three four five six seven\n    indented words here, rather many\n" + "x" * 50
    rows = renderer(22, gutter=6).plain(text, DARK.base)
    assert len(rows) > 6
    assert copied_text(rows) == text


def test_copied_code_is_the_code() -> None:
    code = "def f(x):\n    return    [x + 1 for x in range(100)]  # a comment that is long\n\n\n\tprint(1)\n"
    rows = renderer(24, gutter=3).markdown(f"- see\n\n  ```python\n{_indented(code)}  ```\n")
    assert copied_text(rows[2:]) == code.rstrip().expandtabs(4)


def _indented(code: str) -> str:
    return "".join(f"  {line}" if line.strip() else line for line in code.splitlines(keepends=True))


def test_copied_lists_keep_their_marks_and_quotes_lose_their_bars() -> None:
    rows = renderer(24).markdown(
        "- one two three four five six\n  - nested\n\n> quoted words that have to wrap\n> - item\n"
    )
    assert copied_text(rows) == "• one two three four five six\n  ◦ nested\n\nquoted words that have to wrap\n\n• item"


def test_a_part_is_copied_from_cell_to_cell() -> None:
    rows = renderer(14, gutter=2).plain("hello wide world", DARK.base)
    assert shown(rows) == "  hello wide\n  world"
    assert copied_text(rows, 4, 5) == "llo wide wor"
    assert copied_text(rows[:1], 0, 4) == "he"


def test_rows_are_the_same_only_if_they_are_copied_alike() -> None:
    segments = [Segment("abc", BLUE)]
    assert Row(segments, 3).is_same(Row(list(segments), 3))
    assert not Row(segments, 3).is_same(Row(segments, 3, indent=1))
    assert not Row(segments, 3).is_same(Row(segments, 3, continues=True))
    assert not Row(segments, 3).is_same(Row([Segment("abc", Style(bold=True))], 3))
