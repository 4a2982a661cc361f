"""What a run did while nobody looked, in figures and in words."""

from __future__ import annotations

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host.state import LiveState
from maverick_tui.runs.digest import MOST_FILES, Digest, digest_from_json, span
from tests.support.effort import effort
from tests.support.runs import BEGAN, STREAM_BROKE, Tape, history

LEFT = BEGAN + 5


def away(before: Tape, after: Tape) -> Digest:
    """What is told of `after` if somebody left at the end of `before`."""
    state = LiveState()
    for event in before.events:
        state.take(event)
    state.leave(LEFT)
    for event in after.events:
        state.take(event)
    digest = digest_from_json(state.to_json()["away"])
    assert digest is not None
    return digest


def test_only_what_came_after_one_left_is_counted() -> None:
    before = Tape().connect().prompt("Go").tool("Write", {"file_path": "/work/shop/old.py"}).done()
    after = Tape().prompt("More").tool("Edit", {"file_path": "/work/shop/cart.py"})
    after.tool("Edit", {"file_path": "/work/shop/cart.py"}).tool("Read", {"file_path": "/work/shop/money.py"})
    after.tool("Write", {"file_path": "/work/shop/never.py"}, is_error=True).done()
    after.prompt("Again").done("failed", failure=STREAM_BROKE, cost_usd=0.2).prompt("Now").ask(
        "Bash", {"command": "ls"}
    )
    told = away(before, after)
    assert (told.since, told.turns, told.failures, told.asked) == (LEFT, 2, 1, 1)
    assert (told.files, told.file_names) == (1, ("/work/shop/cart.py",))
    assert told.cost_usd == pytest.approx(0.2214)
    assert told.tokens > 0
    assert told.in_words(waiting=1) == ["2 turns", "1 file", "$0.221", "1 failure", "1 question waits"]


def test_a_file_counts_that_was_being_written_when_one_left() -> None:
    before = Tape().connect().prompt("Go")
    call = before.call("NotebookEdit", {"notebook_path": "/work/shop/a.ipynb"})
    after = Tape()
    after.events.clear()
    assert away(before, after.answer(call)).file_names == ("/work/shop/a.ipynb",)


def test_nothing_that_happened_is_nothing_to_tell() -> None:
    after = Tape()
    after.events.clear()
    told = away(Tape().connect().prompt("Go").done(), after)
    assert told.is_empty
    assert told.in_words() == []
    assert LiveState().to_json()["away"] is None, "nobody has ever been said to have left"


def test_of_many_files_the_last_ones_have_a_name() -> None:
    after = Tape().prompt("Go")
    for number in range(MOST_FILES + 5):
        after.tool("Write", {"file_path": f"/work/shop/{number}.py"})
    after.put(ev.RunEnded(after.at, "closed"))
    told = away(Tape(), after)
    assert (told.files, len(told.file_names), told.file_names[-1]) == (25, 20, "/work/shop/24.py")
    assert told.in_words(waiting=2) == ["25 files", "2 questions wait", "ended"]


@pytest.mark.parametrize(
    "told",
    [None, {}, [], "x", {"since": "now"}, {"since": True}, {"since": float("nan")}],
    ids=str,
)
def test_what_means_nothing_here_is_no_digest(told: object) -> None:
    assert digest_from_json(told) is None


def test_a_strange_host_tells_no_strange_things() -> None:
    told = digest_from_json(
        {"since": 5, "turns": "many", "files": None, "file_names": 7, "cost_usd": float("inf"), "is_ended": "no"}
    )
    assert told == Digest(5.0)


@pytest.mark.explore
def test_a_hundred_thousand_events_are_counted_once() -> None:
    state = LiveState()
    for event in history(turns=3_000):
        state.take(event)
    state.leave(LEFT)
    grown = [ev.BlockGrew(BEGAN, 1, "text")] * 100_000

    def take_all() -> None:
        for event in grown:
            state.take(event)

    assert effort(take_all) < 20
    assert state.turns == 3_000
    assert state.to_json()["away"]["turns"] == 0


def test_how_long_one_was_away() -> None:
    assert [span(seconds) for seconds in (-3, 41.7, 60, 754, 7_300, 200_000)] == [
        "0 s", "41 s", "1 min", "12 min", "2 h", "2 d",
    ]  # fmt: skip
