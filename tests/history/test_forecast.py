"""What a run is likely to cost, by the past ones of its agent."""

from __future__ import annotations

import json

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.history.forecast import forecast, forecast_of
from maverick_tui.ui.picker.forecasts import read_forecasts
from tests.history.kept import AT, begun, ended, keep
from tests.support.command_line import command_line


def keep_one(number: int, cost: float | None, *, agent: str = "reviewer", is_over: bool = True) -> None:
    run_id, at = f"{number:012}", AT + number * 100
    used = ev.Usage(10, 5, cost_usd=cost, duration_ms=number * 1_000)
    turn = [ev.TurnStarted(at + 1, 1, "Look"), ev.TurnEnded(at + 2, 1, "done", used)]
    keep(run_id, [*begun(run_id, at, agent=agent), *turn, *(ended(at) if is_over else ())])


@pytest.mark.explore
def test_it_takes_three_runs_that_are_over_and_tells_half_and_nine_of_ten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert forecast("reviewer") is None
    for number in (1, 2):
        keep_one(number, number / 10)
    keep_one(3, 9.0, is_over=False)
    keep_one(4, 9.0, agent="reviewer-2")
    assert forecast("reviewer") is None, "one of three is not over, or another's"
    for number in range(5, 13):
        keep_one(number, number / 10)
    found = forecast("reviewer")
    assert found is not None
    assert (found.runs, found.cost_p50, found.cost_p90, found.seconds_p90) == (10, 0.7, 1.1, 11.0)
    assert read_forecasts() == {"reviewer": found}, "another process says the same"
    run = command_line(monkeypatch, capsys)
    shown = run("agents", "show", "reviewer").out
    assert "half ~$0.700 in 7.0 s, 9 of 10 ~$1.10 in 11 s at most, by its last 10 runs" in " ".join(shown.split())
    told = json.loads(run("agents", "show", "reviewer", "--json").out)["forecast"]
    assert told == {"runs": 10, "cost_usd": {"p50": 0.7, "p90": 1.1}, "seconds": {"p50": 7.0, "p90": 11.0}}


def test_what_nobody_knows_the_price_of_has_a_time() -> None:
    found = forecast_of([(None, 1.0), (None, 2.0), (None, 3.0)])
    assert found is not None
    assert (found.cost_p50, found.seconds_p50) == (None, 2.0)
    assert found.row.parts[0].text == "half 2.0 s"
    assert found.row.parts[-1].text == "at most, by its last 3 runs, no price is known"
