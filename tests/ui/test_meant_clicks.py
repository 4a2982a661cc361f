"""Presses of the mouse that are meant for something else do nothing."""

from __future__ import annotations

from typing import Any

import pytest
from textual.events import MouseDown, MouseUp
from textual.pilot import Pilot
from textual.screen import Screen

from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.ui import meant_clicks
from maverick_tui.ui.meant_clicks import NEAR, TWICE_WITHIN, MeantClicks
from maverick_tui.ui.rule_trial import RuleTrial
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until

PRESSED_AT = 100.0


def click(at: float, button: int = 1, held: str = "", place: tuple[int, int] = (0, 0)) -> tuple[MouseDown, MouseUp]:
    shift, meta, ctrl = (name == held for name in ("shift", "meta", "ctrl"))
    x, y = place
    down = MouseDown(None, x, y, 0, 0, button, shift, meta, ctrl, x, y)
    up = MouseUp(None, x, y, 0, 0, button, shift, meta, ctrl, x, y)
    down.time = up.time = at
    return down, up


@pytest.mark.parametrize(
    ("button", "held", "is_meant"),
    [(1, "", True), (2, "", False), (3, "", False), (1, "shift", False), (1, "meta", False), (1, "ctrl", False)],
)
def test_only_the_left_button_by_itself_clicks(button: int, held: str, is_meant: bool) -> None:
    clicks, screen = MeantClicks(), Screen[None]()
    for event in click(PRESSED_AT, button, held):
        assert clicks.passes_over(event, screen) is not is_meant


def test_another_button_does_not_hold_on_to_what_the_left_one_drags() -> None:
    clicks, screen = MeantClicks(), Screen[None]()
    (down, up), (other_down, other_up) = click(PRESSED_AT), click(PRESSED_AT, 3)
    passed_over = [clicks.passes_over(event, screen) for event in (down, other_down, other_up, up)]
    assert passed_over == [False, True, True, False]


def test_a_screen_that_came_with_a_click_is_not_meant_by_the_second_half_of_a_double_click() -> None:
    clicks, before, after = MeantClicks(), Screen[None](), Screen[None]()
    at = PRESSED_AT
    for later, screen, is_meant in (
        (0.0, before, True),
        (0.1, before, True),
        (0.1, after, False),
        (0.1, after, False),  # three times
        (TWICE_WITHIN, after, True),
        (0.1, after, True),
        (0.1, before, False),
    ):
        at += later
        for event in click(at):
            assert clicks.passes_over(event, screen) is not is_meant, (at, is_meant)


def test_a_click_elsewhere_is_one_of_its_own() -> None:
    clicks, before, after = MeantClicks(), Screen[None](), Screen[None]()
    assert not clicks.passes_over(click(PRESSED_AT)[0], before)
    assert not clicks.passes_over(click(PRESSED_AT + 0.1, place=(NEAR + 1, 0))[0], after)


def rows_of(app: FedApp) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def place_of(app: FedApp, words: str) -> tuple[int, int]:
    rows = rows_of(app)
    y = next(number for number, row in enumerate(rows) if words in row)
    return rows[y].index(words), y


async def post(app: FedApp, pilot: Pilot[Any], events: tuple[MouseDown, MouseUp]) -> None:
    for event in events:
        app.post_message(event)
    await pilot.pause()


async def test_a_double_click_does_not_agree_to_a_dialog_that_its_first_half_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meant_clicks, "NEAR", 100)  # it comes to be in the same place in some windows
    monkeypatch.setattr(RuleTrial, "try_out", lambda _trial, _rule, _agent: "14 calls")
    tape = Tape().connect().prompt("Go")
    tape.ask("Bash", {"command": "make test"}, rules=("Bash(make test)", "Bash"), rules_file="/home/me/rules.toml")
    tape.wait(1)
    async with watching(tape) as (app, pilot):
        await post(app, pilot, click(PRESSED_AT, place=place_of(app, "by a rule")))
        await until(pilot, lambda: app.top == "AlwaysScreen" and any("Write the rule" in row for row in rows_of(app)))
        await post(app, pilot, click(PRESSED_AT + 0.15, place=place_of(app, "Write the rule")))
        assert app.top == "AlwaysScreen"
        assert app.kept.take() == []
        await post(app, pilot, click(PRESSED_AT + 5, place=place_of(app, "Write the rule")))
        await until(pilot, lambda: app.top == "RunScreen", "it is written")
        assert [type(one) for one in app.kept.take()] == [AnswerPermission]
