"""Files as they are shown before they are trusted: all of it, numbered, and nothing hidden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.inert import inert, spelled
from maverick_tui.ui.dialogs.source_lines import source_lines


def shown(content: bytes, width: int = 80) -> list[str]:
    return ["".join(text for text, _ in line) for line in source_lines(content, width)]


def test_lines_have_numbers() -> None:
    assert shown(b"a\n\n\tb\r\nc\n") == ["1  a", "2  ", "3      b", "4  c"]
    assert shown(b"x\n" * 10)[9] == "10  x"


def test_whatever_ends_a_line_for_python_or_yaml_ends_it_here() -> None:
    assert shown(b"# MIT\rimport os\n") == ["1  # MIT", "2  import os"]
    assert shown("# note\u2028hooks: x\x85y".encode()) == ["1  # note<U+2028>", "   hooks: x<U+0085>", "   y"]


def test_a_long_line_goes_on_below_itself() -> None:
    assert shown(b"x" * 20, 13) == ["1  " + "x" * 10, "   " + "x" * 10]


def test_blank_lines_push_nothing_out_of_sight() -> None:
    assert shown(b"a\n\n\nb" + b"\n" * 61 + b"c") == [
        " 1  a",
        " 2  ",
        " 3  ",
        " 4  b",
        " 5  ⋯ 60 blank lines",
        "65  c",
    ]
    assert shown(b" " * 400 + b"x", 13)[0] == "1  ⋯ 40 blank rows"


def test_what_is_not_text_is_shown_as_well_as_it_can_be() -> None:
    assert shown(b"\xff\x00a") == ["1  �␀a"]
    assert shown(b"") == ["1  "]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb", "a<U+200B>b"),
        ("a\u202eb", "a<U+202E>b"),
        ("\ufeffa", "<U+FEFF>a"),
        ("a\u2028b", "a<U+2028>b"),
        ("\U000e0041", "<U+E0041>"),
        ("x\U000e0101", "x<U+E0101>"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("a\rb\x1b", "a␍b␛"),
        ("te\u0378st \ue000", "te<U+0378>st <U+E000>"),
        ("日本 é", "日本 é"),
    ],
)
def test_what_takes_no_room_is_written_out(text: str, seen: str) -> None:
    assert spelled(text) == seen


@given(st.binary(max_size=200))
def test_any_file_is_inert(content: bytes) -> None:
    text = "\n".join(shown(content))
    assert text == inert(text)
