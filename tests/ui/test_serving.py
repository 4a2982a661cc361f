"""What stands between an agent and its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events.kinds import TurnStarted
from maverick_tui.offline.demo.script import SCRIPT
from maverick_tui.offline.demo.tour import GOES_ON, TOUR
from maverick_tui.runs.failure_words import CONTINUE
from maverick_tui.ui.launch import RunSetup
from maverick_tui.ui.serving import off_script

PROMPTS = {stop.agent: stop.prompt for stop in TOUR}
DEMO = RunSetup(Path("shop"), MaverickConfig(), PROMPTS)


@pytest.mark.parametrize("typed", ["Write me a poem.", f"{PROMPTS['explorer']} And more?", PROMPTS["reviewer"]])
def test_the_demo_says_that_its_answers_are_fixed_when_something_else_is_typed(typed: str) -> None:
    note = off_script(DEMO, PROMPTS["explorer"], TurnStarted(1, 1, typed))
    assert "written in advance" in note
    assert PROMPTS["explorer"] in note


@pytest.mark.parametrize(
    ("setup", "expected", "turn"),
    [
        (DEMO, PROMPTS["explorer"], TurnStarted(1, 1, f"{PROMPTS['explorer']}\n")),
        (DEMO, PROMPTS["documenter"], TurnStarted(1, 2, CONTINUE)),
        (DEMO, PROMPTS["explorer"], TurnStarted(1, 2, "It is done.", origin="background")),
        (DEMO, PROMPTS["tasks"], TurnStarted(1, 1, "Buy milk")),
        (RunSetup(Path("shop"), MaverickConfig()), "Hello", TurnStarted(1, 1, "Anything")),
    ],
)
def test_it_says_nothing_where_the_answer_fits(setup: RunSetup, expected: str, turn: TurnStarted) -> None:
    assert off_script(setup, expected, turn) == ""


def test_the_script_knows_what_the_key_for_going_on_says() -> None:
    assert GOES_ON in CONTINUE
    assert f'prompt: "{GOES_ON}"' in SCRIPT.read_text()
