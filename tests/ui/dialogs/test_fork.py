"""How a fork is to go on: what it is asked, and by whom."""

from __future__ import annotations

import pytest

from maverick_tui.ui.dialogs.fork import ForkScreen, ForkWanted
from tests.support.sampling import sampled
from tests.ui.dialogs.host import BROAD, NARROW, asked
from tests.ui.waiting import until

LONG = "Show me around: what happens between adding a product and its receipt, and where is it rounded?"


def dialog(turn: int = 2, prompt: str = LONG) -> ForkScreen:
    return ForkScreen(turn, prompt, "reviewer", ["explorer", "reviewer", "[b]odd"], "sonnet", mode="plan")


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_the_prompt_of_the_turn_is_there_to_be_edited(size: tuple[int, int]) -> None:
    async with asked(dialog(), size) as (app, pilot):
        await until(pilot, lambda: "rounded?" in app.text)
        assert "Fork after turn 2" in app.text
        await pilot.press("end", "!", "enter")
        await until(pilot, lambda: app.answer == ForkWanted(f"{LONG}!", "reviewer"))


async def test_whoever_types_another_prompt_replaces_it() -> None:
    async with asked(dialog()) as (app, pilot):
        await until(pilot, lambda: "rounded?" in app.text)
        await pilot.press(*"Anew", "enter")
        await until(pilot, lambda: app.answer == ForkWanted("Anew", "reviewer"))


async def test_another_agent_and_another_model_may_go_on() -> None:
    async with asked(dialog(0, "")) as (app, pilot):
        assert "Fork before the first turn" in app.text
        await until(pilot, lambda: "sonnet" in app.text)
        assert "begins in mode plan" in app.text
        await pilot.press("tab", "space", "down", "enter")
        await until(pilot, lambda: "explorer" in app.text and "its own" in app.text)
        assert "sonnet" not in app.text, "that is another agent's"
        assert "begins in its own mode" in app.text
        await pilot.press("tab", *"opus", "enter")
        await until(pilot, lambda: app.answer == ForkWanted("", "explorer", "opus"))


async def test_nothing_is_forked_by_whoever_leaves() -> None:
    async with asked(dialog()) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: app.answer is None)
