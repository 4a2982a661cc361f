"""Tables: side by side as long as there is room for it."""

from __future__ import annotations

import pytest

from maverick_tui.ui.rendering.table import SETTLED
from tests.ui.rendering.looks import DARK, assert_sound, renderer, shown

WORDS = """\
| name | what | n |
|:-----|:----:|--:|
| a | long text that must wrap in the cell | 1 |
| 日本 | x<br>y | 22 |
"""


def drawn(source: str, width: int) -> list[str]:
    rows = renderer(width).markdown(source)
    assert_sound(rows, width)
    return shown(rows).split("\n")


def test_columns_are_aligned_and_as_wide_as_they_need_to_be() -> None:
    assert drawn("| left | mid | right |\n|:--|:-:|--:|\n| a | b | c |\n| 日本語 | 😀 | 1.00 |\n", 40) == [
        "left   │ mid │ right",
        "───────┼─────┼──────",
        "a      │  b  │     c",
        "日本語 │ 😀  │  1.00",
    ]


def test_cells_wrap_and_then_rules_part_the_rows() -> None:
    assert drawn(WORDS, 34) == [
        "name │          what          │  n",
        "─────┼────────────────────────┼───",
        "a    │  long text that must   │  1",
        "     │    wrap in the cell    │",
        "─────┼────────────────────────┼───",
        "日本 │           x            │ 22",
        "     │           y            │",
    ]


def test_without_room_each_row_is_a_record() -> None:
    assert drawn(
        "| name | what it is | number | |\n|-|-|-|-|\n| a | long text that must wrap | 1 | |\n| b | x | 22 | z |\n", 16
    ) == [
        "name: a",
        "what it is:",
        "  long text that",
        "  must wrap",
        "number: 1",
        "",
        "name: b",
        "what it is: x",
        "number: 22",
        "z",
    ]


def test_long_words_are_broken_before_columns_are_given_up() -> None:
    rows = drawn("| url | n |\n|-|-|\n| https://example.com/a/very/long/path | some words here |\n", 30)
    assert rows[0].startswith("url")
    assert all("│" in row or "┼" in row for row in rows)


def test_rows_with_too_few_or_too_many_cells_fit_in() -> None:
    assert drawn("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n", 20) == ["a │ b", "──┼──", "1 │", "1 │ 2"]


@pytest.mark.parametrize("columns", [50, 51])
def test_a_table_that_is_wider_than_any_screen_stays_as_it_was_written(columns: int) -> None:
    """Few characters would be very many cells: each short row of it has as many as the head."""
    lines = ["|" + "ab|" * columns, "|" + "-|" * columns, "|1", "|2"]
    rows = drawn("\n".join(lines), 400)
    assert (rows == lines) == (columns > 50)
    assert "".join(rows).count("ab") == columns


def test_inline_markdown_works_in_cells_and_heads_are_bold() -> None:
    rows = renderer(30).markdown("| `a` | b |\n|---|---|\n| **c** | [d](e) |\n")
    assert shown(rows) == "a │ b\n──┼──────\nc │ d (e)"
    assert next(segment for segment in rows[0] if segment.text == "b").style == DARK.table_head
    assert next(segment for segment in rows[2] if segment.text == "c").style == DARK.strong


@pytest.mark.parametrize("late", ["x", "wider than all the others"])
def test_the_first_rows_decide_about_the_columns(late: str) -> None:
    rows = drawn("| a | b |\n|---|---|\n" + "| one | two |\n" * SETTLED + f"| {late} | z |\n", 40)
    assert rows[0] == "a   │ b"
    assert rows[1] == "────┼────"
    assert "".join(row[:3].strip() for row in rows[SETTLED + 2 :]) == late.replace(" ", "")
