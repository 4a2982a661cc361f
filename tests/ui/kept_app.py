"""Kept runs in the application, where one that goes on is none: what it goes on from is looked at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.history.going_on import GoingOn
from maverick_tui.runs.board import RunModel
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.widgets.status_line import StatusLine
from tests.history.kept import AT
from tests.ui.running import FedApp, Kept
from tests.ui.waiting import until

RUN = "7f3a00c0ffee"
FAILURE = ev.Failure("StreamingError", "network", "The line went dead.")


class KeptApp(FedApp):
    """A run that goes on is none: what it goes on from is kept, and so is what is asked of it."""

    def __init__(self, launch: Launch | None = None) -> None:
        super().__init__(None, launch=launch)
        self.now = AT + 60
        self.gone_on: list[GoingOn] = []
        self._serving.go_on = self.serve_again  # type: ignore[method-assign]

    def serve_again(self, run: RunModel, past: GoingOn) -> None:
        self.gone_on.append(past)
        run.connect(Kept())

    @property
    def row(self) -> str:
        """The status line."""
        return self.screen.query_one(StatusLine).render_line(0).text

    @property
    def notes(self) -> list[str]:
        return [one.message for one in self._notifications]


@asynccontextmanager
async def opened(
    run_id: str = RUN, *place: Any, launch: Launch | None = None
) -> AsyncIterator[tuple[KeptApp, Pilot[Any]]]:
    app = KeptApp(launch)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_kept(run_id, *place)
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted, "the run is shown")
        await until(pilot, lambda: app.run_screen.transcript.page.blocks.lines, "it is drawn")
        yield app, pilot


async def send(pilot: Pilot[Any], text: str) -> None:
    await pilot.press(*text, "enter")
