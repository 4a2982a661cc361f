"""BoardVisits: the way to the board of all live runs, from any screen, and back from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.ui.themes import text_palette

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.gathering import Gathering
    from maverick_tui.ui.board.lending import Lending
    from maverick_tui.ui.board.looking_on import LookingOn
    from maverick_tui.ui.board.screen import BoardScreen, Looked
    from maverick_tui.ui.board.side_by_side import SideBySideScreen
    from maverick_tui.ui.changes.visiting import ChangesVisits
    from maverick_tui.ui.inbox.question_pane import QuestionPane
    from maverick_tui.ui.navigation import Navigation
    from maverick_tui.ui.preferences import Preferences


class BoardVisits:
    """Lays the board over what is on the screen, which stays as it is below."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        navigation: Navigation,
        preferences: Preferences,
        clock: Callable[[], float],
        attach: Callable[[RunModel], None],
        attach_far: Callable[[RunModel, str], None],
    ) -> None:
        """`attach` follows a run of this machine, and `attach_far` one of another."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._preferences = preferences
        self._clock = clock
        self._attach = attach
        self._attach_far = attach_far
        self._lending: Lending | None = None
        self._looked: Looked | None = None
        self._screen: BoardScreen | None = None
        self._side: SideBySideScreen | None = None
        navigation.on_reread = self.reread
        self.guest_heard: Callable[[RunModel, Event], None] = lambda _run, _event: None
        """Hears what runs tell that are no runs of the application."""

    @property
    def is_open(self) -> bool:
        """Whether the board is over the other screens."""
        return self._screen is not None and self._screen in self._app.screen_stack

    @property
    def is_shown(self) -> bool:
        """Whether it is on the screen, with nothing above it: its rows tell what would be told otherwise."""
        return self._screen is not None and self._app.screen is self._screen

    def show(self) -> None:
        """Show all live runs."""
        from maverick_tui.ui.board.gathering import Gathering
        from maverick_tui.ui.board.lending import Lending
        from maverick_tui.ui.board.screen import BoardScreen, Looked

        if self.is_open:
            return
        self._lending = self._lending or Lending(
            self._app, self._board, self._attach, self._attach_far, self._hear_guest
        )
        self._looked = self._looked or Looked()
        if self._navigation.shown_run is None:
            self._looked.key = ""  # who comes from no run goes on with none, and sees first who needs them

        def gathering(changed: Callable[[], None]) -> Gathering:
            return Gathering(self._board, lambda: self._navigation.far_runs, self._clock, changed)

        self._screen = BoardScreen(
            self._board, gathering, self._lending, self._look_on, self._questions, self._clock, self._looked
        )
        _ = self._app.push_screen(self._screen)

    def _look_on(self, run: RunModel, card: RunCard) -> LookingOn:
        from maverick_tui.ui.board.looking_on import LookingOn

        return LookingOn(run, card, partial(text_palette, self._app), self._clock, self._preferences.verbosity)

    def _questions(self, go_home: Callable[[], None]) -> QuestionPane:
        from maverick_tui.ui.inbox.question_pane import QuestionPane

        palette, words = partial(text_palette, self._app), self._navigation.words
        return QuestionPane(palette=palette, go_home=go_home, words=words, clock=self._clock)

    def restyle(self) -> None:
        """The colours are others."""
        for screen in (self._screen, self._side):
            if screen is not None and screen.is_attached:
                screen.restyle()

    def show_side_by_side(self, cards: list[RunCard]) -> None:
        """Show these runs at once, above the board."""
        from maverick_tui.ui.board.side_by_side import SideBySideScreen

        if self._screen is None or self._lending is None:
            return
        gathering, screen, words = self._screen.gathering, self._screen, self._navigation.words

        def cards_now() -> list[RunCard]:
            return gathering.cards(self._clock())

        self._side = SideBySideScreen(
            cards, self._lending, self._look_on, screen.interrupt, cards_now, words, self._clock
        )
        _ = self._app.push_screen(self._side)

    def show_changes(self, card: RunCard, changes: ChangesVisits) -> None:
        """Show what a run has changed, above the board; one of another application is followed meanwhile."""
        if self._lending is not None:
            run = self._lending.lend(card)
            changes.show(run, left=partial(self._lending.give_back, run))

    def leave_side_by_side(self) -> None:
        """Back to the board."""
        if self._side is not None and self._app.screen is self._side:
            self._side.note_words()
            _ = self._app.pop_screen()
        self._side = None

    def leave(self) -> None:
        """Show what is below."""
        self.leave_side_by_side()
        if self._screen is not None and self._app.screen is self._screen:
            self._screen.note_words()
            _ = self._app.pop_screen()
            self._navigation.bring_words_back()

    def _hear_guest(self, run: RunModel, event: Event) -> None:
        self.hear(run, event)
        self.guest_heard(run, event)

    def hear(self, run: RunModel, event: Event) -> None:
        """A run has told something; thousands of times in a second, so it takes no detours."""
        if self._screen is not None and self._screen.is_attached:
            self._screen.event_applied(run, event)
        if self._side is not None and self._side.is_attached:
            self._side.event_applied(run, event)

    def reread(self, run: RunModel) -> None:
        """A run is known from its beginning, without having been told event by event."""
        for screen in (self._screen, self._side):
            if screen is not None and screen.is_attached:
                screen.reread(run)
