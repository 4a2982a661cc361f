"""The page of the totals: bars that are in proportion, at every width."""

from __future__ import annotations

from datetime import date, timedelta
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from maverick_tui.history.totals import Figures, Totals
from maverick_tui.ui.history.charts import lying, standing
from maverick_tui.ui.history.totals_page import MEASURES, measured, totals_lines

TODAY = date(2026, 11, 16)


def text_of(totals: Totals, measure: str = "cost", width: int = 76, height: int = 18) -> list[str]:
    lines = totals_lines(totals, measure, TODAY, width, height)
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def some() -> Totals:
    days = {TODAY - timedelta(days=at): Figures(1.0 * at, 1_000 * at, at) for at in (0, 1, 8, 20)}
    agents = {"reviewer": Figures(20, 20_000, 20), "tester": Figures(9, 9_000, 9)}
    models = {"claude-sonnet-4-5-20250929": Figures(20, 1, 1), "claude-sonnet-4-5": Figures(9, 1, 1)}
    return Totals(Figures(29, 29_000, 29), days, agents, models)


def test_bars_stand_in_proportion_and_what_is_little_can_be_seen() -> None:
    assert standing([0, 0.001, 4, 8], 8, 2) == [list("   █"), list(" ▁██")]
    assert standing([0, 0], 0, 1) == [["  "[:1], " "]]
    assert [lying(value, 8, 4) for value in (0, 0.001, 3, 8, 9)] == ["", "╸", "━╸", "━━━━", "━━━━"]
    assert standing([0, 4, inf, nan], inf, 1) == [list(" ▁█ ")]


def test_sums_of_days_and_shares_of_agents_and_models() -> None:
    lines = text_of(some(), width=100)
    assert lines[0] == "all $29.00   today $0.00   7 days $1.00   30 days $29.00   29 runs · 29.0 k tokens"
    assert lines[2].startswith("$20.00 ┤")
    assert any(line.endswith("today") and "9 Nov" in line and "2 Nov" in line for line in lines)
    assert any("reviewer" in line and "69%" in line for line in lines)
    (model,) = (line for line in lines if "sonnet 4.5" in line)
    assert model.endswith("$29.00 100%"), "versions of one name are one"
    assert "all 29.0 k" in text_of(some(), "tokens")[0]
    assert "all 29   today 0" in text_of(some(), "runs")[0]


def test_estimates_are_told_as_such_in_sums_and_shares() -> None:
    totals = some()
    for figures in (totals.whole, totals.days[TODAY - timedelta(days=8)], totals.agents["tester"]):
        figures.is_estimate = True
    lines = text_of(totals, width=100)
    assert lines[0].startswith("all ~$29.00   today $0.00   7 days $1.00   30 days ~$29.00")
    assert any("tester" in line and "~$9.00" in line and "~$20" not in line for line in lines)
    assert "~" not in text_of(totals, "tokens")[0]


def test_what_has_cost_nothing_is_told_in_tokens() -> None:
    assert measured(Totals(Figures(0, 5, 1)), "cost") == "tokens"
    assert measured(some(), "cost") == "cost"


def test_many_agents_are_few_lines() -> None:
    totals = some()
    totals.agents = {f"agent-{at}": Figures(at) for at in range(50)}
    lines = text_of(totals)
    assert sum("agent-" in line for line in lines) == 11
    assert any("all others" in line for line in lines)


@given(
    st.integers(8, 200),
    st.integers(1, 60),
    st.sampled_from(MEASURES),
    st.dictionaries(st.integers(0, 5_000), st.floats(0, 1e6, allow_nan=False), max_size=8),
    st.dictionaries(st.text(max_size=30), st.floats(0, 1e6, allow_nan=False), max_size=4),
)
def test_it_fits_any_screen(
    width: int, height: int, measure: str, days: dict[int, float], names: dict[str, float]
) -> None:
    totals = Totals(
        days={TODAY - timedelta(days=day): Figures(cost, int(cost)) for day, cost in days.items()},
        agents={name: Figures(cost, int(cost)) for name, cost in names.items()},
    )
    lines = text_of(totals, measure, width, height)
    if width >= 40:
        assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("days", [1, 40, 400])
def test_the_last_bar_is_today(days: int) -> None:
    totals = Totals(days={TODAY: Figures(5), TODAY - timedelta(days=days): Figures(1)})
    bars = [line for line in text_of(totals) if "█" in line]
    assert all(line.rstrip().endswith("█") for line in bars)
