"""Figures: tokens to the one, time by who had it, and speed."""

from __future__ import annotations

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Usage
from maverick_tui.runs.figures import Spent, dollars
from tests.runs.story import OPEN, START, ask, asked, call, end, text, told

FIRST = Usage(100, 20, 300, 40, 0.05, 8000)
SECOND = Usage(7, 5, 3, 1, 0.01, 1000)


def test_a_run_that_has_asked_nothing_has_used_nothing() -> None:
    figures = told(*OPEN).figures
    assert (figures.usage, figures.turns, figures.steps, figures.seconds(99.0)) == (Usage(), 0, 0, 0.0)


def test_turns_add_up_to_the_token() -> None:
    figures = asked(
        end(usage=FIRST, steps=3), ev.TurnStarted(20, 2, "More"), end(turn=2, usage=SECOND, steps=2, at=21)
    ).figures
    assert figures.usage == Usage(107, 25, 303, 41, 0.05 + 0.01, 9000)
    assert (figures.turns, figures.steps, figures.turn_steps) == (2, 5, 2)


def test_while_a_turn_runs_what_is_reported_counts_on_top() -> None:
    store = asked(end(usage=FIRST), ev.TurnStarted(20, 2, "More"), ev.UsageReported(21, "m1", 10, 1, 200, 30))
    assert store.figures.usage == Usage(110, 21, 500, 70, 0.05, 8000)
    store.apply(ev.UsageReported(22, "m1", 10, 90, 200, 30))
    store.apply(ev.UsageReported(23, "m2", 1, 2, 3, 4))
    assert store.figures.usage == Usage(111, 112, 503, 74, 0.05, 8000)
    store.apply(end(turn=2, usage=SECOND))
    assert store.figures.usage == Usage(107, 25, 303, 41, 0.05 + 0.01, 9000), "the turn's own figures are right"


def test_while_a_turn_runs_its_cost_is_estimated_and_then_replaced_by_the_bill() -> None:
    store = asked(end(usage=FIRST), ev.TurnStarted(20, 2, "More"), ev.UsageReported(21, "m1", 10, cost_usd=0.02))
    figures = store.figures
    assert (figures.has_live_cost, round(figures.usage.cost_usd or 0.0, 6)) == (True, 0.07)
    store.apply(ev.UsageReported(22, "m1", 10, 90, cost_usd=0.03))
    store.apply(ev.UsageReported(23, "m2", 10, cost_usd=0.01))
    assert store.figures.usage.cost_usd == pytest.approx(0.09)
    store.apply(end(turn=2, usage=SECOND))
    assert (store.figures.has_live_cost, store.figures.usage.cost_usd) == (False, 0.05 + 0.01)


def test_the_size_of_the_context_is_known_from_the_start() -> None:
    store = told(START, ev.Connected(0.5, 200_000))
    assert store.figures.context_size == 200_000
    store.apply(ev.ModelNamed(1, "m", context_size=1_000_000))
    store.apply(ev.Connected(9, 200_000))
    assert store.figures.context_size == 1_000_000, "the model's own word counts"


@pytest.mark.parametrize("kind", ["cleared", "compact_boundary"])
def test_how_full_the_context_is_is_forgotten_with_the_conversation(kind: str) -> None:
    store, used = asked(ev.UsageReported(2, "m1", 10, 5)), []
    others, own = ev.Noticed(3, kind, "of a subagent", parent="c1"), ev.Noticed(4, kind, "our own")
    for event in (others, own, ev.UsageReported(5, "m2", 3, 1)):
        store.apply(event)
        used.append(store.figures.context_used)
    assert used == [15, None, 4]


def test_the_answers_of_a_turn_are_counted_while_it_runs() -> None:
    store = asked(ev.UsageReported(2, "m1", 1), ev.UsageReported(3, "m1", 1, 5), ev.UsageReported(4, "m2", 1))
    store.apply(ev.UsageReported(5, "s1", 9, parent="c1"))
    assert store.figures.turn_steps == 2, "a subagent's are not the turn's"
    store.apply(end(steps=0))
    assert store.figures.turn_steps == 2
    store.apply(ev.TurnStarted(10, 2, "More"))
    assert store.figures.turn_steps == 0


def test_what_a_background_task_reports_between_turns_is_not_lost_when_the_next_begins() -> None:
    store = asked(end(usage=FIRST), ev.UsageReported(12, "s1", 5, 6, 7, 8, parent="c1"))
    assert store.figures.usage.input_tokens == 105
    store.apply(ev.TurnStarted(20, 2, "More"))
    assert store.figures.usage.input_tokens == 105


def test_an_answer_that_is_reported_again_after_its_turn_is_not_counted_twice() -> None:
    store = asked(ev.UsageReported(2, "s1", 5, 6, 7, 8, parent="c1"), end(usage=FIRST))
    store.apply(ev.UsageReported(12, "s1", 5, 9, 7, 8, parent="c1"))
    assert store.figures.usage == Usage(100, 23, 300, 40, 0.05, 8000)


def test_the_cost_is_unknown_until_some_turn_had_a_price() -> None:
    store = asked(end(usage=Usage(10, 5, cost_usd=None)))
    assert (store.figures.usage.cost_usd, store.figures.has_unpriced) == (None, True)
    store.apply(ev.TurnStarted(10, 2, "x"))
    store.apply(end(turn=2, usage=Usage(1, 1, cost_usd=0.5), is_estimate=True))
    assert (store.figures.usage.cost_usd, store.figures.has_unpriced, store.figures.is_estimate) == (0.5, True, True)


@pytest.mark.parametrize(
    ("outcome", "bill", "cost"), [("failed", None, 0.03), ("interrupted", 0.01, 0.03), ("done", 0.01, 0.01)]
)
def test_a_turn_that_breaks_off_keeps_its_estimate_if_that_is_more_than_its_bill(
    outcome: ev.Outcome, bill: float | None, cost: float
) -> None:
    store = asked(ev.UsageReported(2, "m1", 10, 90, cost_usd=0.03))
    store.apply(end(outcome, usage=Usage(10, 90, cost_usd=bill)))
    figures = store.figures
    assert (figures.usage.cost_usd, figures.has_unpriced, figures.has_live_cost) == (cost, False, False)
    assert figures.is_estimate == (outcome != "done")


def test_a_turn_that_used_nothing_is_not_without_a_price() -> None:
    assert not asked(end("failed", usage=Usage(duration_ms=3))).figures.has_unpriced


def test_an_estimate_stays_one() -> None:
    store = asked(end(is_estimate=True), ev.TurnStarted(10, 2, "x"), end(turn=2))
    assert store.figures.is_estimate


def test_the_context_is_what_the_agents_own_last_answer_held() -> None:
    store = asked(ev.UsageReported(2, "m1", 10, 20, 3000, 400), ev.UsageReported(3, "s1", 1, 1, 1, 1, parent="c1"))
    assert store.figures.context_used == 3430
    store.apply(end())
    assert store.figures.context_used == 3430


def test_time_goes_on_while_a_turn_runs_and_is_the_clis_own_afterwards() -> None:
    store = asked(at=10.0)
    assert store.figures.seconds(14.5) == 4.5
    assert store.figures.seconds(9.0) == 0.0, "a clock that was set back is not negative time"
    store.apply(end(at=20.0, usage=FIRST))
    assert store.figures.seconds(99.0) == 8.0


def test_where_the_time_went() -> None:
    store = asked(
        *text(1, "x", at=3.0),  # 2 s were waited for the model
        ev.BlockEnded(5.0, 1),  # 2 s of writing
        call("Bash", at=6.0),  # 1 s more
        ask(at=9.0),  # 3 s of tool
        ev.PermissionSettled(19.0, "q1", "c1", "once"),  # 10 s of the person
        ev.ToolFinished(20.0, "c1", "x"),  # 1 s of tool
        ev.RetryScheduled(21.0, 1, 3, 2.0),  # 1 s of model
        ev.InterruptRequested(24.0),  # 3 s of model
        end("interrupted", at=25.0),  # nobody's
    )
    figures = store.figures
    assert Spent(figures.model_seconds, figures.tool_seconds, figures.person_seconds) == Spent(9.0, 4.0, 10.0)


def test_the_current_phase_counts_too() -> None:
    store = asked(call("Bash", at=3.0), at=1.0)
    assert store.figures.spent_until(8.0, store.phase, store.phase_since) == Spent(2.0, 5.0, 0.0)
    store.apply(ask(at=10.0))
    assert store.figures.spent_until(11.0, store.phase, store.phase_since) == Spent(2.0, 7.0, 1.0)


def test_the_time_of_a_tool_that_the_end_of_the_run_cuts_is_counted() -> None:
    store = asked(call("Bash", at=3.0), ev.RunEnded(7.0))
    assert store.figures.tool_seconds == 4.0


def test_speed_is_about_the_last_whole_seconds() -> None:
    store = asked(
        ev.BlockStarted(10.0, 1, "text"),
        ev.BlockGrew(10.1, 1, "x" * 40),
        ev.BlockGrew(10.9, 1, "x" * 40),
        ev.BlockGrew(12.0, 1, "x" * 4),
    )
    assert store.figures.rates(12.9, 4) == [0.0, 0.0, 20.0, 0.0], "the current second is not over"
    assert store.figures.rates(13.0, 4) == [0.0, 20.0, 0.0, 1.0]
    assert store.figures.rates(500.0, 3) == [0.0, 0.0, 0.0]


def test_speed_remembers_a_minute() -> None:
    store = asked(ev.BlockStarted(0.0, 1, "text"), *(ev.BlockGrew(second, 1, "xxxx") for second in range(200)))
    assert sum(store.figures.rates(200.0, 200)) == 60.0


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0042, "$0.0042"),
        (0.0612, "$0.061"),
        (0.9999, "$1.00"),
        (1.239, "$1.24"),
        (1234.5, "$1234.50"),
    ],
)
def test_dollars(usd: float, shown: str) -> None:
    assert dollars(usd) == shown
