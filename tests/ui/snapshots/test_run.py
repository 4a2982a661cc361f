"""A run at work and at rest: everything that it can be doing."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import RunShot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE, StoryApp

at_both_sizes = pytest.mark.parametrize("size", sampled([(NARROW,), (WIDE,)], 2, ["80x24", "120x40"]))
mostly_wide = pytest.mark.parametrize("size", sampled([(WIDE,), (NARROW,)], 2, ["120x40", "80x24"]))
"""For what a narrow screen has no room for."""


# -- before the first prompt ------------------------------------------------------------------------------------------


def test_connecting(run_shot: RunShot) -> None:
    tape = Tape("implementer", FOLDER)
    assert run_shot(tape.put(ev.Connecting(tape.at)), NARROW, later=2.3)


@at_both_sizes
def test_ready(run_shot: RunShot, size: tuple[int, int]) -> None:
    assert run_shot(tapes.begun(is_offline=True), size)


def test_ready_with_a_prompt_of_its_own(run_shot: RunShot) -> None:
    assert run_shot(tapes.begun("nightly", has_own_prompt=True, permission_mode="dontAsk"), NARROW)


# -- the model --------------------------------------------------------------------------------------------------------


def test_waiting_for_the_model(run_shot: RunShot) -> None:
    assert run_shot(tapes.asked(), NARROW, later=1.1)


def test_thinking(run_shot: RunShot) -> None:
    thought = "The discount is 1.485 before it is rounded.\nround() would give 1.48, since it rounds halves to even."
    assert run_shot(tapes.asked().think(thought, is_open=True), NARROW, later=1.0)


@at_both_sizes
def test_writing(run_shot: RunShot, size: tuple[int, int]) -> None:
    text = tapes.REPORT[: tapes.REPORT.index("| discount")]
    assert run_shot(tapes.repaired().say(text, is_open=True), size, later=0.4)


def test_silent(run_shot: RunShot) -> None:
    assert run_shot(tapes.asked().say("I look at the cart first, and then", is_open=True), NARROW, later=14)


def test_api_retry(run_shot: RunShot) -> None:
    tape = tapes.asked().put(ev.RetryScheduled(tapes.asked().at, 2, 10, 8.0, 529, "overloaded"))
    assert run_shot(tape, NARROW, later=3.0)


def test_rate_limited_until_a_time(run_shot: RunShot) -> None:
    tape = tapes.asked()
    tape.put(ev.RateLimited(tape.at, "rejected", tape.at + 1_800, "five_hour"))
    tape.put(ev.RetryScheduled(tape.at, 1, 10, 1_800.0, 429, "rate_limit_error"))
    assert run_shot(tape, NARROW, later=5)


# -- tools ------------------------------------------------------------------------------------------------------------


def test_preparing_a_call(run_shot: RunShot) -> None:
    tape = tapes.asked().say("I write the tests first.").prepare("Write", '{"file_path": "tests/test_x.py"' * 40)
    assert run_shot(tape, NARROW)


@at_both_sizes
def test_a_running_call(run_shot: RunShot, size: tuple[int, int]) -> None:
    tape = tapes.repaired()
    tape.call("Bash", tapes.TESTS)
    assert run_shot(tape, size, later=12.7)


@at_both_sizes
def test_calls_that_are_done_failed_denied_and_cut(run_shot: RunShot, size: tuple[int, int]) -> None:
    assert run_shot(tapes.tools_in_every_end(), size)


@mostly_wide
def test_subagents(run_shot: RunShot, size: tuple[int, int]) -> None:
    assert run_shot(tapes.with_subagents(), size, later=1)


def test_subagents_that_are_done(run_shot: RunShot) -> None:
    tape = tapes.with_subagents().answer("call-5", "12 lines")
    tape.progress("call-4", "completed", tokens=6_020, tool_uses=2).answer("call-4", "Nothing else prints them.")
    tape.say("Gift wrapping takes three small changes and leaves all callers alone.").done()
    assert run_shot(tape, WIDE)


# -- questions --------------------------------------------------------------------------------------------------------


@at_both_sizes
def test_an_edit_that_asks(run_shot: RunShot, size: tuple[int, int]) -> None:
    tape = tapes.reproduced().say("The cause is in `Money.percent`, which rounds down.")
    assert run_shot(tape.ask("Edit", tapes.EDIT, grants=("Edit in this project",)), size, later=4)


def test_a_command_that_asks(run_shot: RunShot) -> None:
    command = {"command": "git push --set-upstream origin discount", "description": "Publish the branch"}
    tape = tapes.asked("release").say("All tests pass, so I publish the branch.")
    assert run_shot(
        tape.ask("Bash", command, reason="git push is not among its tools", grants=("Bash(git push:*)",)),
        NARROW,
        later=4,
    )


def test_a_reason_for_denying_it(run_shot: RunShot) -> None:
    async def deny(pilot: Pilot[Any]) -> None:
        pilot.app.now += 60  # type: ignore[attr-defined]
        await pilot.press("ctrl+r")

    tape = tapes.asked("release").ask("Bash", {"command": "git push --force origin main"}, grants=("Bash(git push:*)",))
    assert run_shot(tape, NARROW, deny, later=4)


@at_both_sizes
def test_a_question_of_the_agent(run_shot: RunShot, size: tuple[int, int]) -> None:
    options = [
        {"label": "Nearest cent, halves up", "description": "what the docstring promises"},
        {"label": "Always down", "description": "what the code does today"},
        {"label": "Banker's rounding", "description": "halves to even, as in accounting"},
    ]
    asks = {"questions": [{"question": "How shall discounts be rounded?", "header": "Rounding", "options": options}]}
    tape = tapes.asked("planner").say("The code and its docstring disagree, and only you can know who is right.")
    assert run_shot(tape.ask("AskUserQuestion", asks), size, later=6)


# -- prompts that wait, and interrupts --------------------------------------------------------------------------------


@mostly_wide
def test_two_prompts_wait(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def write(pilot: Pilot[Any]) -> None:
        await pilot.press(*"And the changelog?")

    tape = tapes.reproduced()
    tape.put(ev.PromptQueued(tape.at, "next-1", "Then look whether coupons have the same problem"))
    tape.put(ev.PromptQueued(tape.at, "next-2", "Write a test for it\n\n- halves\n- negative amounts"))
    tape.say("The cause is in `Money.percent`, which rounds", is_open=True)
    assert run_shot(tape, size, write)


def test_interrupting(run_shot: RunShot) -> None:
    tape = tapes.asked().say("I look at the cart first, and then", is_open=True)
    assert run_shot(tape.put(ev.InterruptRequested(tape.at)), NARROW, later=0.6)


def test_interrupted(run_shot: RunShot) -> None:
    tape = tapes.asked().say("I look at the cart first, and then", is_open=True)
    tape.put(ev.InterruptRequested(tape.at)).wait(0.4).done("interrupted")
    assert run_shot(tape, NARROW)


@mostly_wide
def test_done(run_shot: RunShot, size: tuple[int, int]) -> None:
    assert run_shot(tapes.done(), size)


def test_another_run_needs_the_person(run_shot: RunShot) -> None:
    async def start_others(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, StoryApp)
        app.add_run(tapes.asked("release").ask("Bash", {"command": "git push"}))
        app.add_run(tapes.done())
        await pilot.pause()
        app.clear_notifications()
        app.run_screen.tick()

    tape = tapes.asked("reviewer", permission_mode="default").say("I read the diff first.", is_open=True)
    assert run_shot(tape, WIDE, start_others)
