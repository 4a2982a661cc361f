"""The three views of the history."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from maverick_tui.history.labels import tag_run
from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from tests.history.kept import begun, ended, keep, turn
from tests.support.runs import BEGAN
from tests.ui.snapshots.conftest import Shot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE, StoryApp, settled
from tests.ui.waiting import until

PROMPTS = (
    "Review the changes on this branch", "Why is the cart total off by one cent?", "Write tests for the invoice module",
    "Which endpoints break if Cart.total() returns Decimal?", "日本語のREADMEを書いてください",
)  # fmt: skip
ANSWER = (
    "Two things stand out:\n\n1. `Cart.total()` rounds each line.\n2. `discount` may be negative.\n\n"
    "Round once, at the end."
)


def keep_months(now: float = BEGAN, prompts: Sequence[str] = PROMPTS) -> None:
    """Runs of some weeks, as somebody might have had them."""
    for number in range(24):
        run_id, at = f"{number + 1:012x}", now - 3_600 - number**2 * 5_500
        agent = ("reviewer", "explorer", "tester")[number % 3]
        model = ("claude-sonnet-4-5-20250929", "claude-opus-4-1")[number % 4 == 3]
        outcome = "failed" if number % 7 == 4 else "done"
        turns = [
            event
            for at_turn in range(1, 2 + number % 3)
            for event in turn(at_turn, prompts[(number + at_turn) % len(prompts)], ANSWER, at, outcome)
        ]
        folder = {"cwd": FOLDER, "repository": FOLDER, "branch": "discounts"}
        journal = keep(run_id, [*begun(run_id, at, agent=agent, model=model, **folder), *turns, *ended(at)])
        os.utime(journal, (at, at))  # what is found in the same words is shown by the time of its file
    tag_run(f"{3:012x}", ["rounding"])


def history() -> StoryApp:
    preferences = Preferences()
    preferences.change(theme="maverick-dark")
    return StoryApp(Launch(Path(FOLDER)), preferences)


async def to_history(pilot: Pilot[Any], *keys: str) -> None:
    """Go there, press these keys, and wait until what was asked for is shown."""
    app = pilot.app
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.focused, "the history is there")
    screen = app.screen
    assert isinstance(screen, HistoryScreen)
    await until(pilot, lambda: screen._preview.line_count, "the runs are listed")
    await pilot.press(*keys)
    await until(pilot, lambda: screen._pane.filter.count, "what was asked for is shown")
    await settled(pilot)


def test_runs(shot: Shot) -> None:
    keep_months()

    async def drive(pilot: Pilot[Any]) -> None:
        await to_history(pilot, "delete", "down")
        screen: Any = pilot.app.screen
        await until(pilot, lambda: screen._previewed == f"{3:012x}", "the highlighted run is told of")

    assert shot(history(), NARROW, drive)


def test_search(shot: Shot) -> None:
    keep_months()

    async def drive(pilot: Pilot[Any]) -> None:
        await to_history(pilot, "tab", *"invoice")
        screen: Any = pilot.app.screen
        await until(pilot, lambda: "place" in screen._pane.filter.count, "it is found")
        await until(pilot, lambda: screen._looking.key.startswith(screen._previewed), "its run is told of")

    assert shot(history(), WIDE, drive)


def test_totals(shot: Shot) -> None:
    keep_months()

    async def drive(pilot: Pilot[Any]) -> None:
        await to_history(pilot, "tab", "tab")
        screen: Any = pilot.app.screen
        await until(pilot, lambda: "by" in screen._pane.filter.count, "they are added up")

    assert shot(history(), NARROW, drive)
