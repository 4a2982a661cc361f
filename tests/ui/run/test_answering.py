"""Questions on the screen of a run: nothing typed is lost, nothing is answered by chance."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from maverick_tui.events import kinds as events
from maverick_tui.runs import commands
from maverick_tui.runs.commands import AnswerPermission, SendPrompt
from maverick_tui.ui import cut_text, editor, wanted_twice
from maverick_tui.ui.dialogs import always
from maverick_tui.ui.dialogs.always import AlwaysScreen
from maverick_tui.ui.dialogs.edit_call import EditCallScreen
from maverick_tui.ui.rule_trial import RuleTrial
from maverick_tui.ui.wanted_twice import AGAIN_WITHIN, APART
from maverick_tui.ui.widgets.prompt import Prompt
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until

GITHUB = "ghp_" + "a1B2" * 9
ASKED = {"questions": [{"question": "Which one?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}


def begun() -> Tape:
    return Tape().connect().prompt("Go")


def answers(app: FedApp) -> list[tuple[str, str, str]]:
    taken = app.kept.take()
    assert all(isinstance(one, AnswerPermission) for one in taken)
    return [(one.request, one.decision, one.reason) for one in taken if isinstance(one, AnswerPermission)]


async def click(app: FedApp, pilot: Pilot[Any], words: str, *, nth: int = 0) -> None:
    rows = app.shown().splitlines()
    y = [number for number, row in enumerate(rows) if words in row][nth]
    assert await pilot.click(app.run_screen.transcript, offset=(rows[y].index(words) + 1, y))
    await pilot.pause()


async def test_an_answer_in_words_that_comes_too_early_stays_in_the_prompt() -> None:
    async with watching(begun().ask("AskUserQuestion", ASKED)) as (app, pilot):
        await pilot.press(*"blue", "enter")
        assert app.kept.take() == []
        assert app.run_screen.prompt.text == "blue"
        app.now += 1
        await pilot.press("enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "blue"}
        assert app.run_screen.prompt.text == ""


async def test_a_reason_that_comes_too_early_stays_in_the_prompt() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"})) as (app, pilot):
        await pilot.press(*"no", "ctrl+r")
        assert app.kept.take() == []
        assert app.run_screen.prompt.text == "no"
        await pilot.press("ctrl+u", "ctrl+r", *"x", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt), "nobody was asked for a reason yet"


async def test_a_reason_for_a_question_that_is_gone_stays_in_the_prompt() -> None:
    tape = begun().ask("Bash", {"command": "ls"}).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+r", *"because")
        request = next(iter(app.run_model.store.questions))
        app.tell(tape.put(events.PermissionSettled(tape.at, request, "call-1", "withdrawn")))
        await until(pilot, lambda: "keep as a draft" in str(app.run_screen.prompt.border_subtitle))
        await pilot.press("enter")
        assert app.kept.take() == []
        assert app.run_screen.prompt.text == "because"
        await pilot.press("enter")
        assert [type(one) for one in app.kept.take()] == [SendPrompt]


@pytest.mark.parametrize("typed", ["!touch x", "/clear"])
@pytest.mark.parametrize("is_drawn", [True, False])
async def test_a_reason_for_a_question_that_is_gone_is_no_command(typed: str, is_drawn: bool) -> None:
    tape = begun().ask("Bash", {"command": "ls"}).wait(1)
    async with watching(tape) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press("ctrl+r", *typed)
        settled = events.PermissionSettled(tape.at, "ask-call-1", "call-1", "once")
        if is_drawn:
            app.tell(tape.put(settled))
            await until(pilot, lambda: "keep as a draft" in str(prompt.border_subtitle))
        else:
            app.run_model.store.apply(settled)
        await pilot.press("enter")
        assert prompt.text == f" {typed}"
        assert app.kept.take() == []
        await pilot.press("enter")
        assert [type(one) for one in app.kept.take()] == [SendPrompt]


@pytest.mark.parametrize("typed", ["!touch x", "/clear"])
@pytest.mark.parametrize("is_drawn", [True, False])
async def test_an_answer_to_a_question_that_is_gone_is_no_command(typed: str, is_drawn: bool) -> None:
    tape = begun().ask("AskUserQuestion", ASKED).wait(1)
    async with watching(tape) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*typed)
        settled = events.PermissionSettled(tape.at, "ask-call-1", "call-1", "once")
        if is_drawn:
            app.tell(tape.put(settled))
            await until(pilot, lambda: prompt.text != typed)
        else:
            app.run_model.store.apply(settled)
            await pilot.press("enter")
        assert prompt.text == f" {typed}", "it is a prompt from now on"
        assert app.kept.take() == []


async def test_a_reason_that_is_left_is_no_part_of_the_draft() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"later", "ctrl+r", *"no", "escape")
        assert prompt.text == "later"
        await pilot.press("ctrl+r")
        assert prompt.text == "no", "it was not for nothing"
        await pilot.press("enter")
        assert answers(app) == [("ask-call-1", "deny", "no")]
        assert prompt.text == "later"


async def test_a_reason_goes_to_no_other_question_than_the_one_it_was_typed_for() -> None:
    tape = begun().ask("Bash", {"command": "ls one"}).ask("Bash", {"command": "ls two"}).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+r", *"one")
        second = app.run_model.store.calls.get("call-2")
        assert second is not None
        app.run_screen._answering.ask_reason(second.number)
        assert app.run_screen.prompt.text == ""
        await pilot.press(*"two", "enter")
        assert answers(app) == [("ask-call-2", "deny", "two")]
        await pilot.press("ctrl+r")
        assert app.run_screen.prompt.text == "one"


async def test_a_number_that_no_option_has_is_sent_only_if_it_is_meant() -> None:
    async with watching(begun().ask("AskUserQuestion", ASKED).wait(1)) as (app, pilot):
        await pilot.press("7", "enter")
        assert (app.kept.take(), app.run_screen.prompt.text) == ([], "7")
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "7"}


async def test_what_was_begun_before_a_question_is_its_answer_only_if_it_is_meant() -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        await pilot.press(*"!make")  # or a follow-up
        app.tell(tape.ask("AskUserQuestion", ASKED))
        asked = app.run_model.store.questions["ask-call-1"]
        await until(pilot, lambda: app.run_screen.transcript.questions_seen.whole_since(asked), "it is seen")
        app.now += 60
        await pilot.press(*" it", "enter")
        assert (app.kept.take(), app.run_screen.prompt.text) == ([], "!make it")
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "!make it"}


async def test_an_empty_reason_is_a_plain_denial() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "deny with this reason" in str(app.run_screen.prompt.border_subtitle))
        await pilot.press("enter")
        assert answers(app) == [("ask-call-1", "deny", "")]


async def test_words_that_are_typed_while_permission_is_asked_are_a_follow_up() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press(*"yes", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert sent.text == "yes"


async def test_of_two_questions_keys_answer_the_first_and_clicks_the_one_they_hit() -> None:
    tape = begun().ask("Bash", {"command": "first"}).ask("Bash", {"command": "second"}).wait(1)
    async with watching(tape) as (app, pilot):
        assert app.shown().count("^y once") == 1, "keys are named where they act"
        await click(app, pilot, "deny", nth=1)
        assert answers(app) == [("ask-call-2", "deny", "")]
        await pilot.press("ctrl+y")
        assert answers(app) == [("ask-call-1", "once", "")]
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-1", "call-1", "once")))
        await until(pilot, lambda: app.shown().count("^y once") == 1, "now they act on the other one")
        await pilot.press("ctrl+y")
        assert answers(app) == [], "it has only just become the first"
        app.now += 1
        await pilot.press("ctrl+y")
        assert answers(app) == [("ask-call-2", "once", "")]


@pytest.mark.explore
async def test_a_command_of_the_palette_allows_no_question_that_came_to_the_front_behind_it() -> None:
    tape = begun().ask("Bash", {"command": "first"}).ask("Bash", {"command": "second"}).wait(1)
    async with watching(tape, size=(100, 40)) as (app, pilot):
        screen = app.run_screen
        await pilot.press("ctrl+p", *"allow once")
        await until(pilot, lambda: app.top == "CommandFinder" and len(app.screen.query(OptionList)) > 0, "the command")
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-1", "call-1", "once")))
        await until(pilot, lambda: screen._answering.questions._first == "ask-call-2", "another one is the first")
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen", "the run")
        await pilot.pause()
        assert answers(app) == []
        app.now += 1
        await pilot.press("ctrl+y")
        assert answers(app) == [("ask-call-2", "once", "")]


@pytest.mark.parametrize("opens", sampled(["f1", "ctrl+p"], 2))
async def test_a_question_that_came_behind_something_is_answered_at_once_when_it_has_been_read(opens: str) -> None:
    tape = begun()
    async with watching(tape, size=(100, 40)) as (app, pilot):
        screen = app.run_screen
        for call, by_key in (("call-1", True), ("call-2", False)):
            await pilot.press(opens)
            await until(pilot, lambda: app.screen is not screen and app.screen.is_mounted, "it covers the run")
            app.tell(tape.ask("Bash", {"command": "ls"}))
            await until(pilot, lambda: screen._answering.questions._first == f"ask-{call}", "it came")  # noqa: B023
            app.now += 60
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen and "^y once" in app.shown(), "it can be read")
            app.now += 1
            await (pilot.press("ctrl+y") if by_key else click(app, pilot, "^y once"))
            assert answers(app) == [(f"ask-{call}", "once", "")]
            app.tell(tape.put(events.PermissionSettled(tape.at, f"ask-{call}", call, "once")))


async def test_a_click_does_not_hit_a_question_that_has_just_moved_there() -> None:
    tape = begun().ask("Bash", {"command": "pytest\necho\necho"})
    tape = tape.ask("Bash", {"command": "git add ."}).ask("Bash", {"command": "curl"}).wait(1)
    async with watching(tape, size=(100, 40)) as (app, pilot):
        await click(app, pilot, "once", nth=2)
        assert answers(app) == [("ask-call-3", "once", "")], "all of them stand still"
        before = app.shown().index("curl")
        app.tell(tape.put(events.PermissionSettled(tape.at, "ask-call-1", "call-1", "once")))
        await until(pilot, lambda: app.shown().index("curl") < before, "the last one has moved up")
        await click(app, pilot, "once", nth=1)
        assert answers(app) == []
        app.now += 1
        await click(app, pilot, "once", nth=1)
        assert answers(app) == [("ask-call-3", "once", "")]


@pytest.mark.parametrize(
    ("words", "decision"), sampled([("once", "once"), ("Bash: ls", "run"), ("deny", "deny")], 2)
)  # of "deny with a reason", another test
async def test_what_is_said_about_the_keys_can_be_clicked(words: str, decision: str) -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}, grants=("Bash: ls",)).wait(1)) as (app, pilot):
        await click(app, pilot, words)
        assert answers(app) == [("ask-call-1", decision, "")]
        assert not app.run_screen.transcript.page.folding._chosen, "nothing was folded by it"


async def test_who_comes_back_to_a_run_has_a_moment_to_see_its_question() -> None:
    tape = begun().ask("Bash", {"command": "ls"}).wait(60)
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted)
        await pilot.press("ctrl+y")
        assert app.kept.take() == []
        app.now += 1
        await pilot.press("ctrl+y")
        assert len(app.kept.take()) == 1


async def test_an_interrupt_closes_the_question_also_between_two_turns() -> None:
    tape = begun().done().ask("Bash", {"command": "ls"}).wait(1)
    async with watching(tape) as (app, pilot):
        assert not app.run_model.store.is_running
        await pilot.press("escape")
        assert app.kept.take() == [commands.Interrupt()]


async def test_keys_of_questions_are_the_editors_while_there_is_none() -> None:
    async with watching(begun()) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"one", "ctrl+underscore")
        assert prompt.text == ""
        await pilot.press("ctrl+y")
        assert prompt.text == "one", "ctrl+y takes the undoing back"
        await pilot.press("shift+home", "ctrl+x")
        assert prompt.text == ""
        assert app.clipboard == "one"
        assert app.kept.take() == []


async def test_a_question_between_any_two_keys_loses_none_and_answers_nothing() -> None:
    text = "a fix"
    tape = begun()
    async with watching(tape) as (app, pilot):
        for moment in range(len(text) + 1):
            keys = ["space" if letter == " " else letter for letter in text]
            await pilot.press(*keys[:moment])
            app.tell(tape.ask(("Bash", "AskUserQuestion")[moment % 2], {"command": "rm", **ASKED}))
            await pilot.press(*keys[moment:])
            assert app.run_screen.prompt.text == text
            assert app.run_screen.prompt.has_focus
            app.run_screen.prompt.take()
        assert app.kept.take() == []


async def test_its_key_cuts_what_is_selected_and_denies_nothing() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"})) as (app, pilot):
        app.now += 60
        await pilot.press(*"keep this", "ctrl+shift+left", "ctrl+x")
        assert (app.run_screen.prompt.text, app.clipboard) == ("keep ", "this")
        assert answers(app) == []
        await pilot.press("ctrl+x")
        assert [decision for _, decision, _ in answers(app)] == ["deny"]


@pytest.mark.explore
async def test_who_cuts_nothing_keeps_the_clipboard() -> None:
    async with watching(begun()) as (app, pilot):
        app.copy_to_clipboard("kept")
        await pilot.press("ctrl+x", "ctrl+f", "ctrl+x")
        assert app.clipboard == "kept"


TWO = {
    "questions": [
        {"question": "Which colour?", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}]},
        {"question": "Which sizes?", "options": [{"label": "S"}, {"label": "M"}], "multiSelect": True},
    ]
}


async def test_options_are_chosen_by_clicks_several_where_that_is_meant() -> None:
    async with watching(begun().ask("AskUserQuestion", TWO).wait(1)) as (app, pilot):
        await click(app, pilot, "2. Blue")
        await until(pilot, lambda: "✔ Which colour?  Blue" in app.shown())
        assert app.kept.take() == [], "the second one is not answered yet"
        await click(app, pilot, "☐ 2. M")  # as the second of two clicks would
        assert "☑ 2. M" not in app.shown()
        app.now += 1
        await click(app, pilot, "☐ 2. M")
        await until(pilot, lambda: "☑ 2. M" in app.shown())
        await pilot.press("enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert (answer.decision, answer.answers) == ("once", {"Which colour?": "Blue", "Which sizes?": "M"})


async def test_questions_are_answered_one_after_the_other_by_number_or_in_words() -> None:
    async with watching(begun().ask("AskUserQuestion", TWO).wait(1)) as (app, pilot):
        await pilot.press("ctrl+y")
        assert app.kept.take() == [], "a yes is no answer"
        await pilot.press(*"1", "enter")
        await until(pilot, lambda: "✔ Which colour?  Red" in app.shown())
        await pilot.press(*"none", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which colour?": "Red", "Which sizes?": "none"}


async def test_words_of_a_window_that_is_gone_may_be_for_another_of_several_questions() -> None:
    async with watching(begun().ask("AskUserQuestion", TWO).wait(1)) as (app, pilot):
        app.run_screen.bring_back("half of an answer", {})  # to the second one: the first had been answered there
        await pilot.press("enter")
        assert "before the question was shown here" in [one.message for one in app._notifications][-1]
        assert "✔ Which colour?" not in app.shown()
        assert app.run_screen.prompt.text == "half of an answer"
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: "✔ Which colour?  half of an answer" in app.shown(), "it was meant")
    async with watching(begun().ask("AskUserQuestion", ASKED).wait(1)) as (app, pilot):
        app.run_screen.bring_back("half of an answer", {})
        await pilot.press("enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "half of an answer"}, "there is nothing else that they could be for"


@pytest.mark.explore
async def test_what_was_being_written_in_an_editor_when_a_question_came_may_not_be_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened, closes = asyncio.Event(), asyncio.Event()

    async def edit_text(_app: object, _text: str, saved: Callable[[str], None]) -> None:
        opened.set()
        await closes.wait()
        saved("no, begin anew")

    monkeypatch.setattr(editor, "edit_text", edit_text)
    tape = begun()
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+g")
        await opened.wait()
        app.tell(tape.ask("AskUserQuestion", ASKED))
        await until(pilot, lambda: "Which one?" in app.shown(), "it came")
        closes.set()
        await until(pilot, lambda: app.run_screen.prompt.text == "no, begin anew", "it was saved")
        app.now += 1
        await pilot.press("enter")
        assert "before the question was shown here" in [one.message for one in app._notifications][-1]
        assert (app.kept.take(), app.run_screen.prompt.text) == ([], "no, begin anew")
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "no, begin anew"}, "it was meant"


@pytest.mark.parametrize("emptying", [["ctrl+u"], ["backspace", "backspace"], ["ctrl+underscore"]])
async def test_words_that_were_typed_anew_into_an_emptied_prompt_are_for_the_question(emptying: list[str]) -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        await pilot.press(*"no")
        app.tell(tape.ask("AskUserQuestion", ASKED))
        await until(pilot, lambda: "Which one?" in app.shown(), "it came")
        await pilot.press(*emptying)
        assert app.run_screen.prompt.text == ""
        app.now += 1
        await pilot.press(*"no", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "no"}


async def test_words_that_a_question_came_to_are_doubted_until_they_are_sent_twice() -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"no")
        app.tell(tape.ask("AskUserQuestion", TWO))
        await until(pilot, lambda: "Which colour?" in app.shown(), "it came")
        app.now += 1
        await pilot.press("enter")
        told = [one.message for one in app._notifications]
        assert len(told) == 1
        assert "before the question was shown here" in told[0]
        await pilot.press("ctrl+r", *"why", "ctrl+u", "escape")  # a reason was emptied, and they come back
        assert prompt.text == "no"
        app.now += AGAIN_WITHIN + 1
        await pilot.press("enter")
        assert (app.kept.take(), prompt.text) == ([], "no"), "they are doubted still"
        app.now += 1
        await pilot.press("enter")
        await until(pilot, lambda: "✔ Which colour?  no" in app.shown(), "it was meant")
        app.now += 1
        await pilot.press(*"no", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which colour?": "no", "Which sizes?": "no"}, "these were typed for the second"


async def test_the_key_says_how_much_is_allowed_for_the_run() -> None:
    grants = ("Bash: pytest -q", "Bash: pytest …", "every Bash command")
    for offered, keys in ((grants, {"ctrl+t": 0, "alt+t": 1, "alt+a": 2}), (grants[::2], {"alt+t": None, "alt+a": 1})):
        async with watching(begun().ask("Bash", {"command": "pytest -q"}, grants=offered).wait(1)) as (app, pilot):
            for key, grant in keys.items():
                await pilot.press(key)
                if key != "ctrl+t" and grant is not None:
                    app.now += 1
                    await pilot.press(key)
                    await until(pilot, lambda: app.kept.commands, "it is still for a moment")
                given = [(one.decision, one.grant) for one in app.kept.take() if isinstance(one, AnswerPermission)]
                assert given == ([] if grant is None else [("run", grant)])


async def test_what_reaches_beyond_the_call_is_wanted_twice_and_any_other_key_takes_it_back() -> None:
    grants = ("Bash: pytest -q", "Bash: pytest …", "every Bash command")
    async with watching(begun().ask("Bash", {"command": "pytest -q"}, grants=grants).wait(1)) as (app, pilot):
        await pilot.press("alt+a")
        told = [notice.message for notice in app._notifications]
        assert told == ["Press Alt+a again to allow for this run: every Bash command"]
        for key in ("b", "alt+a", "alt+t", "alt+a", "ctrl+end", "alt+a"):
            app.now += 1
            await pilot.press(key)
        app.now += AGAIN_WITHIN + 1
        await pilot.press("alt+a")
        await _passed(app, pilot)
        assert app.kept.take() == []
        app.now += 1
        await pilot.press("alt+a")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        assert [one.grant for one in app.kept.take() if isinstance(one, AnswerPermission)] == [2]
    async with watching(begun().ask("Bash", {"command": "pytest -q"}, grants=grants).wait(1)) as (app, pilot):
        await click(app, pilot, "every Bash command")
        assert [one.grant for one in app.kept.take() if isinstance(one, AnswerPermission)] == [2], "a click is no slip"


async def test_each_further_edit_of_a_file_is_wanted_twice() -> None:
    edit = {"file_path": "a.py", "old_string": "1", "new_string": "2"}
    grants = ("Edit of a.py", "Edit in this folder")
    async with watching(begun().ask("Edit", edit, grants=grants).wait(1)) as (app, pilot):
        assert "^t twice Edit of a.py" in app.shown()
        await pilot.press("ctrl+t")
        told = [notice.message for notice in app._notifications]
        assert told == ["Press ^t again to allow for this run: Edit of a.py"]
        await _passed(app, pilot)
        assert app.kept.take() == []
        app.now += 1
        await pilot.press("ctrl+t")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        assert [one.grant for one in app.kept.take() if isinstance(one, AnswerPermission)] == [0]


async def _passed(app: FedApp, pilot: Pilot[Any]) -> None:
    """Wait until whatever waits for keys to end has had its time."""
    passed = asyncio.Event()
    app.run_screen.prompt.set_timer(wanted_twice.STILL_FOR, passed.set)
    await until(pilot, passed.is_set)


async def test_an_enter_that_is_held_down_sends_what_is_doubted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_twice, "STILL_FOR", 0.6)
    async with watching(begun().ask("AskUserQuestion", ASKED).wait(1)) as (app, pilot):
        for later, keys in ((0.0, ["7", "enter"]), (0.5, ["enter"] * 3), (APART + 0.1, ["enter", "x"])):
            app.now += later
            await pilot.press(*keys)
            await _passed(app, pilot)
            assert app.kept.take() == []
        assert app.run_screen.prompt.text == "7x"


async def test_a_key_that_is_held_down_is_pressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_twice, "STILL_FOR", 0.6)  # a busy machine may take long for what comes at once
    grants = ("Bash: pytest -q", "Bash: pytest …", "every Bash command")
    async with watching(begun().ask("Bash", {"command": "pytest -q"}, grants=grants).wait(1)) as (app, pilot):
        for later, keys in ((0.0, ["alt+a"]), (0.5, ["alt+a"] * 5), (APART + 0.1, ["alt+a", "x"])):
            app.now += later  # a keyboard waits before it repeats a key; and whoever types on behind it means neither
            before = app.keys_pressed
            for key in keys:
                app.post_message(Key(key, None if "+" in key else key))
            await until(pilot, lambda: app.keys_pressed == before + len(keys))  # noqa: B023
            await _passed(app, pilot)
            assert app.kept.take() == []


@pytest.mark.explore
@pytest.mark.parametrize("cut", [["ctrl+u"], ["ctrl+a", "ctrl+k"], ["ctrl+w"]], ids="+".join)
async def test_what_was_cut_in_the_line_that_finds_is_brought_back_there(
    cut: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_text, "BROUGHT_BACK_FOR", 3600.0)
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press("ctrl+f", *"more", *cut)
        line = app.screen.query_one("#find-input", Input)
        assert line.value == ""
        await pilot.press("ctrl+y", "ctrl+y")
        assert line.value == "moremore"
        assert app.kept.take() == []
        await pilot.press("shift+home", "ctrl+x")
        assert line.value == ""
        assert app.kept.take() == []
        monkeypatch.setattr(cut_text, "REDOES_FOR", -1)
        await pilot.press("ctrl+y", "ctrl+u", "ctrl+y", "escape", "ctrl+y")
        assert [decision for _, decision, _ in answers(app)] == ["once"]


async def test_the_key_that_redoes_what_was_typed_allows_nothing_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press(*"more", "ctrl+underscore", *["ctrl+y"] * 4)
        assert app.run_screen.prompt.text == "more"
        assert app.kept.take() == []
        monkeypatch.setattr(cut_text, "REDOES_FOR", -1)
        await pilot.press("ctrl+underscore", "ctrl+y")
        assert [decision for _, decision, _ in answers(app)] == ["once"]


@pytest.mark.parametrize("cut", sampled([["ctrl+u"], ["ctrl+a", "ctrl+k"], ["ctrl+w"]], 3), ids="+".join)
async def test_the_key_that_brings_back_what_was_cut_as_in_a_shell_allows_nothing(cut: list[str]) -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press(*"more", *cut)
        assert app.run_screen.prompt.text == ""
        await pilot.press("ctrl+y")
        assert app.run_screen.prompt.text == "more"
        assert app.kept.take() == []
        await until(pilot, lambda: any("brought back" in one.message for one in app._notifications), "it is said")
        await pilot.press("ctrl+u", *"x", "ctrl+y")
        assert app.run_screen.prompt.text == "xmore"


async def test_a_long_paste_is_brought_back_whole_after_something_else_was_sent() -> None:
    page = "\n".join(f"line {number}" for number in range(40))
    async with watching(begun().done()) as (app, pilot):
        app.post_message(Paste(page))
        await until(pilot, lambda: "[pasted 40 lines]" in app.run_screen.prompt.text)
        await pilot.press("ctrl+u", *"other", "enter", "ctrl+y")
        assert app.run_screen.prompt.text == "[pasted 40 lines]"
        await pilot.press("enter")
        assert [one.text for one in app.kept.take() if isinstance(one, SendPrompt)] == ["other", page]


@pytest.mark.explore
async def test_what_was_cut_in_one_line_is_brought_back_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut_text, "BROUGHT_BACK_FOR", 3600.0)
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await pilot.press(*"more", "shift+enter", *"of it", "ctrl+shift+a", "ctrl+u", "ctrl+f", "ctrl+y")
        line = app.screen.query_one("#find-input", Input)
        assert "of it" in line.value
        await pilot.press("ctrl+u", "escape", "ctrl+y")
        assert "of it" in app.run_screen.prompt.text
        assert app.kept.take() == []


async def test_what_was_cut_is_brought_back_after_something_else_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        now = 100.0
        monkeypatch.setattr(cut_text, "time", SimpleNamespace(monotonic=lambda: now))
        monkeypatch.setattr(cut_text, "REDOES_FOR", -1)
        await pilot.press(*"half a thought", "ctrl+u")
        now += cut_text.BROUGHT_BACK_FOR - 1
        await pilot.press(*"!git status", "enter")
        now += cut_text.BROUGHT_BACK_FOR - 1
        await pilot.press("ctrl+y")
        assert app.run_screen.prompt.text == "half a thought"
        assert [type(one) for one in app.kept.take()] == [commands.RunShell]
        now += cut_text.BROUGHT_BACK_FOR
        await pilot.press("ctrl+y")
        assert [decision for _, decision, _ in answers(app)] == ["once"]


def screen_text(app: FedApp) -> str:
    """All that is on the terminal, dialogs and notices included."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def edited(app: FedApp) -> str:
    """What stands in the dialog that changes a call."""
    return app.screen.query_one(Prompt).text if isinstance(app.screen, EditCallScreen) else ""


RULES = ("Bash(make test)", "Bash(make:*)", "Bash")


async def test_a_rule_is_chosen_tried_out_and_written_with_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RuleTrial, "try_out", lambda _trial, rule, agent: f"{agent or 'all'} {rule}: 14 calls")
    tape = begun().ask("Bash", {"command": "make test"}, rules=RULES, rules_file="/home/me/rules.toml").wait(1)
    async with watching(tape) as (app, pilot):
        assert "by a rule" in app.shown()
        await pilot.press("alt+r")
        await until(pilot, lambda: "reviewer Bash(make test): 14 calls" in screen_text(app))
        assert "/home/me/rules.toml" in screen_text(app)
        await pilot.press("down")
        await until(pilot, lambda: "reviewer Bash(make:*): 14 calls" in screen_text(app))
        await pilot.press("x", "tab", "enter")  # wherever one is
        await until(pilot, lambda: "✘" in screen_text(app))
        assert not [one for one in app.workers if one.node is app.screen and one.is_running], "nothing hides it"
        assert app.kept.take() == [], "what is no rule allows nothing"
        await pilot.press("shift+tab", "end", "backspace", "tab", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert (answer.decision, answer.rule, answer.is_for_agent) == ("once", "Bash(make:*)", True)


async def test_a_rule_at_the_question_of_another_agent_is_for_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RuleTrial, "try_out", lambda _trial, rule, agent: f"{agent} {rule}: 14 calls")
    tape = begun().ask("own", {"text": "x"}, rules=("own:put",), rules_file="r.toml", rules_agent="helper").wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+r")
        await until(pilot, lambda: "helper own:put: 14 calls" in screen_text(app))
        assert "helper alone" in screen_text(app)


async def test_a_rule_for_all_of_a_tool_is_told_and_wanted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_twice, "APART", 0.0)
    # Of a command of several lines, or with a pattern, no other rule can be offered: the model says which it is.
    tape = begun().ask("Bash", {"command": "ls\nls"}, rules=RULES[-1:], rules_file="/home/me/rules.toml").wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+r")
        await until(pilot, lambda: "It allows every use of Bash, and not only this one." in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "Press Enter again" in screen_text(app))
        assert app.kept.take() == []
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.commands, "it is still for a moment")
        assert [getattr(one, "rule", "") for one in app.kept.take()] == ["Bash"]


async def test_a_rule_that_is_left_before_it_was_tried_out_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    after_typing, goes_on, sleep, tried = 1234.5, asyncio.Event(), asyncio.sleep, list[str]()

    async def sleep_held(delay: float) -> None:
        await (goes_on.wait() if delay == after_typing else sleep(delay))

    async def on_unmount(screen: AlwaysScreen) -> None:  # its parts are gone by now, what it began is not yet ended
        goes_on.set()
        while not all(one.is_finished for one in screen.workers if one.node is screen):
            await sleep(0)

    def try_out(_trial: RuleTrial, rule: str, _agent: str) -> str:
        tried.append(rule)
        return "14 calls"

    monkeypatch.setattr(always, "_AFTER_TYPING", after_typing)
    monkeypatch.setattr(asyncio, "sleep", sleep_held)
    monkeypatch.setattr(AlwaysScreen, "on_unmount", on_unmount)
    monkeypatch.setattr(RuleTrial, "try_out", try_out)
    async with watching(begun().ask("own", {"text": "x"}, rules=("own:put",), rules_file="r.toml").wait(1)) as (
        app,
        pilot,
    ):
        await pilot.press("alt+r")
        await until(pilot, lambda: isinstance(app.screen, AlwaysScreen) and app.screen.is_armed)
        await pilot.press("end", "backspace", "escape")
        await until(pilot, lambda: app.top == "RunScreen" and tried[-1:] == ["own:pu"], "it went on behind the dialog")


async def test_a_rule_is_shown_whole_and_has_no_secret() -> None:
    long, secret = "Bash(make " + "word " * 40 + "end)", f"Bash(mytool --token {GITHUB})"
    tape = begun().ask("Bash", {"command": secret[5:-1]}, rules=(long, "Bash(mytool:*)"), rules_file="r.toml").wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+r")
        await until(pilot, lambda: "there is a secret in it" in screen_text(app), "why this very call is not offered")
        shown = app.screen.query_one("#whole", Static)
        await until(pilot, lambda: shown.display and shown.size.height > 1, "longer than the line")
        assert screen_text(app).count("word") > 40
        await pilot.press("down")
        await until(pilot, lambda: not shown.display, "this one is not")
        app.screen.query_one("#rule", Input).value = secret
        await pilot.press("enter")
        await until(pilot, lambda: "There is a secret in this rule" in screen_text(app))
        assert app.kept.take() == [], "it is not written"


async def test_why_a_call_with_a_secret_can_have_no_rule_is_told() -> None:
    async with watching(begun().ask("Bash", {"command": f"mytool --token {GITHUB}"}).wait(1)) as (app, pilot):
        await pilot.press("alt+r")
        await until(pilot, lambda: [one.message for one in app._notifications], "it is told")
        assert [one.message for one in app._notifications] == ["No rule can allow this: there is a secret in it."]


async def test_a_call_is_changed_before_it_runs() -> None:
    async with watching(begun().ask("Bash", {"command": "make tset"}).wait(1)) as (app, pilot):
        await pilot.press("alt+e")
        await until(pilot, lambda: edited(app) == "make tset")
        keys = {key: (one.node, one.binding.description) for key, one in app.screen.active_bindings.items()}
        assert keys["enter"] == (app.screen, "Run it once"), "help says what it does here"
        assert "ctrl+r" not in keys
        await pilot.press(*["backspace"] * 4, *"test", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert (answer.decision, answer.arguments) == ("once", {"command": "make test"})


@pytest.mark.parametrize(
    "arguments",
    sampled(
        [
            {"command": "echo one\n# only a note\u2028touch PWNED"},
            {"command": "rm 'a\u2029b'", "description": "x"},
            {"command": "echo x; rm a\\ "},
            {"file_path": "a", "content": "e" + "\u0301" * 9},
            {"command": "printf 'a\u200d\x7fb\u202ec\ufeff'"},
            {"file_path": "a", "content": "\u2028\x85\r\n\t\x1b[2J👩\u200d💻 \ud800 日本\xa0\U000e0041"},
        ],
        5,
    ),
)
async def test_what_nobody_changes_of_a_call_is_called_as_it_was_asked_about(arguments: dict[str, str]) -> None:
    tape = begun().ask("Bash" if "command" in arguments else "Write", arguments).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+e")
        await until(pilot, lambda: edited(app))
        assert "\nPWNED" not in edited(app)
        assert json.loads(edited(app)) == arguments
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, EditCallScreen))
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert answer.arguments == arguments


async def test_arguments_that_are_no_json_are_not_taken_and_a_question_that_is_gone_is_not_answered() -> None:
    tape = begun().ask("mcp__db__drop", {"table": "a"}).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+r")
        await until(pilot, lambda: any("asks each time" in str(told.message) for told in app._notifications))
        await pilot.press("alt+e")
        await until(pilot, lambda: '"table": "a"' in edited(app))
        await pilot.press("x", "enter")
        await until(pilot, lambda: "It is not JSON" in screen_text(app))
        await pilot.press("backspace")
        request = next(iter(app.run_model.store.questions))
        app.tell(tape.put(events.PermissionSettled(tape.at, request, "call-1", "deny")))
        await until(pilot, lambda: not app.run_model.store.questions)
        await pilot.press("enter")
        await until(pilot, lambda: "answered meanwhile" in screen_text(app))
        assert '"table": "a"' in edited(app), "what was changed is not lost"
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, EditCallScreen))
        assert app.kept.take() == []


async def test_a_rule_is_really_tried_out_by_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    started, start = list[list[str]](), subprocess.Popen

    def note(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
        started.append(command)
        return start(command, **how)

    monkeypatch.setattr(subprocess, "Popen", note)
    trial = RuleTrial(str(Path.cwd()))
    told = await asyncio.to_thread(trial.try_out, "Bash(curl -H 'Authorization: Bearer abc')", "reviewer")
    assert told == "It would have allowed none of your 0 past calls."
    assert not any("Bearer" in word for word in started[0]), "others can read the arguments of a process"
    assert "no tool" in await asyncio.to_thread(trial.try_out, "Bsh(make)", "")
    trial.stop()
