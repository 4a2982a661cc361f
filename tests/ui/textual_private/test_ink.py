"""What is left of a row when only its changes are written is the row, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size, set_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from maverick_tui.ui.textual_private import cells, ink, pens
from maverick_tui.ui.textual_private.ink import Ink
from maverick_tui.ui.textual_private.strip import LeanStrip
from tests.support.terminal import Glass

WIDTH = 30
CONSOLE = Console(force_terminal=True, color_system="truecolor")
LOOKS = [
    None,
    Style(color="#ddeeff", bgcolor="#101010"),
    Style(color="#aa0000", bgcolor="#101010"),
    Style(color="#aa0000", bgcolor="#303030", bold=True),
    Style(color="#aa0000", bgcolor="#303030", dim=True),
    Style(color="#aa0000", bgcolor="#303030", bold=True, dim=True),
    Style(bgcolor="#101010"),
    Style(color="#ddeeff", bgcolor="#101010", underline=True),
    Style(color="#ddeeff", bgcolor="#101010", reverse=True, italic=True),
    Style(strike=True, bold=True),
    Style(color="red", bgcolor="bright_blue"),
    Style(color="color(123)", italic=True),
]
PARTS = st.tuples(st.text(st.sampled_from("ab   │─…日e\u0301"), max_size=12), st.sampled_from(LOOKS))


def row(parts: list[tuple[str, Style | None]], kind: type[Strip] = LeanStrip) -> Strip:
    """The parts as a row of exactly the width, filled up in the last style."""
    out, left = [], WIDTH
    for text, style in parts:
        # A mark above nothing stands above what was there before, in any terminal.
        fitting = set_cell_size(text, min(left, Segment(text).cell_length)).lstrip("\u0301")
        out.append(Segment(fitting, style))
        left -= out[-1].cell_length
    out.append(Segment(" " * left, out[-1].style if out else None))
    return kind(out, WIDTH)


ROWS = st.builds(row, st.lists(PARTS, max_size=6), st.sampled_from([LeanStrip, Strip]))


@given(rows=st.lists(ROWS, min_size=2, max_size=5))
def test_a_row_over_another_is_what_textual_would_have_written(rows: list[Strip]) -> None:
    glass, expected = Glass(WIDTH + 4, 2), Glass(WIDTH + 4, 2)
    before: Strip | None = None
    for strip in rows:
        writer = Ink(CONSOLE)
        writer.write(1, 3, strip, before)
        writer.write(2, 3, strip, None)  # with the pen that the row above has left
        glass.feed(writer.text)
        before = strip
    for line in (1, 2):
        expected.feed(f"\x1b[{line};3H{Strip(list(rows[-1])).render(CONSOLE)}")
    assert expected.differences(glass.cells) == []


def test_only_cells_that_changed_are_written() -> None:
    base, other = LOOKS[1], LOOKS[2]
    writer = Ink(CONSOLE)
    writer.write(1, 1, row([("output      1,507", base)]), row([("output      1,491", base)]))
    assert writer.text == "\x1b[1;15H\x1b[0;38;2;221;238;255;48;2;16;16;16m507\x1b[0m"
    writer = Ink(CONSOLE)
    writer.write(1, 1, row([("a word  ", base), ("and", other)]), row([("a bird  ", base), ("all", other)]))
    assert writer.text.count("H") == 1
    assert writer.text.endswith("wo\x1b[5C\x1b[38;2;170;0;0mnd\x1b[0m")
    writer = Ink(CONSOLE)
    writer.write(1, 1, row([("same", base)]), row([("same", base), ("   ", other)]))
    assert writer.text == ""  # of a blank no more than its background is seen


def test_blanks_are_written_where_they_cannot_be_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    base, lined = LOOKS[1], LOOKS[7]
    for style, erases, expected in ((base, True, "\x1b[30X"), (base, False, " " * 30), (lined, True, " " * 30)):
        monkeypatch.setattr(ink, "_ERASES", erases)
        writer = Ink(CONSOLE)
        writer.write(1, 1, row([("", style)]), row([("x" * WIDTH, style)]))
        assert expected in writer.text


@given(before=st.sampled_from(LOOKS), after=st.sampled_from(LOOKS))
def test_a_step_between_pens_is_never_longer_than_to_begin_anew(before: Style | None, after: Style | None) -> None:
    old, new = (pens.codes(style, ColorSystem.TRUECOLOR) for style in (before, after))
    assert len(pens.step(old, new)) <= len(pens.step(None, new))


def test_what_counts_as_one_cell_is_one() -> None:
    plain = [chr(code) for code in range(0x20, 0x3000) if cells._is_plain_text(chr(code))]
    assert {get_character_cell_size(character) for character in plain} == {1}
    assert not any(map(cells._is_plain_text, "日\u0301\u200d\ufe0f🙂\x1b\xad✅"))
