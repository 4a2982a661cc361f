"""A transcript on a screen of its own, fed with events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.pilot import Pilot

from maverick_tui import paths
from maverick_tui.events.kinds import Event
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.transcript.view import Transcript
from tests.support.runs import BEGAN, Tape
from tests.ui.waiting import until

SIZE = (80, 20)


class TranscriptApp(App[None]):
    """Shows one transcript, and keeps what it says."""

    CSS_PATH = [paths.shipped("styles") / "run.tcss"]

    def __init__(
        self,
        store: RunStore | None = None,
        *,
        verbosity: Verbosity = "normal",
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.store = store or RunStore()
        self.now = BEGAN
        self.transcript = Transcript(
            self.store,
            palette=self.text_palette,
            moved=lambda is_following, unseen: self.moves.append((is_following, unseen)),
            keys={"banner.retry": "F5", "approval.allow_once": "^y"},
            verbosity=verbosity,
            clock=lambda: self.now,
        )
        self.moves: list[tuple[bool, int]] = []

    def compose(self) -> ComposeResult:
        yield self.transcript

    def text_palette(self) -> Palette:
        return Palette.of(self.theme_variables, dark=self.current_theme.dark, ansi=self.current_theme.ansi)

    # -- what a test does and looks at --------------------------------------------------------------------------------

    def tell(self, events: Iterable[Event] | Tape) -> None:
        """Apply events; the transcript is told as a run's screen tells it."""
        if isinstance(events, Tape):
            self.now = events.at
        for event in events.events if isinstance(events, Tape) else events:
            self.store.apply(event)
        if isinstance(events, Tape):
            events.events.clear()
        self.transcript.wake()

    def draw(self) -> None:
        """Draw frames until nothing is left to be drawn."""
        draw_all(self.transcript)

    @property
    def view(self) -> list[str]:
        """What is in view, without the blanks at the end of rows."""
        return shown(self.transcript)


def draw_all(transcript: Transcript) -> None:
    """Draw frames until nothing is left to be drawn."""
    transcript.shown.frames.draw()
    while not transcript.shown.changes.are_drawn:
        transcript.shown.frames.draw()


def shown(transcript: Transcript) -> list[str]:
    """The rows in view."""
    region = transcript.scrollable_content_region.reset_offset
    return [strip.text.rstrip() for strip in transcript.render_lines(region)]


def all_rows(transcript: Transcript) -> list[str]:
    """Every row that the transcript has, in view or not; the view stays where it is."""
    for index in range(len(transcript.page.blocks)):
        transcript.page.measure(index)
    return [transcript.page.row(line).text.rstrip() for line in range(transcript.page.blocks.lines)]


@asynccontextmanager
async def opened(
    events: Iterable[Event] | Tape = (),
    *,
    size: tuple[int, int] = SIZE,
    verbosity: Verbosity = "normal",
    store: RunStore | None = None,
) -> AsyncIterator[tuple[TranscriptApp, Pilot[None]]]:
    """A transcript that shows these events and has the focus."""
    app = TranscriptApp(store, verbosity=verbosity)
    async with app.run_test(size=size) as pilot:
        app.transcript.focus()
        app.tell(events)
        app.draw()
        await pilot.pause()
        yield app, pilot


async def resize(app: TranscriptApp, pilot: Pilot[Any], width: int, height: int) -> None:
    """Give the terminal another size, and wait until the transcript has taken it."""
    await pilot.resize_terminal(width, height)
    await until(pilot, lambda: app.screen.size == (width, height) and app.transcript.outer_size == (width, height))
    await until(pilot, lambda: app.transcript.shown.is_settled, "it is drawn in its new size")
    await pilot.pause()
