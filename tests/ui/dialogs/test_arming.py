"""Dialogs that come up in the middle of typing: what is still being typed is no answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.review.commit_preview import Preview
from maverick_tui.ui.changes.asking import WordsScreen
from maverick_tui.ui.changes.committing import CommitScreen, CommitWanted
from maverick_tui.ui.dialogs.always import AlwaysScreen
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.dialogs.edit_call import EditCallScreen
from maverick_tui.ui.dialogs.leaving import Asked, LeavingScreen
from maverick_tui.ui.dialogs.scopes import Scope, ScopesScreen
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen, NameScreen
from maverick_tui.ui.dialogs.trust import ShownFile, TrustQuestion, TrustScreen
from maverick_tui.ui.dialogs.worktree import Left, WorktreeScreen
from maverick_tui.ui.race.deciding import DecideScreen
from maverick_tui.ui.widgets.prompt import Prompt
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.changes.looking import SHOWN
from tests.ui.dialogs.host import PENDING, asked
from tests.ui.running import watching
from tests.ui.waiting import until

DIALOGS: tuple[tuple[Callable[[], ArmedDialog[Any]], str, tuple[str, ...], object], ...] = (
    (lambda: LeavingScreen(lambda: Asked("Quit?", "An agent is at work.")), "er of it", ("e",), "end"),
    (
        lambda: LeavingScreen(lambda: Asked("Quit?", "An agent is at work.")),
        "er of it",
        ("right", "enter"),
        "interrupt",
    ),
    (lambda: ConfirmScreen("End it?", "It is at work."), "yes, and no", ("left", "enter"), True),
    (lambda: DecideScreen("Merge?", "One file.", "Merge", is_one_of_many=False), "ake it so", ("y",), True),
    (lambda: WorktreeScreen(Left("a run", "maverick/a", "main")), "hat about more", ("m",), "merge"),
    (lambda: ScopesScreen([Scope("turn", "this one")]), "1 or 2", ("1",), Scope("turn", "this one")),
    (lambda: AlwaysScreen(["Bash(make test)"], "rules.toml", "a", None), "", ("enter",), ("Bash(make test)", True)),
    (lambda: EditCallScreen("Bash", {"command": "make"}), "", ("enter",), {"command": "make"}),
    (lambda: CommitScreen([], {}, Preview({}, (), SHOWN), ""), " it", ("enter",), CommitWanted("commit", "it")),
    (lambda: WordsScreen("Back?", ["+x"], verb="take it back", may_be_empty=True), " it", ("enter",), "it"),
)


async def test_who_comes_back_from_a_shell_has_a_moment_to_see_what_is_asked() -> None:
    async with watching(Tape().connect().done()) as (app, pilot):
        question = ConfirmScreen("End it?", "It is at work.")
        question.armed_after = 60
        _ = app.push_screen(question)
        await until(pilot, lambda: question.is_mounted)
        question._arm()
        app.app_resume_signal.publish(app)  # of Ctrl+Z and `fg`, with a key right behind that
        await pilot.press("y")
        assert app.screen is question
        question._arm()
        await pilot.press("y")
        await until(pilot, lambda: app.screen is not question, "it was meant")


async def test_nothing_is_decided_that_the_terminal_has_not_drawn() -> None:
    waiting: list[Callable[[], None]] = []
    question = ConfirmScreen("End it?", "".join(f"line {number}\n" for number in range(40)))
    dialog: ArmedDialog[bool]
    trust = TrustScreen(TrustQuestion("a", (), (ShownFile(Path("a.py"), b"x = 1\n" * 60),)), armed_after=0.01)
    for dialog, pages in ((question, 1), (trust, 3)):
        dialog.armed_after = 0.01
        async with asked(dialog) as (app, pilot):
            app.when_drawn = waiting.append  # type: ignore[attr-defined]
            dialog.wait_still()
            for _ in range(pages + 1):  # the first page, and each that is turned to
                await until(pilot, lambda: waiting, "it has been still")
                assert not dialog.is_armed
                while waiting:
                    waiting.pop()()
                await until(pilot, lambda: dialog.is_armed)  # noqa: B023
                await pilot.press("pagedown")
            assert waiting, "the last page is not there yet"
            waiting.clear()
            await pilot.press("y")
            assert app.answer is PENDING
            await until(pilot, lambda: waiting, "it has been still again")
            waiting.pop()()
            await pilot.press("y")
            await until(pilot, lambda: app.answer is not PENDING, "an answer")
            waiting.clear()


async def test_what_is_typed_while_the_words_of_a_question_change_answers_nothing() -> None:
    words = ["It is merged into main.", "It is merged into release."]
    leaving = LeavingScreen(lambda: Asked("Quit?", words[0]))
    confirm = ConfirmScreen("Merge?", words[0])
    dialog: ArmedDialog[Any]
    for dialog, follow, key, answer in (
        (leaving, leaving.follow, "e", "end"),
        (confirm, lambda: confirm.retell("Merge?", words[0]), "y", True),
    ):
        dialog.armed_after = 60
        words.sort()
        async with asked(dialog) as (app, pilot):
            dialog._arm()
            await until(pilot, lambda: dialog.is_armed)  # noqa: B023
            follow()
            assert dialog.is_armed, "nothing has changed"
            words.reverse()
            follow()
            await pilot.press(key)
            assert app.answer is PENDING
            await until(pilot, lambda: words[0] in app.text, "it is asked in other words")
            dialog._arm()
            await until(pilot, lambda: dialog.is_armed)  # noqa: B023
            await pilot.press(key)
            assert app.answer == answer


@pytest.mark.parametrize(("make", "typed", "keys", "answer"), sampled(DIALOGS, 3))
async def test_what_is_still_being_typed_answers_nothing(
    make: Callable[[], ArmedDialog[Any]], typed: str, keys: tuple[str, ...], answer: object
) -> None:
    dialog = make()
    dialog.armed_after = 60
    async with asked(dialog) as (app, pilot):
        if isinstance(dialog, EditCallScreen):
            await until(pilot, lambda: dialog.query_one(Prompt).text == "make")
        first = dialog._arming
        await pilot.press(*typed, *keys)
        assert app.answer is PENDING
        assert not dialog.is_armed
        assert dialog._arming is not first, "it waits again"
        assert any("Stop typing" in notice.message for notice in app._notifications)
        dialog._arm()
        await pilot.press(keys[-1])
        assert app.answer == answer


async def test_whoever_types_on_changes_no_call_by_that_and_escape_leaves_at_any_time() -> None:
    dialog = EditCallScreen("Bash", {"command": "rm -r build"})
    dialog.armed_after = 60
    async with asked(dialog) as (app, pilot):
        await until(pilot, lambda: dialog.query_one(Prompt).text == "rm -r build")
        await pilot.press(*"xplain", "enter", "enter")
        assert app.answer is PENDING
        await pilot.press("escape")
        assert app.answer is None


async def test_who_waits_a_moment_or_clicks_is_answered() -> None:
    dialog = ConfirmScreen("End it?", "It is at work.", yes="End it")
    dialog.armed_after = 0.01
    async with asked(dialog) as (app, pilot):
        await until(pilot, lambda: dialog.is_armed)
        await pilot.press("y")
        assert app.answer is True
    dialog = ConfirmScreen("End it?", "It is at work.", yes="End it")
    dialog.armed_after = 60
    async with asked(dialog) as (app, pilot):
        await pilot.click(offset=app.find("End it  "))
        await pilot.pause()
        assert app.answer is True


@pytest.mark.parametrize(
    ("make", "_typed", "keys", "answer"), sampled([row for row in DIALOGS if row[1] and row[2] != ("enter",)], 3)
)
async def test_a_sentence_that_begins_after_a_pause_answers_nothing_either(
    make: Callable[[], ArmedDialog[Any]], _typed: str, keys: tuple[str, ...], answer: object
) -> None:
    dialog = make()
    dialog.armed_after = 60
    async with asked(dialog) as (app, pilot):
        dialog._arm()
        await pilot.press(*"w", *keys, *"hy so many merges, 1 or 2", "enter")
        assert app.answer is PENDING
        assert not dialog.is_armed
        dialog._arm()
        await pilot.press(keys[-1])
        assert app.answer == answer


async def test_a_dialog_waits_again_when_what_was_above_it_is_left() -> None:
    dialog = ConfirmScreen("End it?", "It is at work.")
    dialog.armed_after = 60
    async with asked(dialog) as (app, pilot):
        dialog._arm()
        await app.push_screen(NameScreen())
        await pilot.press(*"a name", "enter", "y")
        assert (app.screen, app.answer) == (dialog, PENDING), "it was typed on"
        dialog._arm()
        await pilot.press("y")
        assert app.answer is True
