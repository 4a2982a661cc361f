"""Rows that the terminal has moved, and all that stands beside them, are what Textual would have painted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from maverick_tui import paths
from maverick_tui.events.kinds import BlockGrew
from maverick_tui.ui.textual_private.cells import Repairs
from maverick_tui.ui.textual_private.ink import Ink
from maverick_tui.ui.textual_private.painting import may_paint
from maverick_tui.ui.textual_private.scrolling import Scroll
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.widgets.painted import PAINT
from maverick_tui.ui.widgets.usage_panel import UsagePanel
from tests.bench.terminal import corpus
from tests.support.runs import Tape
from tests.support.terminal import Glass, GlassDriver
from tests.ui.textual_private.test_ink import CONSOLE, ROWS, WIDTH
from tests.ui.transcript.host import TranscriptApp, draw_all

SIZE = (100, 24)
HEIGHT = 6


@pytest.mark.explore
@given(
    rows=st.lists(ROWS, min_size=2 * HEIGHT, max_size=2 * HEIGHT), by=st.integers(1, HEIGHT - 1), y=st.integers(0, 2)
)
def test_what_stands_beside_is_put_back_in_its_place(rows: list[Strip], by: int, y: int) -> None:
    own, beside = rows[:HEIGHT], rows[HEIGHT:]
    # One column more: the emulator wraps before a mark of no width at the last one, and Textual turns wrapping off.
    glass, expected = Glass(2 * WIDTH + 1, HEIGHT + 2), Glass(2 * WIDTH + 1, HEIGHT + 2)
    for at, (left, right) in enumerate(zip(own, beside, strict=True), y + 1):
        for each in (glass, expected):
            each.feed(f"\x1b[{at};1H{left.render(CONSOLE)}\x1b[{at};{WIDTH + 1}H{right.render(CONSOLE)}")
    place = Region(WIDTH, y, WIDTH, HEIGHT)
    repairs = Repairs()
    for _ in range(2):  # the second time by heart
        ink = Ink(CONSOLE)
        ink.scroll(Region(0, y, WIDTH, HEIGHT), Scroll(by, [(place, beside)], repairs))
        own = [*own[by:], *own[:by]]
        for at, row in enumerate(own[-by:], y + HEIGHT - by + 1):
            ink.write(at, 1, row, None)
        glass.feed(ink.text)
    for at, row in enumerate(own, y + 1):
        expected.feed(f"\x1b[{at};1H{row.render(CONSOLE)}")
    assert expected.differences(glass.cells) == []


class PaneScreen(Screen[None]):
    COMPONENT_CLASSES = PAINT


class PaneApp(TranscriptApp):
    """A transcript beside the figures of its run, in a terminal that shows an update all at once."""

    CSS_PATH = [paths.shipped("styles") / name for name in ("run.tcss", "panel.tcss", "lines.tcss")]

    CSS = """
    PaneScreen { layers: default above; }
    #over { layer: above; dock: right; width: 8; height: 3; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(driver_class=GlassDriver)
        # Styles remember their codes. These are nobody else's, whatever colours other tests have had.
        self.register_theme(replace(THEMES[0], name="pane", background="#15181d"))
        self.theme = "pane"

    def get_default_screen(self) -> PaneScreen:
        return PaneScreen()

    def compose(self) -> ComposeResult:
        self.panel = UsagePanel(self.store)
        with Horizontal(id="run-body"):
            yield self.transcript
            yield self.panel
        yield Static("over", id="over")


class Stage:
    """The application, its terminal, and an answer that comes in."""

    def __init__(self, app: PaneApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.glass = app, pilot, Glass(*SIZE)
        self.tape = Tape().connect().prompt("go on")
        self.scrolls = 0

    def say(self, text: str) -> None:
        """One frame more of the answer, and what the figures say then."""
        if self.tape.events:
            self.tape.say(text, is_open=True)
        else:
            self.tape.wait(0.3).put(BlockGrew(self.tape.at, 1, text))
        self.app.tell(self.tape)
        draw_all(self.app.transcript)
        self.app.panel.refresh_figures(self.app.now)
        self.look()

    def look(self) -> int:
        """See what was written; how often rows were moved since the last time."""
        driver = self.app._driver
        assert isinstance(driver, GlassDriver)
        written = driver.take()
        self.glass.feed(written)
        moved = written.count("\x1b[r")
        self.scrolls += moved
        return moved

    async def settle(self) -> None:
        """Wait until Textual has nothing left to paint, and look."""
        screen = self.app.screen
        for _ in range(500):
            await self.pilot.pause()
            waits = screen._layout_required, screen._repaint_required, screen._scroll_required, screen._dirty_widgets
            is_painted = not any(widget._repaint_required for widget in screen._compositor.visible_widgets)
            if not any(waits) and not screen._compositor._dirty_regions and is_painted and self._knows_its_size():
                self.look()
                return
        raise AssertionError("it is never done")

    def _knows_its_size(self) -> bool:
        """Whether the transcript has heard of the last layout, or has nothing to show yet."""
        return self.app.transcript.shown.is_settled or not self.app.store.entries

    async def compare(self) -> None:
        """Everything on the terminal stays as it is when Textual paints it all again."""
        await self.settle()
        cells, screen = self.glass.cells, self.app.screen
        self.app._display(screen, screen._compositor.render_update(full=True))
        self.look()
        assert self.glass.differences(cells) == []


@asynccontextmanager
async def staged(*, is_synchronised: bool = True) -> AsyncIterator[Stage]:
    app = PaneApp()
    async with app.run_test(headless=False, size=SIZE, notifications=True) as pilot:
        app._sync_available = is_synchronised
        stage = Stage(app, pilot)
        await stage.settle()
        stage.say("\n\n".join(f"beginning {number}" for number in range(12)))
        await stage.settle()
        stage.say(" and so on")  # now it is known again what the terminal shows
        yield stage


async def test_an_answer_that_scrolls_is_shown_as_textual_would() -> None:
    async with staged() as stage:
        deltas = corpus.pieces(corpus.answer(600).replace("retry", "日本語 é").replace("queue", "🙂"))
        for at in range(0, len(deltas), 8):
            stage.say("".join(deltas[at : at + 8]))
            if at % 96 == 0:
                await stage.compare()
        await stage.compare()
        assert stage.scrolls > 20


async def test_a_line_that_goes_up_costs_little_more_than_the_new_one() -> None:
    async with staged() as stage:
        text = stage.glass.text
        stage.say("\n\nthe end")
        assert stage.look() == 0
        assert stage.scrolls == 1
        assert "the end" in stage.glass.text
        assert stage.glass.rows[2] != text.splitlines()[2]


async def test_nothing_moves_under_something_else_or_before_it_is_gone() -> None:
    async with staged() as stage:
        over = stage.app.query_one("#over")
        over.display = True
        await stage.settle()
        assert "over" in stage.glass.text
        assert may_paint(stage.app.transcript)  # it covers the figures alone
        for number in range(3):
            stage.say(f"\n\nmore {number}")
            await stage.settle()
        over.display = False
        stage.say("\n\nand one more")
        assert stage.scrolls == 0
        await stage.compare()
        assert "over" not in stage.glass.text
        stage.say("\n\nand another")
        stage.say("\n\nand the last")
        assert stage.scrolls > 0
        await stage.compare()


async def test_nothing_moves_while_something_waits_to_be_painted() -> None:
    async with staged() as stage:
        stage.app.panel.refresh()
        stage.say("\n\none more")
        assert stage.scrolls == 0
        await stage.compare()


async def test_what_stands_beside_is_never_seen_to_move() -> None:
    async with staged(is_synchronised=False) as stage:
        stage.say("\n\none more")
        assert stage.scrolls == 0
        stage.app.panel.display = False
        await stage.settle()
        for number in range(4):
            stage.say(f"\n\nmore {number}")
        assert stage.scrolls > 0
        await stage.compare()
