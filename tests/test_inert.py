"""Foreign text cannot steer a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.inert import inert, one_line

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # halves of surrogate pairs included


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b]0;evil\x07", "␛]0;evil␇"),
        ("\x00\r\x7f", "␀␍␡"),
        ("\x9b31m\x85", "\ufffd31m\ufffd"),
        ("a\u202eb\u2066c\u2069", "a\ufffdb\ufffdc\ufffd"),
        ("\udcff.md", "\ufffd.md"),
        ("日本 é 😀", "日本 é 😀"),
    ],
)
def test_what_steers_a_terminal_is_replaced_by_something_visible(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_one_line_has_no_line_breaks_of_any_kind() -> None:
    assert one_line("a\nb\r\nc\u2028d\x85e\x0bf  g\t") == "a b c d e f g"


@given(ANY_TEXT)
def test_nothing_active_is_left(text: str) -> None:
    result = inert(text)
    assert {c for c in result if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n", "\t"}
    assert not set(result) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert inert(result) == result
    assert len(result) == len(text)
    result.encode()


@given(ANY_TEXT)
def test_one_line_is_inert_too(text: str) -> None:
    line = one_line(text)
    assert line == inert(line) == one_line(line)
    assert len(line.splitlines()) <= 1
