"""The figures of a moment: what they are, and how they are written."""

from __future__ import annotations

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Usage
from maverick_tui.ui.widgets.usage_figures import Moment, duration, gauge, short, sparkline
from tests.runs.story import OPEN, ask, asked, call, end, told


def test_tokens_agree_with_the_store_to_the_token() -> None:
    store = asked(end(usage=Usage(12_345, 678, 90_123, 4_567, 0.5, 1000)), ev.TurnStarted(10, 2, "x"))
    store.apply(ev.UsageReported(11, "m", 1, 2, 3, 4))
    moment, usage = Moment.of(store, 20.0), store.figures.usage
    assert (moment.input_tokens, moment.output_tokens) == (usage.input_tokens, usage.output_tokens) == (12_346, 680)
    assert (moment.cache_read, moment.cache_write) == (usage.cache_read_tokens, usage.cache_write_tokens)


def test_what_is_written_grows_with_the_answer_until_its_tokens_are_reported() -> None:
    store = asked(ev.UsageReported(1, "m", 10, 1), ev.BlockStarted(1, 1, "text"))
    written = []
    for size in (40, 400):
        store.apply(ev.BlockGrew(2, 1, "x" * size))
        written.append(Moment.of(store, 2.0).written)
    assert written == [("~", 11), ("~", 111)]
    assert store.figures.usage.output_tokens == 1, "a guess is never among the figures"
    store.apply(ev.UsageReported(3, "m", 10, 97))
    assert Moment.of(store, 3.0).written == ("", 97)
    store.apply(ev.BlockStarted(3, 2, "text", parent="call"))
    store.apply(ev.BlockGrew(3, 2, "x" * 40))
    assert Moment.of(store, 3.0).written == ("", 97), "what a subagent says it reports itself"
    store.apply(ev.BlockGrew(4, 1, "x" * 40))
    store.apply(end(usage=Usage(10, 99)))
    assert Moment.of(store, 5.0).written == ("", 99)


@pytest.mark.parametrize(
    ("usage", "is_estimate", "price", "note"),
    [
        (Usage(1, 1, cost_usd=0.0612), False, "$0.061", ""),
        (Usage(1, 1, cost_usd=0.0612), True, "~$0.061", "estimate"),
        (Usage(1, 1, cost_usd=None), False, "no price", ""),
        (Usage(0, 0, cost_usd=None), False, "-", ""),
    ],
)
def test_the_price_of_what_is_done(usage: Usage, is_estimate: bool, price: str, note: str) -> None:
    moment = Moment.of(asked(end(usage=usage, is_estimate=is_estimate)), 20.0)
    assert (moment.price, moment.price_note) == (price, note)


def test_a_price_without_some_of_the_turns_is_at_least_that() -> None:
    store = asked(end(usage=Usage(1, 1, cost_usd=None)), ev.TurnStarted(10, 2, "x"))
    store.apply(end(turn=2, usage=Usage(1, 1, cost_usd=0.5), is_estimate=True))
    assert Moment.of(store, 20.0).price == "≥$0.500"


def test_while_a_turn_runs_the_price_is_what_it_was_so_far() -> None:
    store = asked()
    assert (Moment.of(store, 2.0).price, Moment.of(store, 2.0).price_note) == ("-", "at the end")
    store.apply(end())
    store.apply(ev.TurnStarted(10, 2, "x"))
    assert (Moment.of(store, 11.0).price, Moment.of(store, 11.0).price_note) == ("≥$0.050", "so far")


def test_shares_are_of_what_was_sent_and_of_what_fits() -> None:
    store = asked(ev.ModelNamed(1, "m", context_size=200_000), ev.UsageReported(2, "m", 1_000, 500, 81_000, 18_000))
    moment = Moment.of(store, 3.0)
    assert (moment.cache_share, moment.context_share) == (81, 50)


def test_shares_of_nothing_are_unknown() -> None:
    moment = Moment.of(told(*OPEN), 3.0)
    assert (moment.cache_share, moment.context_share) == (None, None)


def test_turns_count_the_one_that_runs_and_steps_are_its_own() -> None:
    store = asked(end(steps=7), ev.TurnStarted(10, 2, "x"), ev.UsageReported(11, "m", 1))
    moment = Moment.of(store, 12.0)
    assert (moment.turns, moment.step, moment.most_steps) == (2, 1, 30)


def test_two_moments_that_look_the_same_are_equal() -> None:
    store = asked(call("Bash", at=3.0), ask(at=5.0))
    assert Moment.of(store, 8.1) == Moment.of(store, 8.9)
    assert Moment.of(store, 8.9) != Moment.of(store, 9.1)
    assert Moment.of(store, 9.1).person_seconds == 4


def test_subagents_are_there_that_use_something_or_still_work() -> None:
    store = asked(call("Agent", {"description": "explore"}, id="a"), call("Bash", {"command": "sleep 9"}, id="b"))
    store.apply(call("Agent", id="c"))
    store.apply(call("Agent", {"description": "look"}, id="d"))
    store.apply(ev.TaskProgressed(4, "a", "completed", tokens=1234))
    store.apply(ev.TaskProgressed(4, "b", "running"))
    store.apply(ev.TaskProgressed(4, "c", "stopped"))
    store.apply(ev.TaskProgressed(4, "d", "running"))
    tasks = Moment.of(store, 5.0).tasks
    assert [(task.text, task.state, task.tokens) for task in tasks] == [
        ("explore", "completed", 1234),
        ("look", "running", 0),
    ]


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (48, "0:48"), (725, "12:05"), (3725, "1:02:05")])
def test_durations(seconds: int, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"), (999, "999"), (1_000, "1.0k"), (12_480, "12.5k"), (99_949, "99.9k"), (99_951, "100k"),
        (124_600, "125k"), (1_250_000, "1.2M"),
    ],
)  # fmt: skip
def test_short_numbers(number: int, shown: str) -> None:
    assert short(number) == shown


def test_a_sparkline_tells_nothing_from_little() -> None:
    assert sparkline((0, 1, 50, 100)) == "▁▂▅█"
    assert sparkline((0, 0)) == "▁▁"
    assert sparkline((2,)) < sparkline((10,)), "a trickle does not look like a flood"
    assert sparkline(()) == ""


@pytest.mark.parametrize(("percent", "full"), [(0, 0), (1, 1), (34, 3), (100, 10), (130, 10)])
def test_the_gauge_never_hides_what_is_there(percent: int, full: int) -> None:
    assert gauge(percent, 10) == ("━" * full, "─" * (10 - full))
