"""What stands beside a character of doubtful width stands where we count, in terminals that count otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category

import pyte
import pytest
from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from textual.strip import Strip

from maverick_tui.ui.textual_private.ink import Ink
from maverick_tui.ui.textual_private.steady import steady
from maverick_tui.ui.textual_private.strip import LeanStrip
from maverick_tui.ui.textual_private.widths import give_marks_cells, gives_marks_cells
from tests.support.cases import each
from tests.ui.textual_private.test_ink import CONSOLE, LOOKS

WIDTH = 40
BESIDE = "|beside"
ODD = [
    "⚠️",
    "👩‍💻",
    "👨‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "हिन्दी",
    "தமிழ்",
    "👍🏽",
    "❤︎",
    "1️⃣",
    "🫠",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",
]
# pyte would leave out all that follows them.
_HIDDEN = re.compile("[\u200b-\u200d\ufe0e\ufe0f\U000e0020-\U000e007f]")


def each_wide(character: str) -> int:
    """As a terminal counts that knows no joiners, and takes half a flag for a whole one."""
    return 2 if character >= "\U0001f000" else each_narrow(character)


def each_narrow(character: str) -> int:
    """As one counts whose tables are old."""
    return 0 if category(character) in ("Mn", "Me") else 1


def row(text: str) -> Strip:
    return LeanStrip([Segment(text + " " * (WIDTH - cell_len(text)), LOOKS[1])], WIDTH)


def letters(text: str) -> dict[int, str]:
    """What is certain of a row: where each letter of ASCII, and each blank behind the text, is to stand."""
    spans, at, found = split_graphemes(text)[0], 0, {}
    for start, end, width in spans:
        if text[start:end].isascii():
            found[at] = text[start:end]
        at += width
    return found | dict.fromkeys(range(at, WIDTH), " ")


@each("count", [each_wide, each_narrow])
@pytest.mark.parametrize("odd", ODD)
def test_all_else_stands_where_it_is_counted(
    count: Callable[[str], int], odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyte.screens.wcwidth", count)
    screen = pyte.Screen(WIDTH + len(BESIDE), 1)
    stream = pyte.Stream(screen)
    full = "x" * (WIDTH - cell_len(odd))
    texts = [f"ab {odd} cd{odd}ef", f"ab {odd} cd{odd}", "a", f"{odd}{odd}b", full + odd, f"  {odd}c", "ab", f"{odd} b"]
    stream.feed(f"\x1b[1;{WIDTH + 1}H{BESIDE}")
    before: Strip | None = None
    for text in texts:
        ink, new = Ink(CONSOLE), row(text)
        ink.write(1, 1, new, before)
        before = new
        stream.feed(_HIDDEN.sub("", steady(ink.text)))
        shown = [screen.buffer[0][x].data for x in range(screen.columns)]
        assert "".join(shown[WIDTH:]) == BESIDE
        assert {at: shown[at] for at in letters(text)} == letters(text)


def test_other_text_costs_not_a_byte_more() -> None:
    for text in ("plain", "│ é e\u0301 … ✓ ⚠ 日本語 한국어 🙂 ✅ คน", "\x1b]2;👩‍💻 in a title\x07", "क ख"):
        assert steady(text) == text


def test_vowels_have_cells_where_a_terminal_gives_them_some() -> None:
    assert gives_marks_cells({"TERM": "xterm-256color"})
    assert gives_marks_cells({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"})
    assert not gives_marks_cells({"TERM": "xterm-kitty"})
    before = {text: cell_len(text) for text in ("e\u0301", "日", "👩‍💻", "⚠️", "न्")}
    assert cell_len("हिन्दी") == 3
    give_marks_cells()
    assert cell_len("हिन्दी") == 5  # as many as tmux gives it
    assert {text: cell_len(text) for text in before} == before
