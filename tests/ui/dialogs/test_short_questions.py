"""ConfirmScreen: every way to say yes or no."""

from __future__ import annotations

import pytest

from maverick_tui.inert import inert
from maverick_tui.ui.dialogs.leaving import Asked, LeavingScreen
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen, NameScreen
from maverick_tui.ui.dialogs.worktree import Left, WorktreeScreen
from maverick_tui.ui.race.deciding import DecideScreen
from tests.support.sampling import sampled
from tests.ui.dialogs.host import BROAD, NARROW, PENDING, asked
from tests.ui.waiting import until

_LAST = "7 joiner: is still at work"


def question() -> ConfirmScreen:
    return ConfirmScreen("Quit?", "Two agents are at work.", "Stop them", "Stay")


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_the_question_is_shown(size: tuple[int, int]) -> None:
    async with asked(question(), size) as (app, _):
        for text in ("Quit?", "Two agents are at work.", "y  Stop them", "n  Stay"):
            app.find(text)


@pytest.mark.parametrize(
    ("keys", "answer"),
    sampled(
        [
            (["y"], True),
            (["n"], False),
            (["escape"], False),
            (["enter"], False),
            (["left", "enter"], True),
            (["tab", "tab", "enter"], False),
            (["right", "enter"], True),
            (["shift+tab", "enter"], True),
        ],
        3,
    ),
)
async def test_keys_answer(keys: list[str], answer: bool) -> None:
    async with asked(question()) as (app, pilot):
        await pilot.press(*keys)
        assert app.answer is answer


@pytest.mark.parametrize(("button", "answer"), [("Stop them", True), ("n  Stay", False)])
async def test_the_mouse_answers(button: str, answer: bool) -> None:
    async with asked(question()) as (app, pilot):
        await pilot.click(offset=app.find(button))
        await pilot.pause()
        assert app.answer is answer


@pytest.mark.parametrize(
    ("size", "keys"), [((60, 15), ["enter"]), ((40, 12), ["y"]), ((40, 12), ["left", "right", "enter"])]
)
async def test_in_a_low_window_a_yes_counts_once_all_of_it_was_on_the_screen(
    size: tuple[int, int], keys: list[str]
) -> None:
    others = "\n".join(f"{number} joiner: is still at work" for number in range(2, 17))
    dialog = DecideScreen("Merge 1 smith into main?", others, "Merge", is_one_of_many=False)
    async with asked(dialog, size) as (app, pilot):
        app.find("Merge 1 smith into main?")
        await pilot.press(*keys)
        assert app.answer is PENDING
        await pilot.press(*["pageup"] * 3)
        await until(pilot, lambda: "Merge 1 smith into main?" in app.text, "its beginning")
        await pilot.press(*["pagedown"] * 3)
        await until(pilot, lambda: "y  Merge" in app.text, "its end")
        await pilot.press("y")  # Textual's buttons take no second press for a moment
        assert app.answer is True


async def test_what_a_notice_was_over_has_not_been_seen() -> None:
    others = "\n".join(f"{number} joiner: is still at work" for number in range(2, 8))
    dialog = DecideScreen("Merge 1 smith into main?", others, "Merge", is_one_of_many=False)
    async with asked(dialog, (60, 15), notifications=True) as (app, pilot):
        app.notify("The account is out of credit. " * 12, timeout=600)
        await until(pilot, lambda: "out of credit" in app.text and _LAST not in app.text, "it is over them")
        await pilot.press("y")
        assert app.answer is PENDING
        await until(pilot, lambda: "out of credit" not in app.text and _LAST in app.text, "they are shown")
        await pilot.press("y")
        assert app.answer is True


async def test_the_notice_that_says_to_read_on_hides_nothing_of_what_is_to_be_read() -> None:
    others = "\n".join(f"{number} joiner: is still at work on the END{number}" for number in range(2, 30))
    dialog, read = DecideScreen("Merge 1 smith into main?", others, "Merge", is_one_of_many=False), set[int]()
    async with asked(dialog, (60, 15), notifications=True) as (app, pilot):
        for _ in range(20):
            read.update(number for number in range(2, 30) if f"END{number} " in app.text)
            await pilot.press("y")
            await pilot.pause()
            if app.answer is not PENDING:
                break
        assert (app.answer, read) == (True, set(range(2, 30)))


@pytest.mark.parametrize("key", sampled(["e", "i", "enter"], 3))
async def test_what_becomes_of_agents_is_not_said_before_it_was_read_what_is_asked(key: str) -> None:
    text = "\n".join(f"agent {number} is at work" for number in range(12))
    for size, is_readable in (((20, 5), False), ((60, 15), True)):
        async with asked(LeavingScreen(lambda: Asked("Quit?", text)), size) as (app, pilot):
            await pilot.press(key)
            assert app.answer is PENDING
            await pilot.press(*["pageup"] * 3)
            if is_readable:
                await until(pilot, lambda: "Quit?" in app.text, "its beginning")
            await pilot.press(*["pagedown"] * 4)
            if is_readable:
                await until(pilot, lambda: "Esc  Stay" in app.text, "its end")
                await pilot.press("l" if key == "enter" else key)  # Textual's buttons take no second press for a moment
                assert app.answer == {"e": "end", "i": "interrupt"}.get(key, "leave")
            else:
                await pilot.press("e")
                assert app.answer is PENDING
                await pilot.press("escape")
                assert app.answer is None


async def test_what_was_seen_in_a_larger_window_is_to_be_seen_in_this_one() -> None:
    text = "\n".join(f"agent {number} is at work" for number in range(12))
    for is_covered in (False, True):
        confirm = ConfirmScreen("End them?", text)
        async with asked(confirm, (60, 15)) as (app, pilot):
            await pilot.press(*["pagedown"] * 3)
            await until(pilot, lambda: "y  Yes" in app.text, "its end")
            if is_covered:
                await app.push_screen(NameScreen())
            await pilot.resize_terminal(60, 10)
            if is_covered:
                await pilot.press("escape")
            await until(pilot, lambda: confirm.is_armed and confirm.size.height == 10, "it is asked")  # noqa: B023
            await pilot.press("y")
            assert app.answer is PENDING
            await until(pilot, lambda: "End them?" in app.text, "it begins anew")


async def test_in_a_low_window_a_worktree_is_merged_once_it_was_read_what_comes_of_that() -> None:
    left = Left("a run", "maverick/a", "main", tuple(f"file_{number}.py" for number in range(6)), "6 changed files")
    for key, size, answer in (("l", (60, 10), "leave"), ("m", (60, 10), PENDING), ("m", (60, 30), "merge")):
        async with asked(WorktreeScreen(left), size) as (app, pilot):
            await pilot.press(key)
            assert app.answer == answer
            if answer is PENDING:
                await pilot.press(*["pageup"] * 3, *["pagedown"] * 4)
                await until(pilot, lambda: "Esc  Back" in app.text, "its end")
                await pilot.press(key)
                assert app.answer == "merge"


async def test_another_key_answers_nothing() -> None:
    async with asked(question()) as (app, pilot):
        await pilot.press("x", "space", "ctrl+a")
        assert app.answer is PENDING


async def test_its_texts_are_inert_and_no_markup() -> None:
    evil = "[bold]x[/bold] \x1b[2J\x9b2J\u202e"
    async with asked(ConfirmScreen(evil, evil, "[b]y[/b]\x1b", "[b]n[/b]\x9b")) as (app, _):
        assert app.text == inert(app.text)
        assert app.text.count("[bold]x[/bold] ␛[2J") == 2
        app.find("y  [b]y[/b]␛")
        app.find("n  [b]n[/b]�")
