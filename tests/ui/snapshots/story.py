"""MaverickApp with scripted runs in place of real ones: no CLI, a clock that stands still, no machine to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from maverick_tui.events.kinds import Event
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.commands import Command
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.support.runs import BEGAN, Tape
from tests.ui.waiting import until

FOLDER = "/home/ada/shop"
"""Where scripted runs work. There is no such folder, so git says nothing about it."""
NARROW, WIDE = (80, 24), (120, 40)

_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_LINE_CLIPS = re.compile(r'<clipPath id="[\w-]+-line-\d+">.*?</clipPath>\s*', re.DOTALL)
_LINE_CLIP = re.compile(r' clip-path="url\(#[\w-]+-line-\d+\)"')


class Nowhere:
    """A way to a run that leads nowhere."""

    def send(self, command: Command) -> None:
        """Nobody hears it."""


class StoryApp(MaverickApp):
    """Shows what events say, at the time that it is told."""

    def __init__(self, launch: Launch, preferences: Preferences | None = None) -> None:
        self.now = BEGAN
        super().__init__(launch, preferences=preferences or Preferences(), clock=lambda: self.now)
        self._serving.start = self._start  # type: ignore[method-assign,assignment]

    def _start(self, run: RunModel, *_: Any) -> None:
        run.connect(Nowhere())

    def play(self, run: RunModel, events: Iterable[Event]) -> None:
        """Let a run go on."""
        for event in events:
            self.board.receive(run, event)

    def add_run(self, tape: Tape) -> RunModel:
        """One more run, which is not on the screen."""
        run = self._new_run(tape.agent)
        run.connect(Nowhere())
        self.play(run, tape.events)
        return run

    @property
    def first(self) -> RunModel:
        """The run that the application was started with."""
        return next(iter(self.board.runs.values()))

    @property
    def run_screen(self) -> RunScreen:
        """The run that is on the screen, or below a dialog."""
        return next(screen for screen in self.screen_stack if isinstance(screen, RunScreen))

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """As always, but without fonts from elsewhere, and without a clip for each row: nothing here overlaps."""
        svg = _FONT_FACE.sub("", super().export_screenshot(title=title, simplify=simplify))
        return _LINE_CLIP.sub("", _LINE_CLIPS.sub("", svg))


def story(tape: Tape, *, later: float = 0.0, **preferences: Any) -> StoryApp:
    """The application with the run of a tape, `later` seconds after its end."""
    chosen = Preferences()
    chosen.change(**preferences)
    app = StoryApp(Launch(Path(tape.cwd), agent=tape.agent), chosen)
    app.now = tape.at + later
    return app


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until everything is drawn that is going to be, without a timer that runs on."""
    app = pilot.app
    assert isinstance(app, StoryApp)
    await until(pilot, lambda: app.screen_stack and app.screen.is_mounted, "the screen is there")
    await pilot.pause()
    await until(
        pilot,
        lambda: all(
            w.is_finished or w.name == "setup" or w.group in ("ask", "asking", "returning") for w in app.workers
        ),
        "the workers are done",
    )
    for screen in app.screen_stack:
        if isinstance(screen, RunScreen):
            await _drawn(pilot, screen)
    await pilot.pause()


async def _drawn(pilot: Pilot[Any], screen: RunScreen) -> None:
    transcript = screen.transcript
    await until(
        pilot, lambda: not transcript.is_waking and transcript.shown.changes.are_drawn, "the transcript is drawn"
    )
    await until(pilot, lambda: screen.status_clock.due is None, "the status is drawn")
    screen.tick()
    transcript.shown.update_scrollbar()
