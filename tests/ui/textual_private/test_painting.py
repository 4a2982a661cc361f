"""Rows that were written at once are, cell by cell, what Textual would have painted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.textual_private import painting
from maverick_tui.ui.widgets.prompt import Prompt
from tests.support.sampling import sampled
from tests.support.terminal import Glass, GlassDriver
from tests.ui.widgets.prompt_app import Moving, PromptApp

Step = Callable[["Stage"], Awaitable[None]]


class Stage:
    """The application, its terminal, and a count of what Textual has painted."""

    def __init__(self, app: PromptApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot
        self.glass = Glass()

    @property
    def driver(self) -> GlassDriver:
        driver = self.app._driver
        assert isinstance(driver, GlassDriver)
        return driver

    async def settle(self) -> None:
        """Wait until Textual has nothing left to paint, and look."""
        await self.until(lambda: self._is_painted(self.app.screen))
        self.glass.feed(self.driver.take())

    async def see(self, text: str) -> None:
        """Wait until it is on the terminal."""

        def is_there() -> bool:
            self.glass.feed(self.driver.take())
            return text in self.glass.text

        await self.until(is_there)

    async def until(self, is_true: Callable[[], bool]) -> None:
        for _ in range(500):
            await self.pilot.pause()
            if is_true():
                return
        raise AssertionError("it did not happen")

    @staticmethod
    def _is_painted(screen: Screen[object]) -> bool:
        waiting = screen._layout_required, screen._repaint_required, screen._scroll_required, screen._dirty_widgets
        return not any(waiting) and not screen._callbacks and not screen._compositor._dirty_regions

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        """Keys as fast as they come."""
        for character in text:
            self.app.post_message(events.Key(_character_to_key(character), character))
        await self.settle()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def compare(self) -> None:
        """Everything on the terminal stays as it is when Textual paints it all again."""
        await self.settle()
        shown = self.glass.cells
        frames = self.app.frames
        self.app.screen.refresh()
        await self.until(lambda: self.app.frames > frames)
        await self.settle()
        assert self.glass.differences(shown) == []


@asynccontextmanager
async def staged(theme: str = "textual-dark") -> AsyncIterator[Stage]:
    app = PromptApp(driver_class=GlassDriver)
    app.theme = theme
    async with app.run_test(headless=False, size=(80, 24), notifications=True) as pilot:
        stage = Stage(app, pilot)
        await stage.settle()
        yield stage


async def test_a_key_is_on_the_terminal_without_textuals_compositor_and_without_a_layout() -> None:
    async with staged() as stage:
        frames, layouts = stage.app.frames, stage.app.layouts
        await stage.press("a", "b", "left", "x", "backspace", "c", "ctrl+w")
        assert "│ b" in stage.glass.text
        assert (stage.app.frames, stage.app.layouts) == (frames, layouts)
        await stage.press("ctrl+j")
        assert stage.app.layouts > layouts


async def test_a_key_does_not_wait_for_the_tick_of_a_layout_that_is_due() -> None:
    async with staged() as stage:
        screen = stage.app.screen
        screen._update_timer.pause()  # no tick comes
        screen._layout_required = True
        prompt = stage.app.query_one(Prompt)
        await prompt.on_key(events.Key("a", "a"))
        stage.glass.feed(stage.driver.take())
        assert "│ a" in stage.glass.text
        assert not screen._layout_required


async def test_only_the_row_that_changed_is_written() -> None:
    async with staged() as stage:
        await stage.press("a")
        await stage.pilot.press("b")
        assert stage.driver.written.count("H") == 2  # the row, and the cursor's place
        stage.app.query_one(Moving).next_frame()
        await stage.settle()
        await stage.pilot.press("c")
        assert stage.driver.written.count("H") == 2  # that Textual asked for our rows does not make them unknown


async def test_a_row_that_textual_has_painted_over_is_written_again() -> None:
    async with staged() as stage:
        await stage.press("a")
        stage.app.query_one("#over").display = True
        await stage.press("b")
        assert "│ ab" in stage.glass.text
        stage.app.query_one("#over").display = False
        await stage.settle()
        frames = stage.app.frames
        await stage.press("backspace")
        assert stage.app.frames == frames
        assert "│ ab" not in stage.glass.text
        await stage.compare()


async def test_the_colours_are_those_of_the_theme_that_was_chosen_last() -> None:
    prompts = []
    for theme in ("textual-dark", "textual-light"):
        async with staged(theme) as stage:
            await stage.press("a")
            stage.app.theme = "textual-light"
            await stage.press("b", "shift+left")
            prompts.append(stage.glass.cells[-3:])
    assert prompts[0] == prompts[1]


async def typing(stage: Stage) -> None:
    await stage.type("words, 日本é🙂")
    await stage.press("left", "left")
    await stage.type("[b]")


async def pasting(stage: Stage) -> None:
    await stage.paste("one\ttab\r\ntwo \x1b[31mred\nthree")


async def deleting(stage: Stage) -> None:
    await stage.type("one two three four")
    await stage.press("ctrl+w", "backspace", "ctrl+left", "ctrl+k", "ctrl+u")
    await stage.type("five")
    await stage.press("home", "delete")


async def growing(stage: Stage) -> None:
    for number in range(4):
        await stage.type(f"line {number}")
        await stage.press("ctrl+j")


async def scrolling(stage: Stage) -> None:
    await stage.paste("\n".join(f"line {number}" for number in range(12)))
    await stage.type(" and more")
    await stage.press("up", "up", "x")


async def shrinking(stage: Stage) -> None:
    await stage.paste("\n".join("abcdefghijklm"))
    await stage.press("f7", "x", "ctrl+j", "backspace", "y")


async def wrapping(stage: Stage) -> None:
    await stage.type("a line of words that is longer than the prompt is wide, so that it has to go on below it")
    await stage.press("up", "home")
    await stage.type("more ")


async def selecting(stage: Stage) -> None:
    await stage.type("some text")
    await stage.press("shift+left", "shift+home", "shift+right")


async def leaving(stage: Stage) -> None:
    await stage.type("some text")
    stage.app.set_focus(None)


async def renaming(stage: Stage) -> None:
    await stage.press("a")
    stage.app.prompt.border_subtitle = "Enter queue"
    await stage.press("b")


async def emptying(stage: Stage) -> None:
    await stage.type("some text")
    await stage.press("enter")


async def moving(stage: Stage) -> None:
    for key in "moving":
        stage.app.query_one(Moving).next_frame()
        await stage.pilot.press(key)


async def resizing(stage: Stage) -> None:
    await stage.type("before ")
    await stage.pilot.resize_terminal(50, 18)
    stage.glass.resize(50, 18)
    await stage.type("after it has become smaller than the text is")
    await stage.pilot.resize_terminal(80, 24)
    stage.glass.resize(80, 24)
    await stage.type("!")


async def changing_theme(stage: Stage) -> None:
    await stage.press("a")
    stage.app.theme = "textual-light"
    await stage.press("b", "shift+left")


async def under_a_dialog(stage: Stage) -> None:
    await stage.type("below")
    await stage.press("f2")
    stage.app.prompt.set_text("changed while it was covered")
    await stage.settle()
    assert "a dialog" in stage.glass.text


async def after_a_dialog(stage: Stage) -> None:
    await stage.press("a", "f2", "f2", "b")


async def under_a_toast(stage: Stage) -> None:
    await stage.type("a text that is long enough to go on where something will cover it")
    await stage.press("f3")
    await stage.see("a toast")
    await stage.press("left", "x")
    assert "a toast" in stage.glass.text


async def under_a_widget(stage: Stage) -> None:
    stage.app.query_one("#over").display = True
    await stage.see("over")
    await stage.type("a text that goes on below another widget")
    assert "over" in stage.glass.text


STEPS = [
    typing,
    pasting,
    deleting,
    growing,
    scrolling,
    shrinking,
    wrapping,
    selecting,
    leaving,
    renaming,
    emptying,
    moving,
    resizing,
    changing_theme,
    under_a_dialog,
    after_a_dialog,
    under_a_toast,
    under_a_widget,
]


@pytest.mark.parametrize("step", sampled(STEPS, 3))
async def test_the_terminal_shows_what_textual_would_paint(step: Step) -> None:
    async with staged() as stage:
        await step(stage)
        await stage.compare()


@pytest.mark.parametrize("environment", [{"COLORTERM": ""}, {"COLORTERM": "", "TERM": "xterm"}, {"NO_COLOR": "1"}])
async def test_other_colours_are_textuals_too(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    async with staged() as stage:
        frames = stage.app.frames
        await stage.type("text")
        await stage.press("shift+left")
        assert stage.app.frames == frames
        await stage.compare()


@pytest.mark.parametrize("theme", ["ansi-light", "ansi-dark"])
async def test_ansi_themes_are_textuals_too(theme: str) -> None:
    async with staged() as stage:
        stage.app.theme = theme
        await stage.type("text")
        await stage.press("shift+left")
        await stage.compare()


@pytest.mark.parametrize(("no_color", "expected"), [(None, "38;2;255;0;0"), ("1", "38;2;54;54;54")])
async def test_rows_that_textual_has_not_rendered_go_through_the_line_filters(
    no_color: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)
    async with staged() as stage:
        stage.driver.take()
        row = Strip([Segment("red", Style(color="#ff0000"))])
        painting.write_rows(stage.app.query_one(Moving), [(2, row)])
        assert stage.driver.written.startswith("\x1b[4;1H\x1b[")
        assert f"{expected}mred" in stage.driver.written


async def test_rows_leave_the_scrollbar_alone() -> None:
    async with staged() as stage:
        await scrolling(stage)
        frames = stage.app.frames
        await stage.press("y")
        assert stage.app.frames == frames
        await stage.compare()


async def test_all_of_an_update_is_one_synchronised_write() -> None:
    async with staged() as stage:
        stage.app._sync_available = True
        stage.driver.take()
        await stage.pilot.press("a")
        written = stage.driver.take()
        assert written.startswith("\x1b[?2026h")
        assert written.endswith("\x1b[?2026l")


async def test_the_cursor_is_left_where_input_methods_look_for_it() -> None:
    async with staged() as stage:
        await stage.pilot.press("a")
        x, y = stage.app.prompt.cursor_screen_offset
        assert stage.driver.written.endswith(f"\x1b[{y + 1};{x + 1}H")


async def test_nothing_is_painted_in_a_batch_or_under_a_dialog() -> None:
    async with staged() as stage:
        prompt = stage.app.prompt
        assert painting.may_paint(prompt)
        with stage.app.batch_update():
            assert not painting.may_paint(prompt)
        stage.app.prompt.refresh(layout=True)
        assert not painting.may_paint(prompt)
        await stage.settle()
        await stage.press("f2")
        assert not painting.may_paint(prompt)
        await stage.press("f2")
        assert painting.may_paint(prompt)
        prompt.display = False
        await stage.settle()
        assert not painting.may_paint(prompt)


async def test_without_a_terminal_textual_paints() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert not painting.may_paint(app.prompt)
        assert not painting.may_paint(Widget())
