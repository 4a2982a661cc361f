"""A run that a limit has stopped, on its screen: it is offered to go on by itself, counts down, and is called off."""

from __future__ import annotations

from datetime import datetime

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs import commands
from maverick_tui.runs.status import headline
from maverick_tui.ui.picker.items import item_of
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.test_leaving import words
from tests.ui.waiting import until

HOUR = 3600.0


def limited(resets_in: float | None = HOUR, error: str = "NetworkError") -> Tape:
    """A run whose turn a limit has ended."""
    tape = Tape().connect().prompt("Review it")
    at = tape.at + resets_in if resets_in is not None else None
    failure = ev.Failure(error, "rate_limit", "The endpoint limits the rate.", is_retryable=True, retry_at=at)
    return tape.done("failed", failure=failure)


def planned(tape: Tape) -> Tape:
    """It goes on by itself an hour after that."""
    return tape.put(ev.ContinuePlanned(tape.at, _due(tape)))


def _due(tape: Tape) -> float:
    ended = next(event for event in tape.events if isinstance(event, ev.TurnEnded))
    assert ended.failure is not None
    assert ended.failure.retry_at is not None
    return ended.failure.retry_at


def status(app: FedApp) -> str:
    line = app.run_screen._status.line
    return "".join(text for text, _ in line._row(line.content_size.width))


async def test_the_banner_offers_it_and_its_key_takes_it_back() -> None:
    tape = limited()
    at = f"{datetime.fromtimestamp(_due(tape)).astimezone():%H:%M}"
    async with watching(tape, size=(80, 24)) as (app, pilot):
        assert f"Alt+g go on by itself at {at}" in app.shown()
        await pilot.press("alt+g")
        assert app.kept.take() == [commands.PlanContinue()]
        app.tell(tape.put(ev.ContinuePlanned(tape.at, tape.at + HOUR)))
        await until(pilot, lambda: "cancel that" in app.shown(), "the banner says that it is planned")
        assert "It goes on by itself at" in app.shown()
        await pilot.press("alt+g")
        assert app.kept.take() == [commands.CallOffContinue()]
        app.tell(tape.put(ev.ContinueCalledOff(tape.at, "person")))
        await until(pilot, lambda: f"go on by itself at {at}" in app.shown(), "it is offered again")


@pytest.mark.parametrize("resets_in", [None, 30 * 86_400.0])
async def test_it_is_offered_only_where_the_time_is_known_with_its_day(resets_in: float | None) -> None:
    tape = limited(resets_in)
    day = f"{datetime.fromtimestamp(_due(tape)).astimezone():%a %d %b}" if resets_in else ""
    async with watching(tape, size=(80, 24)) as (app, pilot):
        assert ("go on by itself at" in app.shown()) == (resets_in is not None)
        assert day in app.shown()
        await pilot.press("alt+g")
        assert bool(app.kept.take()) == (resets_in is not None)


async def test_the_status_counts_down_and_escape_calls_it_off() -> None:
    tape = limited()
    due = _due(tape)
    async with watching(planned(tape), size=(80, 24)) as (app, pilot):
        for left, shown in ((HOUR - 10, "59:50"), (75, "1:15"), (12, "12 s")):
            app.now = due - left
            app.run_screen.tick()
            assert f"goes on in {shown}  Esc calls it off" in status(app)
        await pilot.press("tab", "escape")
        assert app.kept.take() == [commands.Interrupt()]


async def test_a_week_is_counted_in_days() -> None:
    tape = limited(6.5 * 86_400)
    due = _due(tape)
    async with watching(planned(tape), size=(80, 24)) as (app, _):
        app.now = due - 6.25 * 86_400
        app.run_screen.tick()
        assert "goes on in 6 d 6:00:00  Esc calls it off" in status(app)


async def test_a_list_of_runs_says_until_when_it_waits_and_leaving_asks() -> None:
    tape = limited()
    at = f"{datetime.fromtimestamp(_due(tape)).astimezone():%H:%M}"
    async with watching(planned(tape)) as (app, pilot):
        assert headline(app.run_model.store).word == f"waits until {at}"
        row = item_of(app.run_model, app.now)
        assert (row.marks, row.description) == (((f"‖ waits until {at}", "accent"),), "Review it")
        assert app.board.at_work == [app.run_model]
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert "reviewer waits to continue. Quitting calls that off" in words(app)
        await pilot.press("n", "f9")
        await until(pilot, lambda: "cancels the planned continuation" in words(app), "closing asks, too")


async def test_a_run_that_comes_back_still_has_the_keys_of_what_had_stopped_it() -> None:
    tape = limited()
    tape.put(ev.RunEnded(tape.at, "closed")).put(ev.RunReopened(tape.at)).connect()
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+g", "f5")
        kinds = [type(command) for command in app.kept.take()]
        assert kinds == [commands.PlanContinue, commands.SendPrompt]
