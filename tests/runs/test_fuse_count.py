"""What fuses count, by events alone: never less than what was used, and nothing twice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.fuse_amounts import in_words, parse_pairs
from maverick_tui.runs.fuse_count import NOTHING, FuseCount
from maverick_tui.runs.fuses import Fuse, blown
from maverick_tui.usage import Usage
from tests.support.sampling import examples

AT = 1_790_000_000.0
REQUESTS = st.lists(
    st.tuples(st.integers(1, 50_000), st.integers(0, 5_000), st.floats(0, 2), st.booleans()), min_size=1, max_size=30
)
"""Tokens in and out, dollars, and whether the engine has billed the turn so far."""


@settings(deadline=None, max_examples=examples(80, 400))
@given(REQUESTS, st.sampled_from(["usd", "tokens", "turns"]), st.floats(0.01, 100_000), st.floats(0.5, 1.5))
def test_it_is_never_overshot_by_more_than_the_request_in_flight(
    requests: list[tuple[int, int, float, bool]], unit: str, most: float, billed_at: float
) -> None:
    """Whether the engine bills more than the estimate, or less."""
    count, fuses = FuseCount(), {("run", unit): Fuse("run", unit, most)}
    real = {"usd": 0.0, "tokens": 0.0, "turns": 0.0}
    in_turn = Usage()
    count.take(ev.TurnStarted(AT, 1))
    for number, (read, written, dollars, ends_turn) in enumerate(requests):
        if blown(fuses, count.used(AT), NOTHING) is not None:
            break
        before = real[unit]
        message = f"m{number}"
        count.take(ev.UsageReported(AT, message, read, 1, cost_usd=dollars / 2))
        count.take(ev.UsageReported(AT, message, read, written, cost_usd=dollars))
        in_turn += Usage(read, written, cost_usd=dollars)
        real["usd"] += dollars
        real["tokens"] += read + written
        real["turns"] += 1
        assert before < most, "whoever is beyond it asks nothing more"
        if ends_turn:
            bill = Usage(*in_turn.tokens, (in_turn.cost_usd or 0.0) * billed_at)
            count.take(ev.TurnEnded(AT, 1, "done", bill, steps=1))
            count.take(ev.TurnStarted(AT, 2))
            in_turn = Usage()
    used = count.used(AT)
    assert used.of(unit) >= real[unit] or math.isclose(used.of(unit), real[unit])


def test_time_in_which_a_person_is_asked_is_not_counted() -> None:
    count = FuseCount()
    count.take(ev.TurnStarted(AT, 1))
    count.take(ev.ToolCalled(AT, "c", "Bash", {}))
    count.take(ev.ToolCalled(AT, "next", "Bash", {}))
    count.take(ev.PermissionAsked(AT + 60, "q", "c", "Bash", {}))
    assert count.used(AT + 3_000).minutes == 1
    count.take(ev.PermissionSettled(AT + 3_060, "q", "c", "once"))
    count.take(ev.TurnEnded(AT + 3_120, 1, "done", Usage()))
    assert count.used(AT + 9_000).minutes == 2


def minutes(*told: ev.Event) -> float:
    """What an hour counts in which a person is asked about "c"."""
    count = FuseCount()
    for event in (ev.TurnStarted(AT, 1), *told, ev.PermissionAsked(AT, "q", "c", "Bash", {})):
        count.take(event)
    found = count.used(AT + 3_600).minutes
    count.take(ev.PermissionSettled(AT + 3_600, "q", "c", "once"))
    assert count.used(AT + 3_660).minutes == found + 1, "once it is answered, time counts again"
    return found


def test_the_clock_stands_still_only_while_nothing_else_goes_on() -> None:
    called = [ev.ToolCalled(AT, "c", "Bash", {})]
    below = [ev.ToolCalled(AT, "a", "Agent", {}), ev.ToolBegan(AT, "a"), ev.ToolCalled(AT, "c", "Bash", {}, "a")]
    beside = [ev.ToolCalled(AT, "b", "Agent", {}), ev.ToolBegan(AT, "b")]
    reads = [ev.ToolCalled(AT, "r", "Read", {}, "b"), ev.ToolBegan(AT, "r")]
    assert minutes(*called) == 0
    assert minutes(*called, ev.ToolCalled(AT, "r", "Read", {}), ev.ToolBegan(AT, "r")) == 60, "it runs beside"
    assert minutes(*below) == 0, "the agent waits for its subagent, which waits for the person"
    assert minutes(*below, *beside) == 60, "another one asks the model"
    assert minutes(*below, *beside, *reads) == 60
    assert minutes(*below, ev.ToolFinished(AT, "a", "began")) == 60, "the agent does not wait for it"
    assert minutes(*below, *beside, ev.ToolFinished(AT, "b", "done")) == 0
    assert minutes(*beside) == 0, "a question of the run's own: all wait for that"
    assert minutes(ev.ToolCalled(AT, "c", "Bash", {}, "apart-x")) == 0, "an author's code waits for it"


def test_a_new_day_begins_with_nothing_and_what_a_background_task_repeats_counts_once() -> None:
    count = FuseCount()
    count.take(ev.TurnStarted(AT, 1))
    count.take(ev.UsageReported(AT, "m1", 100, 10, cost_usd=1.0))
    count.take(ev.TurnEnded(AT, 1, "done", Usage(100, 10, cost_usd=0.9), steps=1))
    count.take(ev.UsageReported(AT, "m1", 100, 10, cost_usd=1.0))
    assert (count.used(AT).usd, count.used(AT).turns, count.used_today(AT).usd) == (1.0, 1, 1.0)
    tomorrow = AT + 86_400
    count.take(ev.TurnStarted(tomorrow, 2))
    count.take(ev.UsageReported(tomorrow, "m2", 1, 1, cost_usd=0.25))
    assert (count.used(tomorrow).usd, count.used_today(tomorrow).usd) == (1.25, 0.25)


def test_what_is_being_written_counts_by_its_characters() -> None:
    count = FuseCount(lambda model, usage: usage.output_tokens * 0.01 if model == "opus" else None)
    count.take(ev.ModelNamed(AT, "opus"))
    count.take(ev.TurnStarted(AT, 1))
    count.take(ev.UsageReported(AT, "m1", 100, 1, cost_usd=0.5))
    count.take(ev.BlockGrew(AT, 1, "x" * 400))
    assert count.used(AT).usd == 1.5
    count.take(ev.UsageReported(AT, "m1", 100, 90, cost_usd=1.4))
    assert count.used(AT).usd == 1.4


@pytest.mark.parametrize(
    ("fuse", "used", "most"),
    [(Fuse("run", "usd", 2), 2.1, 4), (Fuse("run", "usd", 2), 9.5, 12), (Fuse("run", "turns", 2, 1), 3, 5)],
)
def test_it_is_extended_by_the_same_again_until_half_of_that_is_left(fuse: Fuse, used: float, most: float) -> None:
    assert fuse.beyond(used).most == most


def test_amounts_are_written_in_one_way() -> None:
    assert parse_pairs(["usd=$2.5", "turns=3"]) == {"usd": 2.5, "turns": 3.0}
    for wrong in (["usd"], ["dollars=2"], ["usd=0"], ["usd=inf"], ["usd=x"], ["usd=1", "usd=2"]):
        with pytest.raises(ValueError, match=r"usd|dollars|above 0"):
            parse_pairs(wrong)
    words = [
        in_words(*pair) for pair in (("usd", 2), ("usd", 0.031), ("tokens", 50_000), ("turns", 1), ("minutes", 1.5))
    ]
    assert words == ["$2.00", "$0.031", "50,000 tokens", "1 turn", "1.5 min"]
