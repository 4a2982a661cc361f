"""What runs have used altogether, the orders they are listed in, and what they said last."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.history.money import cost_of, cost_of_all
from maverick_tui.history.totals import Figures
from maverick_tui.runs.figures import dollars
from maverick_tui.usage import Usage
from tests.history.kept import AT, begun, ended, keep, keep_run, turn
from tests.history.sessions.stored import OTHER, Session

DAY = 86_400


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def test_turns_count_on_their_own_day_and_a_run_of_two_days_is_one_run() -> None:
    keep("000000000001", [*begun("000000000001"), *turn(1), *turn(2, at=AT + DAY), *ended(AT + DAY)])
    keep_run("000000000002", AT + DAY, agent="tester", model="opus")
    with RunIndex() as index:
        totals = index.totals()
    first, second = (datetime.fromtimestamp(at, UTC).date() for at in (AT, AT + DAY))
    assert totals.whole == Figures(0.75, 45, 2)
    assert totals.days == {first: Figures(0.25, 15, 1), second: Figures(0.5, 30, 2)}
    assert totals.agents == {"reviewer": Figures(0.5, 30, 1), "tester": Figures(0.25, 15, 1)}
    assert totals.models == {"sonnet": Figures(0.5, 30, 1), "opus": Figures(0.25, 15, 1)}


def test_each_turn_counts_for_the_model_that_has_answered_it() -> None:
    events = [*begun("000000000001"), *turn(1), ev.ModelNamed(AT + 4, "opus"), *turn(2)]
    answered = [ev.TurnStarted(AT + 5, 3, "Go on"), ev.UsageReported(AT + 6, "m1", 7, 0)]
    late = [ev.ModelNamed(AT + 7, "haiku"), ev.TurnEnded(AT + 8, 3, "done", Usage(7, 0, 0, 0, 0.5))]
    keep("000000000001", [*events, *answered, *late])
    with RunIndex() as index:
        totals = index.totals()
    assert totals.whole == Figures(1.0, 37, 1)
    assert [figures.runs for figures in totals.days.values()] == [1]
    assert totals.models == {"sonnet": Figures(0.25, 15, 1), "opus": Figures(0.75, 22, 1)}


def test_what_an_open_turn_has_reported_counts_as_the_list_counts_it() -> None:
    spent = ev.UsageReported(AT + 5, "m1", 10, 20, 0, 0, cost_usd=0.5)
    keep("000000000001", [*begun("000000000001"), *turn(1), ev.TurnStarted(AT + 4, 2, "Go on"), spent])
    with RunIndex() as index:
        (run,) = index.runs()
        assert index.totals().whole.cost_usd == run.about.cost_usd == 0.75
        assert index.totals().whole.tokens == 45


def test_a_sum_with_an_estimate_in_it_is_one() -> None:
    spent = ev.UsageReported(AT + 5, "m1", 10, 20, 0, 0, cost_usd=0.5)
    open_turn = [*begun("000000000001", agent="tester"), *turn(1), ev.TurnStarted(AT + 4, 2, "Go on"), spent]
    keep("000000000001", open_turn)
    keep_run("000000000002", AT + DAY)
    with RunIndex() as index:
        totals, (exact, guessed) = index.totals(), index.runs()
    assert (cost_of(exact), cost_of(guessed)) == ("$0.250", "~$0.750")
    assert cost_of_all([exact, guessed]) == "~$1.00"
    assert totals.whole.is_estimate
    assert [totals.agents[name].is_estimate for name in ("tester", "reviewer")] == [True, False]
    assert [figures.is_estimate for _, figures in sorted(totals.days.items())] == [True, False]
    billed = ev.TurnEnded(AT + 6, 2, "done", ev.Usage(10, 20, 0, 0, 0.5, 1_000))
    keep("000000000001", [*open_turn, billed])
    with RunIndex() as index:
        assert not index.totals().whole.is_estimate, "there is a bill"


def test_a_filter_chooses_runs_and_its_time_chooses_turns() -> None:
    keep("000000000001", [*begun("000000000001"), *turn(1), *turn(2, at=AT + DAY), *ended(AT + DAY)])
    keep_run("000000000002", AT, agent="tester", prompt="Find the cent")
    with RunIndex() as index:

        def cost(text: str) -> float:
            return index.totals(parse_filter(text, lambda: AT + DAY + 60)).whole.cost_usd

        assert cost("") == 0.75
        assert cost("agent:tester") == 0.25
        assert cost("since:1h") == 0.25, "what the first day has cost is not of the last hour"
        assert cost("cent state:done") == 0.25
        assert cost("nothing") == 0


def test_a_time_that_no_calendar_has_counts_on_no_day() -> None:
    keep_run("000000000001", 1e17)
    with RunIndex() as index:
        totals = index.totals()
    assert totals.days == {}
    assert totals.whole.cost_usd == 0.25


def test_runs_are_listed_by_cost_duration_and_agent() -> None:
    keep("000000000001", [*begun("000000000001", agent="Zoe"), *turn(1), *turn(2), *ended()])
    keep("000000000002", [*begun("000000000002", agent="adam"), *turn(1), *ended(AT + 500)])
    keep("000000000003", [*begun("000000000003", AT + 600, agent="Bea"), *ended(AT + 600)])
    with RunIndex() as index:
        order = {
            by: [run.run_id[-1] for run in index.runs(order_by=by)] for by in ("time", "cost", "duration", "agent")
        }
    assert order == {
        "time": ["3", "2", "1"],
        "cost": ["1", "2", "3"],
        "duration": ["1", "2", "3"],
        "agent": ["2", "3", "1"],
    }


def test_only_the_time_of_turns_counts() -> None:
    again = [ev.RunReopened(AT + 86_400), *turn(2, at=AT + 86_400), ev.RunEnded(AT + 86_500)]
    keep("00000000000a", [*begun("00000000000a"), *turn(), *ended(), *again])
    keep(
        "00000000000b", [*begun("00000000000b"), ev.TurnStarted(AT + 1, 1, "Look"), ev.BlockStarted(AT + 6, 1, "text")]
    )
    with RunIndex() as index:
        runs = index.runs(order_by="duration")
    assert [(run.run_id[-1], run.duration()) for run in runs] == [("b", 5.0), ("a", 4.0)]
    assert runs[0].duration(AT + 11) == 10.0
    assert runs[1].to_json()["duration"] == 4.0


def test_a_session_that_was_copied_to_go_on_counts_once() -> None:
    Session().ask("Fix it").answer("Fixed.").write()
    copy = Session(OTHER).ask("Fix it").answer("Fixed.")
    copy.ask("And now?").answer("That, too.").write(AT + 9)
    with RunIndex() as index:
        assert index.read_sessions() == 2
        both, runs = index.totals().whole, index.runs()
    assert [run.about.turns for run in runs] == [2, 1]
    whole = max(run.about.cost_usd or 0.0 for run in runs)
    assert both.cost_usd == pytest.approx(whole)
    assert (both.tokens, both.runs) == (202, 2)
    assert cost_of_all(runs) == f"~{dollars(whole)}"


def test_the_last_words_are_the_end_of_the_last_answer() -> None:
    long = "begin " + "and so on " * 3_000 + "the end"
    keep("000000000001", [*begun("000000000001"), *turn(1, answer="first"), *turn(2, answer=long), *ended()])
    keep("000000000002", [*begun("000000000002"), *ended()])
    with RunIndex() as index:
        assert index.last_words("000000000001").endswith("so on the end")
        assert index.last_words("000000000002") == ""


def test_nobody_has_paid_for_what_a_script_says() -> None:
    for run_id, is_offline in (("a" * 12, True), ("b" * 12, False)):
        keep(run_id, [*begun(run_id, 1_000.0, is_offline=is_offline), *turn(1, at=1_000.0), *ended(1_000.0)])
    with RunIndex() as index:
        costs = {run.run_id: run.about.cost_usd for run in index.runs()}
        assert [turn.cost_usd for turn in index.turns("a" * 12)] == [None]
    assert costs["a" * 12] is None
    assert costs["b" * 12]
