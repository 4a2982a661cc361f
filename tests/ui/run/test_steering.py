"""What a person does to a run: prompts, interrupts, answers to questions, the keys of a banner."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as events
from maverick_tui.history.export.markdown import as_markdown
from maverick_tui.runs import commands
from maverick_tui.ui.widgets.pending import JobLine
from maverick_tui.ui.widgets.status_line import StatusLine
from tests.support.runs import BEGAN, STREAM_BROKE, Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until

EDIT = {"file_path": "/work/shop/cart.py", "old_string": "a = 1", "new_string": "a = 2"}
QUESTION = {"questions": [{"question": "Which one?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}


def begun() -> Tape:
    return Tape().connect()


def asking() -> Tape:
    return begun().prompt("Fix it").ask("Edit", EDIT, grants=("Edit in this folder",)).wait(1)


def broken() -> Tape:
    tape = begun().prompt("Review it").say("The invoice rounds once, so the difference is")
    return tape.done("failed", failure=STREAM_BROKE)


def truth(app: FedApp) -> str:
    line = app.run_screen.query_one(StatusLine)
    line.refresh_status(app.now)
    return line.text


async def test_who_is_silent_can_be_interrupted_by_the_key_that_is_named() -> None:
    async with watching(begun().prompt("Go").say("Half", is_open=True)) as (app, _):
        app.now += 60
        assert truth(app).endswith("Esc interrupts")
        app.set_keymap({"run.interrupt": "f9"})
        app.run_screen.keys_changed()
        assert truth(app).endswith("F9 interrupts")


async def test_a_silent_model_is_waited_for_interrupted_or_asked_again() -> None:
    tape = begun().prompt("Go").say("Half", is_open=True)
    since = tape.at
    async with watching(tape.wait(61).put(events.Stalled(tape.at, since)).wait(2)) as (app, pilot):
        await until(pilot, lambda: "Nothing has come from the model since" in app.shown())
        assert "Alt+g wait   Esc interrupt   F5 ask again" in app.shown()
        app.kept.take()
        await pilot.press("alt+g")
        assert app.kept.take() == [commands.WaitOn()]
        await pilot.press("f5")
        interrupt, again = app.kept.take()
        assert isinstance(interrupt, commands.Interrupt)
        assert isinstance(again, commands.SendPrompt)
        assert again.text == "Go"
        app.tell(tape.say("Back."))
        await until(pilot, lambda: "Nothing came from the model for 1 min 3 s." in app.shown())
        await pilot.press("alt+g", "f5")
        assert app.kept.take() == [], "there is nothing to wait for any more"


# -- what is scheduled ---

SOON = {"id": "a", "prompt": "[b]Is it built?[/b]\nLook.", "when": "Every minute", "next_at": BEGAN + 300}
LATER = {"id": "b", "prompt": "Tidy up", "when": "once", "next_at": BEGAN + 7200}


def scheduled(*jobs: dict[str, Any]) -> Tape:
    tape = begun().prompt("Watch it").say("I will.").done()
    return tape.put(events.JobsScheduled(tape.at, jobs))


def job_line(app: FedApp) -> str:
    lines = app.run_screen.query(JobLine)
    return "".join(str(line.render()) for line in lines if line.display)


@pytest.mark.parametrize("size", sampled([((80, 24),), ((120, 40),)], 2))
async def test_a_job_is_in_sight_and_escape_ends_it(size: tuple[int, int]) -> None:
    async with watching(scheduled(LATER, SOON), size=size) as (app, pilot):
        await until(pilot, lambda: bool(job_line(app)))
        at = datetime.fromtimestamp(BEGAN + 300).astimezone()
        expected = f"  ◷ scheduled 2 (Esc ends them)  next {at:%H:%M}, Every minute: [b]Is it built?[/b] Look."
        assert job_line(app) == expected
        await until(pilot, lambda: app.run_screen.query_one(JobLine).size.height == 1)
        await pilot.press("tab", "escape")
        assert app.kept.take() == [], "the first one goes back to the prompt"
        await pilot.press("escape")
        assert app.kept.take() == [commands.Interrupt()]


async def test_a_job_that_has_come_is_told_by_its_words_and_one_that_has_ended_not_at_all() -> None:
    tape = scheduled(SOON)
    async with watching(tape) as (app, pilot):
        await until(pilot, lambda: bool(job_line(app)))
        app.now = BEGAN + 400
        app.run_screen.status_clock.refresh_now()
        assert job_line(app) == "  ◷ scheduled (Esc ends it)  Every minute: [b]Is it built?[/b] Look."
        app.tell(tape.put(events.JobsScheduled(tape.at)))
        await until(pilot, lambda: not job_line(app))
        await pilot.press("escape")
        assert app.kept.take() == []


async def test_a_turn_of_a_job_is_told_as_one() -> None:
    tape = scheduled(SOON).prompt("Is it built?", origin="background").say("It is.").done()
    async with watching(tape) as (app, pilot):
        await until(pilot, lambda: "▏ ◷ scheduled  Is it built?" in app.shown())
        assert "> ◷ scheduled  Is it built?" in as_markdown(app.run_screen.store)


# -- prompts ---


async def test_the_prompt_has_the_focus_and_enter_sends_it() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press(*"hello", "ctrl+j", *"there", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == "hello\nthere"
        assert app.run_screen.prompt.text == ""


async def test_an_empty_prompt_is_sent_only_to_an_agent_with_one_of_its_own() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press("enter")
        assert app.kept.take() == []
    async with watching(Tape(has_own_prompt=True).connect()) as (app, pilot):
        await pilot.press("enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == ""


async def test_a_queued_prompt_is_shown_and_can_be_taken_back_to_be_edited() -> None:
    tape = (
        begun()
        .prompt("First")
        .put(events.PromptQueued(0.0, "p-2", "Second"))
        .put(events.PromptQueued(0.0, "p-3", "Third"))
    )
    async with watching(tape) as (app, pilot):
        await until(pilot, lambda: "2 queued" in truth(app))
        await pilot.press("alt+up")
        assert app.kept.take() == [commands.DropPrompt("p-3")]
        assert app.run_screen.prompt.text == "Third"
        assert app.run_screen.prompt.has_focus


async def test_what_is_sent_before_the_run_is_there_is_not_lost() -> None:
    async with watching() as (app, pilot):
        run = app._new_run("explorer")
        run.ask("early")
        app._start(run)
        assert [type(one) for one in run.handle.commands] == [commands.SendPrompt]  # type: ignore[union-attr]
        await pilot.pause()


# -- interrupting ---


async def test_escape_interrupts_and_the_screen_says_so_at_once() -> None:
    tape = begun().prompt("Go").say("Some text that goes on", is_open=True)
    async with watching(tape) as (app, pilot):
        await pilot.press("escape")
        assert app.kept.take() == [commands.Interrupt()]
        app.tell(tape.put(events.InterruptRequested(tape.at)))
        assert "interrupting" in truth(app)
        app.tell(tape.done("interrupted"))
        await until(pilot, lambda: "partial, cut here" in app.shown())
        assert "Some text that goes on" in app.shown()
        assert "interrupted" in truth(app)


async def test_escape_with_nothing_running_only_goes_back_to_the_prompt() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press("tab")
        assert app.run_screen.transcript.has_focus
        await pilot.press("escape")
        assert app.run_screen.prompt.has_focus
        assert app.kept.take() == []


async def test_shift_tab_asks_for_the_next_mode() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press("shift+tab")
        assert app.kept.take() == [commands.SetMode("plan")]


# -- questions ---


@pytest.mark.parametrize(("key", "decision"), [("ctrl+y", "once"), ("ctrl+x", "deny")])
async def test_a_question_is_answered_by_one_key(key: str, decision: str) -> None:
    async with watching(asking()) as (app, pilot):
        shown = app.shown()
        assert "wants permission" in shown
        assert "- a = 1" in shown
        assert "+ a = 2" in shown
        assert "for this run  ^t twice Edit in this folder" in shown
        assert app.run_screen.prompt.has_focus
        await pilot.press(key)
        (answer,) = app.kept.take()
        assert isinstance(answer, commands.AnswerPermission)
        assert answer.decision == decision


async def test_a_question_that_has_just_come_cannot_be_answered_by_a_key_that_was_meant_for_something_else() -> None:
    tape = begun().prompt("Fix it").ask("Edit", EDIT)
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+y")
        assert app.kept.take() == []
        app.now += 1
        await pilot.press("ctrl+y")
        assert len(app.kept.take()) == 1


async def test_a_denial_asks_for_its_reason_and_brings_the_draft_back() -> None:
    async with watching(asking()) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"also", "ctrl+r")
        assert app.kept.take() == [], "what stood there was meant for something else"
        assert prompt.text == ""
        await pilot.press(*"why", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, commands.AnswerPermission)
        assert (answer.decision, answer.reason) == ("deny", "why")
        assert prompt.text == "also"


async def test_escape_leaves_the_reason_without_an_answer() -> None:
    async with watching(asking()) as (app, pilot):
        await pilot.press("ctrl+r", "escape")
        assert app.kept.take() == []
        await pilot.press(*"more", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)


async def test_who_leaves_the_reason_has_the_draft_alone() -> None:
    async with watching(asking()) as (app, pilot):
        await pilot.press(*"also", "ctrl+r", *"w", "ctrl+r", "escape")
        assert app.run_screen.prompt.text == "also"
        assert app.kept.take() == []


async def test_a_draft_that_was_put_aside_outlives_its_question_and_its_screen() -> None:
    tape = asking()
    async with watching(tape) as (app, pilot):
        await pilot.press(*"also", "ctrl+r")
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-1", "call-1", "withdrawn")))
        await until(pilot, lambda: app.run_screen.prompt.text == "also", "the draft is back")
    async with watching(asking()) as (app, pilot):
        await pilot.press(*"also", "ctrl+r", "ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen")
        assert app._navigation.prompt_of(app.run_model).draft == "also"


async def test_only_prompts_are_remembered_and_not_reasons_and_answers() -> None:
    tape = asking()
    async with watching(tape) as (app, pilot):
        history = app._navigation.prompt_of(app.run_model).history
        await pilot.press("ctrl+r", *"why", "enter")
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-1", "call-1", "deny")))
        app.tell(tape.ask("AskUserQuestion", QUESTION))
        asked = app.run_model.store.questions["ask-call-2"]
        await until(pilot, lambda: app.run_screen.transcript.questions_seen.whole_since(asked))
        app.now += 1
        await pilot.press(*"blue", "enter")
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-2", "call-2", "once")))
        await pilot.press(*"more", "enter")
        assert [type(one) for one in app.kept.take()] == [
            commands.AnswerPermission,
            commands.AnswerPermission,
            commands.SendPrompt,
        ]
        assert await history.texts() == ["more"]


async def test_without_a_question_its_keys_are_the_prompts_own() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press(*"abc", "ctrl+a", "ctrl+x")
        assert app.kept.take() == []
        await pilot.press(*"d")
        assert "d" in app.run_screen.prompt.text


async def test_a_question_of_the_agents_own_is_answered_by_number_or_by_words() -> None:
    for typed, answered in (("2", "Blue"), ("green", "green")):
        async with watching(begun().prompt("Go").ask("AskUserQuestion", QUESTION).wait(1)) as (app, pilot):
            await pilot.press(*typed, "enter")
            (answer,) = app.kept.take()
            assert isinstance(answer, commands.AnswerPermission)
            assert answer.answers == {"Which one?": answered}


async def test_the_words_of_a_question_can_be_clicked() -> None:
    async with watching(asking()) as (app, pilot):
        await _click(app, pilot, "deny with a reason")
        await pilot.press(*"x", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, commands.AnswerPermission)
        assert answer.decision == "deny"


async def _click(app: FedApp, pilot: Pilot[object], words: str) -> None:
    lines = app.shown().splitlines()
    y = next(number for number, line in enumerate(lines) if words in line)
    assert await pilot.click(app.run_screen.transcript, offset=(lines[y].index(words) + 1, y))
    await pilot.pause()


# -- the banner ---


async def test_the_banner_says_what_broke_and_keeps_what_came() -> None:
    async with watching(broken()) as (app, _pilot):
        shown = app.shown()
        assert "so the difference is" in shown
        assert "partial, cut here" in shown
        assert "The stream broke after" in shown
        assert "Connection closed by the endpoint" in shown
        assert "Nothing above is lost." in shown
        assert "F6 continue from here" in shown
        assert "failed" in truth(app)


async def test_one_key_retries_and_another_continues() -> None:
    async with watching(broken()) as (app, pilot):
        await pilot.press("f5")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == "Review it"
        await pilot.press("f6")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert "Continue exactly where it stopped" in sent.text


async def test_the_prompt_of_a_turn_is_asked_again_and_not_what_was_said_into_it() -> None:
    tape = begun().prompt("Refactor it").say("I will.")
    tape.put(events.PromptSteered(tape.at, 1, "p-2", "and mind the tabs")).say("Half", is_open=True)
    since = tape.at
    async with watching(tape.put(events.Stalled(tape.at, since))) as (app, pilot):
        await until(pilot, lambda: "F5 ask again" in app.shown())
        app.kept.take()
        await pilot.press("f5")
        _, again = app.kept.take()
        app.tell(tape.done("failed", failure=STREAM_BROKE))
        await until(pilot, lambda: "F5 retry the prompt" in app.shown())
        await pilot.press("f5")
        (retried,) = app.kept.take()
        for sent in (again, retried):
            assert isinstance(sent, commands.SendPrompt)
            assert sent.text == "Refactor it"
        assert "and mind the tabs" in app.shown()


async def test_a_command_that_failed_is_done_again_as_a_command() -> None:
    tape = Tape().connect().prompt("/compact keep the prices", is_command=True)
    async with watching(tape) as (app, pilot):
        await until(pilot, lambda: "● compacting the conversation" in truth(app))
        tape.wait(60)
        app.tell(tape)
        app.run_screen.status_clock.refresh_now()
        assert "compacting the conversation  1:00  Esc interrupts" in truth(app), "it is never silent"
        app.tell(tape.done("failed", failure=STREAM_BROKE))
        await pilot.press("f5")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert (sent.text, sent.is_command) == ("/compact keep the prices", True)


async def test_copy_and_details() -> None:
    async with watching(broken()) as (app, pilot):
        await pilot.press("f7")
        assert app.clipboard == "The invoice rounds once, so the difference is"
        await pilot.press("f8")
        assert app.top == "DetailsScreen"
        await pilot.press("escape")
        assert app.top == "RunScreen"


async def test_what_is_copied_is_as_much_as_the_banner_says() -> None:
    tape = begun().say("One.").tool("Read", {"file_path": "a"}, "x").say("Two.").done("failed", failure=STREAM_BROKE)
    async with watching(tape) as (app, pilot):
        await pilot.press("f7")
        await until(pilot, lambda: app._notifications)
        (told,) = app._notifications
        (count,) = re.findall(r"after (\d+) characters", app.shown())
        assert told.message == f"Copied {count} characters."


async def test_the_keys_of_a_banner_act_only_while_it_is_the_last_word() -> None:
    tape = broken()
    async with watching(tape) as (app, pilot):
        app.tell(tape.prompt("Again").say("Now it works.").done())
        await until(pilot, lambda: "Now it works." in app.shown())
        await pilot.press("f5", "f6", "f8")
        assert app.kept.take() == []
        assert app.top == "RunScreen"
        assert "F6 continue" not in app.shown()


async def test_a_lost_connection_can_be_opened_again() -> None:
    failure = events.Failure("CLINotFoundError", "invalid", "There is no Claude Code CLI at '/x'.", "Correct cli_path.")
    tape = Tape()
    tape.put(events.Connecting(tape.at)).put(events.ConnectFailed(tape.at, failure))
    async with watching(tape) as (app, pilot):
        assert "The Claude Code CLI was not found" in app.shown()
        assert "Correct cli_path." in app.shown()
        await pilot.press("f5")
        assert app.kept.take() == [commands.Reconnect()]
