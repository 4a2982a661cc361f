"""TrustScreen: what is shown before somebody says yes, and that only a deliberate yes is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from maverick_tui.inert import inert
from maverick_tui.ui.dialogs.trust import ShownFile, TrustQuestion, TrustScreen
from maverick_tui.ui.lines.view import LineView
from tests.ui.dialogs.host import BROAD, NARROW, PENDING, asked
from tests.ui.picker.host import until

CONTENT = "\n".join(f"line number {number}" for number in range(1, 101)).encode()


def question(content: bytes = CONTENT, *, has_changed: bool = False) -> TrustQuestion:
    file = ShownFile(Path("/project/.maverick/agents/pilot.py"), content, has_changed)
    return TrustQuestion("pilot", ("the Python code below", "hook Stop: command ./x.sh"), (file,))


def dialog(armed_after: float = 0.01, content: bytes = CONTENT) -> TrustScreen:
    return TrustScreen(question(content), armed_after=armed_after)


@pytest.mark.parametrize("size", [NARROW, BROAD])
async def test_files_and_what_they_run_are_shown(size: tuple[int, int]) -> None:
    async with asked(dialog(), size) as (app, _):
        for text in ("Trust pilot?", "• hook Stop: command ./x.sh", "/project/.maverick/agents/pilot.py", "1  line"):
            app.find(text)
        app.find("y  Trust and run")
        app.find("n  Do not run")


async def test_all_of_it_can_be_read_with_keys_and_wheel() -> None:
    screen = dialog()
    async with asked(screen) as (app, pilot):
        source = screen.query_one("#source", LineView)
        page = source.page - 1
        for key, top in (
            ("end", source.last_top),
            ("home", 0),
            ("down", 1),
            ("up", 0),
            ("j", 1),
            ("k", 0),
            ("pagedown", page),
            ("space", 2 * page),
            ("ctrl+d", 3 * page),
            ("ctrl+u", 2 * page),
            ("pageup", page),
        ):
            await pilot.press(key)
            assert (key, source.top) == (key, top)
        await pilot.press("end")
        await until(pilot, lambda: "100  line number 100" in app.text)
        await pilot.press("home")
        await pilot._post_mouse_events([events.MouseScrollDown], widget=source, offset=(2, 2))
        await until(pilot, lambda: "WOULD RUN" not in app.text)
        assert app.answer is PENDING


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(["y"], True), (["n"], False), (["escape"], False), (["enter"], False), (["left", "enter"], True)],
)
async def test_keys_answer(keys: list[str], answer: bool) -> None:
    screen = dialog(content=b"short")
    async with asked(screen) as (app, pilot):
        await until(pilot, lambda: screen.is_armed)
        await pilot.press(*keys)
        assert app.answer is answer


@pytest.mark.parametrize(("button", "answer"), [("Trust and run", True), ("Do not run", False)])
async def test_the_mouse_answers(button: str, answer: bool) -> None:
    screen = dialog(content=b"short")
    async with asked(screen) as (app, pilot):
        await until(pilot, lambda: screen.is_armed)
        await pilot.click(offset=app.find(button))
        await pilot.pause()
        assert app.answer is answer


async def test_a_yes_is_taken_only_when_every_line_has_been_seen() -> None:
    screen = dialog()
    async with asked(screen) as (app, pilot):
        source = screen.query_one("#source", LineView)
        await until(pilot, lambda: screen.is_armed)
        await pilot.press("end", "y")
        assert app.answer is PENDING
        assert source.top == source.page, "that is where it goes on"
        while source.first_unread is not None:
            await pilot.press("pagedown")
            await pilot.pause()
        assert app.answer is PENDING
        await pilot.resize_terminal(100, 30)
        await pilot.press("y")
        assert app.answer is True, "what was read stays read"


async def test_a_file_that_takes_no_page_down_can_still_be_refused() -> None:
    screen = dialog()
    async with asked(screen, (30, 10)) as (app, pilot):
        await until(pilot, lambda: screen.is_armed)
        await pilot.press("y")
        assert app.answer is PENDING
        await pilot.press("n")
        assert app.answer is False


async def test_what_was_still_being_typed_is_no_answer() -> None:
    screen = dialog(armed_after=60)
    async with asked(screen) as (app, pilot):
        await pilot.press(*"okay", "left", "enter", *"any")
        assert app.answer is PENDING
        await pilot.press("escape")
        assert app.answer is False


async def test_every_key_that_comes_too_early_makes_it_wait_again() -> None:
    screen = dialog(armed_after=60)
    async with asked(screen) as (_app, pilot):
        first = screen._arming
        await pilot.press("y")
        assert screen._arming is not first
        assert not screen.is_armed


async def test_a_file_that_has_changed_says_so() -> None:
    screen = TrustScreen(question(has_changed=True))
    async with asked(screen, BROAD) as (app, _):
        app.find("pilot.py  ! has changed since you trusted it")


async def test_hostile_files_are_inert_and_no_markup() -> None:
    evil = "[bold]x[/bold] \x1b[2J \u202e \u200b"
    file = ShownFile(Path(f"/{evil}"), f"{evil}\x9b\n".encode())
    screen = TrustScreen(TrustQuestion(evil, (evil,), (file,)))
    async with asked(screen, BROAD) as (app, _):
        assert app.text == inert(app.text)
        assert app.text.count("[bold]x[/bold] ␛[2J") == 4
        assert "<U+200B>" in app.text
