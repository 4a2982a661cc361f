"""TrustScreen: what is shown before somebody says yes, and that only a deliberate yes is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from maverick_tui.inert import inert, spelled
from maverick_tui.ui.dialogs.trust import ShownFile, TrustQuestion, TrustScreen
from maverick_tui.ui.lines import LineView
from maverick_tui.ui.rendering.source_lines import source_lines
from tests.support.cases import each
from tests.support.sampling import sampled
from tests.ui.dialogs.host import BROAD, NARROW, PENDING, asked
from tests.ui.waiting import until

CONTENT = "\n".join(f"line number {number}" for number in range(1, 101)).encode()


def question(content: bytes = CONTENT, *, has_changed: bool = False) -> TrustQuestion:
    file = ShownFile(Path("/project/.maverick/agents/pilot.py"), content, has_changed)
    return TrustQuestion("pilot", ("the Python code below", "hook Stop: command ./x.sh"), (file,))


def dialog(armed_after: float = 0.01, content: bytes = CONTENT) -> TrustScreen:
    return TrustScreen(question(content), armed_after=armed_after)


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
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
        await until(pilot, lambda: "It comes with" not in app.text)
        assert app.answer is PENDING


@pytest.mark.parametrize(
    ("keys", "answer"),
    sampled([(["y"], True), (["n"], False), (["escape"], False), (["enter"], False), (["left", "enter"], True)], 3),
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


@pytest.mark.explore
async def test_what_was_only_drawn_in_a_larger_window_is_to_be_read_in_this_one() -> None:
    """It may be another terminal: tmux keeps a window while nobody is attached."""
    for size in ((200, 140), (69, 140)):  # another width, or only another height
        screen = dialog()
        async with asked(screen, size) as (app, pilot):
            source = screen.query_one("#source", LineView)
            await until(pilot, lambda: screen.is_armed and source.first_unread is None, "all of it has room")  # noqa: B023
            await pilot.resize_terminal(69, 30)
            await until(pilot, lambda: screen.is_armed and source.last_top > 0, "most of it has none")  # noqa: B023
            await pilot.press("y")
            assert app.answer is PENDING
            assert "line number 60" not in app.text
            await until(pilot, lambda: screen.is_armed, "who presses it again is brought further down")  # noqa: B023
            while source.first_unread is not None:
                await pilot.press("pagedown")
                await pilot.pause()
            await pilot.resize_terminal(68, 30)
            await until(pilot, lambda: screen.is_armed and source.room < 62, "a column less")  # noqa: B023
            await pilot.press("y")
            assert app.answer is True, "whoever has turned its pages was there"


async def test_a_yes_that_is_held_down_reads_nothing() -> None:
    screen = dialog()
    async with asked(screen) as (app, pilot):
        await until(pilot, lambda: screen.is_armed)
        screen.armed_after = 3600.0
        await pilot.press(*["y"] * 40)
        assert not screen.is_armed
        assert app.answer is PENDING


async def test_a_file_that_takes_no_page_down_can_still_be_refused() -> None:
    screen = dialog()
    async with asked(screen, (30, 10)) as (app, pilot):
        await until(pilot, lambda: screen.is_armed)
        await pilot.press("y")
        assert app.answer is PENDING
        await pilot.press("n")
        await until(pilot, lambda: app.answer is False, "it is refused")


async def test_what_was_still_being_typed_is_no_answer() -> None:
    screen = dialog(armed_after=60)
    async with asked(screen) as (app, pilot):
        await pilot.press(*"okay", "left", "enter", *"any")
        assert app.answer is PENDING
        await pilot.press("escape")
        assert app.answer is False


async def test_a_sentence_that_begins_after_a_pause_trusts_nothing() -> None:
    screen = dialog(armed_after=60, content=b"short")
    async with asked(screen) as (app, pilot):
        screen._arm()
        await pilot.press(*"hello", "space", *"you", "left", "enter")
        assert app.answer is PENDING


async def test_every_key_that_comes_too_early_makes_it_wait_again() -> None:
    screen = dialog(armed_after=60)
    async with asked(screen) as (_app, pilot):
        first = screen._arming
        await pilot.press("y")
        assert screen._arming is not first
        assert not screen.is_armed


async def test_who_reads_need_not_wait_once_more_and_whoever_comes_too_early_is_told() -> None:
    screen = dialog(armed_after=60)
    async with asked(screen) as (app, pilot):
        first = screen._arming
        await pilot.press("down", "pagedown", "end", "home", "ctrl+d")
        assert screen._arming is first
        await pilot.press("y")
        assert app.answer is PENDING
        assert screen._arming is not first
        assert [notice.message for notice in app._notifications] == ["Stop typing for 60 s, then press it again."]


async def test_in_a_small_window_most_of_it_is_the_file_and_both_answers_can_be_read() -> None:
    async with asked(dialog(), (40, 10)) as (app, _):
        for text in ("Trust pilot?", "WOULD RUN", "y  Trust and run", "n  Do not run"):
            app.find(text)
        assert app.screen.query_one(LineView).page == 6


async def test_a_file_that_has_changed_says_so() -> None:
    screen = TrustScreen(question(has_changed=True))
    async with asked(screen, BROAD) as (app, _):
        app.find("pilot.py  ! has changed since you trusted it")


@pytest.mark.parametrize("width", [24, 40, 60, 67, 68, 69, 70, 71])
def test_that_a_file_has_changed_is_never_cut(width: int) -> None:
    lines = ["".join(text for text, _ in line) for line in question(has_changed=True).lines(width)]
    assert max(map(len, lines)) <= width
    assert "! has changed since you trusted it" in " ".join(lines)


async def test_hostile_files_are_inert_and_no_markup() -> None:
    evil = "[bold]x[/bold] \x1b[2J \u202e \u200b"
    file = ShownFile(Path(f"/{evil}"), f"{evil}\x9b\n".encode())
    screen = TrustScreen(TrustQuestion(evil, (evil,), (file,)))
    async with asked(screen, BROAD) as (app, _):
        assert app.text == inert(app.text)
        assert app.text.count("[bold]x[/bold] ␛[2J") == 4
        assert "<U+200B>" in app.text


def test_no_line_of_what_would_run_is_hidden() -> None:
    asked_about = TrustQuestion("pilot", ("hook Stop: command x # y\nrm\u00a0-r  z",), ())
    text = ["".join(text for text, _ in line) for line in asked_about.lines(80)]
    assert text[-1] == "• hook Stop: command x # y␊rm<U+00A0>-r  z"


def shown(content: bytes, width: int = 80) -> list[str]:
    return ["".join(text for text, _ in line) for line in source_lines(content, width)]


def test_lines_have_numbers() -> None:
    assert shown(b"a\n\n\tb\r\nc\n") == ["1  a", "2  ", "3      b", "4  c"]
    assert shown(b"x\n" * 10)[9] == "10  x"


def test_whatever_ends_a_line_for_python_or_yaml_ends_it_here() -> None:
    assert shown(b"# MIT\rimport os\n") == ["1  # MIT", "2  import os"]
    assert shown("# note\u2028hooks: x\x85y".encode()) == ["1  # note<U+2028>", "   hooks: x<U+0085>", "   y"]


def test_a_long_line_goes_on_below_itself() -> None:
    assert shown(b"x" * 20, 13) == ["1  " + "x" * 10, "   " + "x" * 10]


def test_blank_lines_push_nothing_out_of_sight() -> None:
    assert shown(b"a\n\n\nb" + b"\n" * 61 + b"c") == [
        " 1  a",
        " 2  ",
        " 3  ",
        " 4  b",
        " 5  ⋯ 60 blank lines",
        "65  c",
    ]
    assert shown(b" " * 400 + b"x", 13)[0] == "1  ⋯ 40 blank rows"


def test_what_is_not_text_is_shown_as_well_as_it_can_be() -> None:
    assert shown(b"\xff\x00a") == ["1  �␀a"]
    assert shown(b"") == ["1  "]


@each(
    ("text", "seen"),
    [
        ("a\u200bb", "a<U+200B>b"),
        ("a\u202eb", "a<U+202E>b"),
        ("\ufeffa", "<U+FEFF>a"),
        ("a\u2028b", "a<U+2028>b"),
        ("\U000e0041", "<U+E0041>"),
        ("x\U000e0101", "x<U+E0101>"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("a\rb\x1b", "a␍b␛"),
        ("te\u0378st \ue000", "te<U+0378>st <U+E000>"),
        ("日本 é", "日本 é"),
    ],
)
def test_what_takes_no_room_is_written_out(text: str, seen: str) -> None:
    assert spelled(text) == seen


@given(st.binary(max_size=200))
def test_any_file_is_inert(content: bytes) -> None:
    text = "\n".join(shown(content))
    assert text == inert(text)
