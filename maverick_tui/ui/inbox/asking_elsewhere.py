"""AskingElsewhere: which runs of other processes wait for the person, for the header of the run on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.app import App

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board
    from maverick_tui.ui.navigation import Navigation

LOOK_EVERY = 3.0
"""Seconds between looks, if there are few such runs and the screen stays the same."""
EACH = 0.05
"""Seconds for each of them, if they are many."""


class AskingElsewhere:
    """Asks the hosts of this machine while a run is on the screen; lists of runs look by themselves."""

    def __init__(self, app: App[Any], board: Board, navigation: Navigation) -> None:
        """The board of the application's own runs is told."""
        self._app = app
        self._board = board
        self._navigation = navigation

    async def look(self) -> None:
        """Go on looking, and at once when the screen is another one: meanwhile a question may have been answered."""
        from maverick_tui.ui.picker.elsewhere import live_elsewhere

        is_other_screen = asyncio.Event()
        self._app.screen_change_signal.subscribe(self._app, lambda _screen: is_other_screen.set(), immediate=True)
        while True:
            is_other_screen.clear()
            others = 0
            if self._navigation.shown_run is not None:
                found = await live_elsewhere(self._board.runs)
                others = len(found)
                self._tell({run.run_id for run in found if run.phase == "asks"})
            with suppress(TimeoutError):
                await asyncio.wait_for(is_other_screen.wait(), max(LOOK_EVERY, EACH * others))

    def _tell(self, asking: Set[str]) -> None:
        shown, before = self._navigation.shown_run, self._board.asking_elsewhere
        self._board.asking_elsewhere = asking
        if shown is not None and asking != before:
            self._navigation.show_state(shown)
