"""What the demo says where it is asked something else than it has an answer to."""

from __future__ import annotations

import pytest

from maverick_tui.events.kinds import TurnStarted
from maverick_tui.offline.demo.script import SCRIPT
from maverick_tui.offline.demo.tour import GOES_ON, off_script, prompts
from maverick_tui.runs.failure_words import CONTINUE

PROMPTS = prompts()


@pytest.mark.parametrize("typed", ["Write me a poem.", f"{PROMPTS['explorer']} And more?", PROMPTS["reviewer"]])
def test_the_demo_says_that_its_answers_are_fixed_when_something_else_is_typed(typed: str) -> None:
    note = off_script(TurnStarted(1, 1, typed), PROMPTS["explorer"])
    assert "written in advance" in note
    assert PROMPTS["explorer"] in note


@pytest.mark.parametrize(
    ("expected", "turn"),
    [
        (PROMPTS["explorer"], TurnStarted(1, 1, f"{PROMPTS['explorer']}\n")),
        (PROMPTS["documenter"], TurnStarted(1, 2, CONTINUE)),
        (PROMPTS["explorer"], TurnStarted(1, 2, "It is done.", origin="background")),
        (PROMPTS["tasks"], TurnStarted(1, 1, "Buy milk")),
        ("Hello", TurnStarted(1, 1, "Anything")),
    ],
)
def test_it_says_nothing_where_the_answer_fits(expected: str, turn: TurnStarted) -> None:
    assert off_script(turn, expected) == ""


def test_the_script_knows_what_the_key_for_going_on_says() -> None:
    assert GOES_ON in CONTINUE
    assert f'prompt: "{GOES_ON}"' in SCRIPT.read_text()
