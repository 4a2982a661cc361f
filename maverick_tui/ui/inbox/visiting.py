"""InboxVisits: the way to the inbox from any screen, back, and on to the runs that ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.ui.textual_private.asking import notices, withdraw
from maverick_tui.ui.themes import text_palette
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.far_runs import FarRuns
    from maverick_tui.ui.inbox.guests import Guests
    from maverick_tui.ui.inbox.screen import InboxScreen
    from maverick_tui.ui.navigation import Navigation
    from maverick_tui.ui.serving import Serving

_CHANGES_QUESTIONS = ("permission_asked", "permission_settled", "tool_finished", "turn_ended", "run_ended")
NOBODY = "No run needs you."


class InboxVisits:
    """Lays the inbox over what is on the screen, which stays as it is below."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        navigation: Navigation,
        serving: Serving,
        far: FarRuns,
        clock: Callable[[], float],
    ) -> None:
        """By this clock."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._serving = serving
        self._far = far
        self._clock = clock
        self._screen: InboxScreen | None = None
        self._guests: Guests | None = None

    def show(self) -> None:
        """Show all open questions; over a dialog nothing is shown, for that waits for an answer itself."""
        from maverick_tui.ui.inbox.guests import Guests
        from maverick_tui.ui.inbox.screen import InboxScreen

        if self._app.screen.is_modal or (self._screen is not None and self._screen in self._app.screen_stack):
            return
        self._guests = Guests(
            self._app,
            self._board,
            attach=self._serving.attach,
            attach_there=self._far.attach,
            runs_there=lambda: list(self._navigation.far_runs),
            changed=self._hear,
        )
        self._withdraw_notices()
        palette = partial(text_palette, self._app)
        self._screen = InboxScreen(
            self._board.runs.values,
            self._guests,
            self._navigation.words,
            palette=palette,
            clock=self._clock,
            gone=partial(self._left, self._guests),
        )
        _ = self._app.push_screen(self._screen)

    @property
    def is_in_sight(self) -> bool:
        """Whether what is asked now is seen there."""
        return self._screen is not None and self._navigation.list_in_sight() is self._screen

    def _withdraw_notices(self) -> None:
        """What notices tell of questions stands in the inbox, and they would cover it."""
        from maverick_tui.runs.news import NEEDS_YOU

        for notice in notices(self._app):
            if notice.message.startswith(NEEDS_YOU):
                withdraw(self._app, notice)

    def _hear(self, event: Event) -> None:
        if event.type in _CHANGES_QUESTIONS and self._screen is not None:
            self._screen.runs_changed()

    def restyle(self) -> None:
        """The colours are others."""
        if self._screen is not None:
            self._screen.pane.restyle()

    def leave(self) -> None:
        """Show what is below."""
        if self._screen is not None and self._app.screen is self._screen:
            self._screen.pane.note_words()
            _ = self._app.pop_screen()

    def _left(self, guests: Guests) -> None:
        """An inbox is gone, in whatever way: nobody reads the runs of others any more, unless there is a new one."""
        if self._guests is guests:
            self._screen = self._guests = None
        if self._app.is_running:
            guests.leave()
            self._navigation.bring_words_back()

    def open(self, run: RunModel) -> None:
        """Go from the inbox to a run."""
        if self._stays_at_race():
            return
        if self._guests is not None:
            self._guests.release(run, self._board)
        self.leave()
        self._uncover()
        if self._navigation.shown_run is not run:
            self._navigation.show_run(run)

    def go_to_next(self, open_run: Callable[[str], None]) -> None:
        """To the next run that waits for a person, wherever one is: first of this application's, then any other.

        `open_run` shows one of another process, by the id that the picker has for it.
        """
        if self._app.screen.is_modal or self._stays_at_race():
            return
        if (run := self._navigation.next_needing()) is not None:
            self._uncover()
            self._navigation.show_run(run)
        else:
            work_told(self._app, self._go_elsewhere(open_run), group="kept", title="Next run that needs you")

    def _stays_at_race(self) -> bool:
        """Whether a race is below, which would end with its screen; then the person is told what to do first."""
        if self._navigation.open_race is None:
            return False
        self._app.notify("Decide the race first, or end it there with Esc.", timeout=5, markup=False)
        return True

    async def _go_elsewhere(self, open_run: Callable[[str], None]) -> None:
        from maverick_tui.ui.picker.elsewhere import live_elsewhere

        here = await live_elsewhere(self._board.runs)
        there = [run for run in self._navigation.far_runs if run.run_id not in self._board.runs]
        asking = [run for run in (*here, *there) if run.phase == "asks"]
        if not asking:
            shown = self._navigation.shown_run
            is_this = shown is not None and shown.store.needs_person
            self._app.notify("No other run needs you." if is_this else NOBODY, timeout=3, markup=False)
            return
        self._uncover()
        open_run(f"{asking[0].machine}:{asking[0].run_id}" if asking[0].machine else asking[0].run_id)

    def _uncover(self) -> None:
        """Leave what lies over the picker or a run."""
        while len(self._app.screen_stack) > 1:
            _ = self._app.pop_screen()
