"""HistoryVisits: the way to the history of all runs, from any screen, and back to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board
    from maverick_tui.runs.status import StatusText
    from maverick_tui.ui.history.questions import Looking
    from maverick_tui.ui.history.screen import HistoryScreen


class HistoryVisits:
    """Lays the history over what is on the screen, which stays as it is below."""

    def __init__(self, app: App[Any], board: Board, clock: Callable[[], float]) -> None:
        """By this clock."""
        self._app = app
        self._board = board
        self._clock = clock
        self._looking: Looking | None = None
        self._screen: HistoryScreen | None = None

    @property
    def is_open(self) -> bool:
        """Whether the history is over the other screens."""
        return self._screen is not None and self._screen in self._app.screen_stack

    def show(self) -> None:
        """Show all runs, as they were looked at the last time."""
        from maverick_tui.ui.history.questions import Looking
        from maverick_tui.ui.history.screen import HistoryScreen

        if not self.is_open:
            self._looking = self._looking or Looking()
            self._screen = HistoryScreen(self._looking, self._board, self._status, self._clock)
            _ = self._app.push_screen(self._screen)

    def leave(self) -> None:
        """Show what is below."""
        if self._app.screen is self._screen:
            _ = self._app.pop_screen()

    def _status(self, run_id: str) -> StatusText | None:
        from maverick_tui.runs.status import headline

        run = self._board.runs.get(run_id)
        return headline(run.store) if run is not None else None
