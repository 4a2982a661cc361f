"""Any key at any moment: whatever a person hits, in whatever order, the application goes on."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.own_keys import all_bindings
from tests.support.runs import STREAM_BROKE, Tape
from tests.support.sampling import examples
from tests.ui.running import watching

LEAVE = {"ctrl+c", "ctrl+q", "ctrl+z", "ctrl+g", "ctrl+e", "e", "f4"}
"""They end the application or hand the terminal on; the terminal tests press them."""
KEYS = sorted({key for binding in all_bindings(MaverickApp) for key in binding.key.split(",")} - LEAVE | {"f9"})
TYPED = ["a", "n", "N", "slash", "1", "2", "y", "space", "tab", "shift+tab", "enter", "escape", "backspace", "ctrl+w"]
PRESSES, CLICKS = examples(12, 40), 0.15
WIDTH, HEIGHT = 100, 30


def running() -> Tape:
    tape = Tape().connect().prompt("Go").think("Hm.").tool("Read", {"file_path": "/work/shop/a.py"}, "x = 1")
    return tape.say("A **bold** answer.\n\n```py\nx = 1\n```\n", is_open=True)


def asking() -> Tape:
    return Tape().connect().prompt("Go").say("I will.").ask("Bash", {"command": "ls"}).wait(1)


def questioning() -> Tape:
    options = [{"label": "red", "description": "r"}, {"label": "blue", "description": "b"}]
    asked = {"question": "Which?", "header": "Colour", "options": options, "multiSelect": True}
    return Tape().connect().prompt("Go").ask("AskUserQuestion", {"questions": [asked]}).wait(1)


def failed() -> Tape:
    return Tape().connect().prompt("Go").say("Half of an").done("failed", failure=STREAM_BROKE)


@pytest.mark.explore
@pytest.mark.parametrize("tape", [Tape, running, asking, questioning, failed])
async def test_no_key_ends_a_run(tape: Callable[[], Tape]) -> None:
    chance = random.Random(tape.__name__)
    pressed: list[str] = []
    async with watching(tape(), size=(WIDTH, HEIGHT)) as (app, pilot):
        for _ in range(PRESSES):
            if chance.random() < CLICKS:
                at = (chance.randrange(WIDTH), chance.randrange(HEIGHT))
                pressed.append(str(at))
                await pilot.click(offset=at)
            else:
                pressed.append(chance.choice(chance.choice([KEYS, TYPED])))
                await pilot.press(pressed[-1])
            assert app.is_running, pressed
