"""MaverickApp with a run that is fed by hand: commands are kept, events are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from maverick_tui.runs.board import RunModel
from maverick_tui.runs.commands import Command
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.support.runs import BEGAN, Tape
from tests.ui.waiting import until


class Kept:
    """A way to a run that keeps what is asked of it."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def send(self, command: Command) -> None:
        """Keep it."""
        self.commands.append(command)

    def take(self) -> list[Command]:
        """What has been asked since the last time."""
        taken, self.commands = self.commands, []
        return taken


class FedApp(MaverickApp):
    """Its runs are no runs: the test tells their events, at the time that it says."""

    def __init__(
        self, agent: str | None = "reviewer", preferences: Preferences | None = None, launch: Launch | None = None
    ) -> None:
        self.now = BEGAN
        launch = launch or Launch(Path("/nowhere/shop"), agent)
        super().__init__(launch, preferences=preferences or Preferences(), clock=lambda: self.now)
        self._serving.start = self._start  # type: ignore[method-assign,assignment]

    def _start(self, run: RunModel, *_: Any) -> None:
        run.connect(Kept())

    def tell(self, tape: Tape, run: RunModel | None = None) -> None:
        """Let the run go on."""
        run = run or self.run_model
        for event in tape.events:
            self.board.receive(run, event)
        tape.events.clear()
        self.now = tape.at

    @property
    def run_model(self) -> RunModel:
        """The run that the application was started with."""
        return next(iter(self.board.runs.values()))

    @property
    def kept(self) -> Kept:
        """What was asked of it."""
        assert isinstance(self.run_model.handle, Kept)
        return self.run_model.handle

    @property
    def run_screen(self) -> RunScreen:
        """The screen of the run."""
        assert isinstance(self.screen, RunScreen)
        return self.screen

    @property
    def top(self) -> str:
        """What kind of screen is on top."""
        return type(self.screen).__name__

    def shown(self) -> str:
        """What stands in the transcript's view."""
        transcript = self.run_screen.transcript
        region = transcript.scrollable_content_region.reset_offset
        return "\n".join(strip.text.rstrip() for strip in transcript.render_lines(region))


@asynccontextmanager
async def watching(
    tape: Tape | None = None, *, size: tuple[int, int] = (100, 30), preferences: Preferences | None = None
) -> AsyncIterator[tuple[FedApp, Pilot[Any]]]:
    """The application with one run on the screen, as far as the tape goes."""
    app = FedApp(preferences=preferences)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.board.runs and app.run_model.handle is not None, "the run is there")
        if tape is not None:
            told_at = tape.events[-1].at
            app.tell(tape)
            app.now = told_at  # what the tape waits for at its end is time to look at the screen
        await pilot.pause(0.1)
        if tape is not None:
            if (asked := next(iter(app.run_model.store.questions.values()), None)) is not None:
                seen = app.run_screen.transcript.questions_seen
                await until(pilot, lambda: seen.head_since(asked) is not None, "the question is on the screen")
            app.now = tape.at
        yield app, pilot
