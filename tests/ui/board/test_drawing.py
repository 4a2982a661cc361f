"""Rows of the board: two lines for each run where there is room, in any width, and never wider than that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from maverick_tui.runs.card import RunCard
from maverick_tui.ui.board.drawing import RowDrawing, height

NOW = 10_000.0
ASKS = RunCard(
    "a", agent="implementer", prompt="Mend the discount", phase="asking", about="Bash make test", since=NOW - 5,
    last_line="I reproduce it first", done=1, steps=4, files=2, tokens=9_800, cost_usd=0.032, cost_sign="~",
    seconds=60.0, turn_began=NOW - 65,
)  # fmt: skip
RESTS = RunCard("b", agent="explorer", prompt="Why is it off?", phase="idle", last_line="By a cent.", seconds=13.0)


def drawn(card: RunCard, width: int, tall: int) -> list[str]:
    drawing = RowDrawing()
    drawing.measure([ASKS, RESTS], NOW)
    return ["".join(text for text, _ in line) for line in drawing.draw(card, width, NOW, tall)]


def test_a_run_has_two_lines_where_the_window_is_wide_or_runs_are_few() -> None:
    assert [height(100, 50, 20), height(70, 6, 18), height(70, 7, 18), height(70, 0, 18)] == [2, 2, 1, 1]


def test_in_a_narrow_window_the_figures_stand_below() -> None:
    first, second = drawn(ASKS, 73, 2)
    assert first.rstrip().endswith("implementer  Bash make test")
    assert second.split("  ")[-1] == "2:05"
    assert all(words in second for words in ("Mend the discount", "1/4", "±2", "9.8k", "~$0.032"))
    (only,) = drawn(ASKS, 73, 1)
    assert "Bash make test" in only
    assert "2:05" in only
    assert "~$0.032" in drawn(ASKS, 120, 2)[0]


def test_runs_of_one_agent_are_told_apart_where_each_has_one_line() -> None:
    same = replace(ASKS, run_id="c0ffee00feed", prompt="Why is it off?")
    cards = [ASKS, same, replace(same, run_id="beef0000feed"), RESTS, replace(RESTS, run_id="d", machine="far")]
    drawing = RowDrawing()
    drawing.measure(cards, NOW)
    for width in (*range(18, 100), 73):
        lines = ["".join(text for text, _ in drawing.draw(card, width, NOW, 1)[0]) for card in cards]
        assert max(map(cell_len, lines)) <= width
    words = (
        "Mend the di… · Bash make",
        "c0ffee00 · Bash",
        "beef0000 · Bash",
        "explorer      By a cent.",
        "By a cent.",
    )
    for said, line in zip(words, lines, strict=True):
        assert said in line


@pytest.mark.parametrize("tall", [1, 2])
def test_no_line_is_wider_than_its_room(tall: int) -> None:
    for width in range(18, 130):
        for card in (ASKS, RESTS):
            assert all(cell_len(line) <= width for line in drawn(card, width, tall)), width


def test_the_time_of_a_run_counts_on_while_a_turn_is_at_work_and_no_more_once_it_rests() -> None:
    def said(card: RunCard, now: float) -> str:
        drawing = RowDrawing()
        drawing.measure([card], now)
        return "".join(text for text, _ in drawing.draw(card, 100, now, 1)[0]).split("  ")[-1]

    assert [said(ASKS, now) for now in (NOW, NOW + 1)] == ["2:05", "2:06"]
    assert [said(RESTS, now) for now in (NOW, NOW + 3600)] == ["13 s", "13 s"]


def test_how_much_a_run_has_changed_is_said_in_words_where_there_is_room() -> None:
    tracked = replace(ASKS, files=6, added=120, deleted=14)
    drawing = RowDrawing()
    drawing.measure([tracked, ASKS, RESTS], NOW)

    def line(card: RunCard, width: int, at: int = 0) -> str:
        return "".join(text for text, _ in drawing.draw(card, width, NOW, 2)[at])

    assert "  +120 -14 in 6 files  9.8k" in line(tracked, 110)
    assert "            ±2  9.8k" in line(ASKS, 110), "of one whose changes are not tracked, what it has edited"
    assert "  +120 -14  9.8k" in line(tracked, 80, 1)
    assert "in 6 files" not in line(tracked, 80, 1)
    for width in range(18, 130):
        assert all(cell_len(line(tracked, width, at)) <= width for at in (0, 1)), width
    said = [(0, None, None), (1, 3, 0), (1, 0, 2), (2, 0, 0), (0, 0, 0)]
    assert [RunCard("a", files=files, added=added, deleted=deleted).changed for files, added, deleted in said] == [
        "",
        "+3 in 1 file",
        "-2 in 1 file",
        "2 files",
        "",
    ]
