"""AskingElsewhere: how many runs of other processes wait for the person, for the header of the run on the screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board
    from maverick_tui.ui.navigation import Navigation

LOOK_EVERY = 3.0
"""Seconds between looks, if there are few such runs."""
EACH = 0.05
"""Seconds for each of them, if they are many."""


class AskingElsewhere:
    """Asks the hosts of this machine while a run is on the screen; lists of runs look by themselves."""

    def __init__(self, board: Board, navigation: Navigation) -> None:
        """The board of the application's own runs is told."""
        self._board = board
        self._navigation = navigation

    async def look(self) -> None:
        """Go on looking."""
        from maverick_tui.ui.picker.elsewhere import live_elsewhere

        while True:
            others = 0
            if self._navigation.shown_run is not None:
                found = await live_elsewhere(self._board.runs)
                others = len(found)
                self._tell(sum(run.phase == "asks" for run in found))
            await asyncio.sleep(max(LOOK_EVERY, EACH * others))

    def _tell(self, asking: int) -> None:
        shown, before = self._navigation.shown_run, self._board.asking_elsewhere
        self._board.asking_elsewhere = asking
        if shown is not None and asking != before:
            self._navigation.show_state(shown)
