"""Wrapping: what is too wide is cut, and paragraphs read as they were meant."""

from __future__ import annotations

import pytest

from maverick_tui.ui.rendering.wrap import cut, pad, wrap_document
from tests.support.cases import each


def document(text: str, width: int) -> list[str]:
    return [indent + line for indent, line in wrap_document(text, width)]


def test_what_is_wrapped_hangs_below_where_it_began() -> None:
    assert document("- one two three\n  1. four five six", 12) == [
        "- one two",
        "  three",
        "  1. four",
        "     five",
        "     six",
    ]


def test_a_paragraph_that_was_broken_by_its_author_is_made_whole() -> None:
    first = "You review a change before it is merged. Find what would break, lose data or"
    assert document(f"{first}\nmislead. Read.", 200) == [f"{first} mislead. Read."]
    assert document(f"- {first}\n  mislead.", 200) == [f"- {first} mislead."]


@each("second", ["", "- next", "  deeper", "# Heading", "| table", "> quote", "```", "1. item"])
def test_what_is_no_part_of_the_paragraph_is_left_alone(second: str) -> None:
    first = "You review a change before it is merged. Find what would break, lose data or"
    assert document(f"{first}\n{second}", 200) == [first, second]


def test_short_lines_and_code_keep_their_ends() -> None:
    assert document("Folder: x\nBranch: y", 80) == ["Folder: x", "Branch: y"]
    code = f"```\n{'x' * 80}\n{'y' * 20}\n```"
    assert document(code, 200) == code.split("\n")


def test_tabs_are_expanded() -> None:
    assert document("a\tb", 20) == ["a   b"]


@pytest.mark.parametrize(
    ("text", "width", "shown"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本", 3, "日…"), ("abc", 0, "")]
)
def test_what_is_cut_says_so(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


def test_padding_is_exact() -> None:
    assert (pad("ab", 4), pad("abcde", 4), pad("日本語", 5)) == ("ab  ", "abc…", "日本…")
