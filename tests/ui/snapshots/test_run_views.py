"""Ways to look at a run: how much of it, from where, and what is in it."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import RunShot
from tests.ui.snapshots.story import NARROW, WIDE, StoryApp, settled

at_both_sizes = pytest.mark.parametrize("size", sampled([(NARROW,), (WIDE,)], 2, ["80x24", "120x40"]))


def app_of(pilot: Pilot[Any]) -> StoryApp:
    assert isinstance(pilot.app, StoryApp)
    return pilot.app


@at_both_sizes
@pytest.mark.parametrize("verbosity", ["quiet", "full"])
def test_less_and_more_detail(run_shot: RunShot, verbosity: str, size: tuple[int, int]) -> None:
    tape = tapes.reproduced().say("The cause is in `Money.percent`.").tool("Edit", tapes.EDIT, "ok", detail=tapes.PATCH)
    assert run_shot(tape.done(), size, verbosity=verbosity)


@at_both_sizes
def test_find(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def find(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+f", *"round", "enter")

    assert run_shot(tapes.done(), size, find)


@pytest.mark.explore
def test_find_nothing(run_shot: RunShot) -> None:
    async def find(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+f", *"florin")

    assert run_shot(tapes.done(), NARROW, find)


@at_both_sizes
def test_scrolled_up_while_it_goes_on(run_shot: RunShot, size: tuple[int, int]) -> None:
    tape = tapes.done().prompt("And the coupons?")
    seen, more = list(tape.events), tape.events
    more.clear()
    tape.say("They are computed by the same function.\n\n- `shop/coupons.py:30`\n- its tests pass", is_open=True)
    rest = list(more)
    more[:] = seen

    async def scroll(pilot: Pilot[Any]) -> None:
        app = app_of(pilot)
        await pilot.press("pageup")
        await settled(pilot)
        app.play(app.first, rest)

    assert run_shot(tape, size, scroll)


@at_both_sizes
def test_walking_through_the_transcript(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def walk(pilot: Pilot[Any]) -> None:
        await pilot.press("tab", *["left_square_bracket"] * 3, "enter")

    assert run_shot(tapes.repaired().done(), size, walk)


def test_a_notice(run_shot: RunShot) -> None:
    async def copy(pilot: Pilot[Any]) -> None:
        app_of(pilot).notify("Copied 1,204 characters.", timeout=60)
        await pilot.pause()

    assert run_shot(tapes.repaired().done(), WIDE, copy)


def test_without_the_usage_panel(run_shot: RunShot) -> None:
    assert run_shot(tapes.repaired().done(), WIDE, is_panel_closed=True)
