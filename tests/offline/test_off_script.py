"""What the demo says where it is asked something else than it has an answer to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maverick_tui.events.kinds import TurnStarted
from maverick_tui.offline.demo.script import SCRIPT, load_demo_script
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
        (PROMPTS["tasks"], TurnStarted(1, 1, PROMPTS["tasks"])),
        ("Hello", TurnStarted(1, 1, "Anything")),
    ],
)
def test_it_says_nothing_where_the_answer_fits(expected: str, turn: TurnStarted) -> None:
    assert off_script(turn, expected) == ""


@pytest.mark.parametrize(
    ("typed", "is_read"),
    [
        ("Buy milk and call the bank by Friday", False),  # as in docs/tasks.md
        ("Hello", False),
        ("the done list", False),
        ("please add buy milk", True),
        ("New: buy milk", True),
        ("Remind me to call Ann!", True),
        ("I have to call Ann", True),
        ("list", True),
        ("and what else is there", True),
        ("The milk is done.", True),
        ("Complete all", True),
        ("tick off the milk", True),
        ("Please delete everything", True),
        ("forget the milk", True),
        ("clear the list", True),
    ],
)
def test_the_demos_assistant_says_so_where_it_cannot_read_what_was_typed(typed: str, is_read: bool) -> None:
    note = off_script(TurnStarted(1, 1, typed), PROMPTS["tasks"])
    assert ("written in advance" in note) is not is_read
    scenes = [scene for scene in load_demo_script(Path("/project")).scenes if scene.when.agent == "tasks"]
    fitting = next(scene for scene in scenes if scene.when.prompt is None or re.search(scene.when.prompt, typed))
    assert (fitting is not scenes[-1]) is is_read, "the script has an answer to it"


def test_what_confirms_is_read_without_the_script() -> None:
    assert off_script(TurnStarted(1, 1, "yes delete all"), PROMPTS["tasks"]) == ""


def test_the_script_knows_what_the_key_for_going_on_says() -> None:
    assert GOES_ON in CONTINUE
    assert f'prompt: "{GOES_ON}"' in SCRIPT.read_text()
