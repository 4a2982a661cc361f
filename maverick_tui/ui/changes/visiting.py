"""ChangesVisits: the way to what a run has changed, from its screen or the board, to a call of it and back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.exceptions import MaverickError
from maverick_tui.paths import shipped
from maverick_tui.ui.themes import diff_palette, text_palette

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.review.kinds import Author
    from maverick_tui.review.run_review import RunReview
    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.changes.comments import Comments
    from maverick_tui.ui.changes.looking import Looking
    from maverick_tui.ui.changes.screen import ChangesScreen
    from maverick_tui.ui.navigation import Navigation


class ChangesVisits:
    """Lays the changes of a run over what is on the screen, which stays as it is below."""

    def __init__(self, app: App[Any], board: Board, navigation: Navigation, open_run: Callable[[str], None]) -> None:
        """`open_run` shows a run that is not on the board."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._open_run = open_run
        self._looking: dict[str, Looking] = {}
        self._comments: dict[str, Comments] = {}
        """Also those of runs that were closed: their files are ours as long as the window is there."""
        self._screen: ChangesScreen | None = None
        self._left: Callable[[], None] = lambda: None

    def read_styles(self) -> None:
        """Have the styles at hand: for those that come with a screen Textual reads all there are once more."""
        styles = (shipped("styles") / f"{name}.tcss" for name in ("lines", "changes"))
        self._app.stylesheet.read_all([path for path in styles if not self._app.stylesheet.has_source(str(path), "")])

    @property
    def is_open(self) -> bool:
        """Whether changes are over the other screens."""
        return self._screen is not None and self._screen in self._app.screen_stack

    def show(self, run: RunModel, call: str = "", *, left: Callable[[], None] = lambda: None) -> None:
        """Show what a run has changed, as it was looked at the last time; or what one call of it has.

        `left` hears that it is not looked at any more.
        """
        from maverick_tui.ui.changes.screen import ChangesScreen

        if self.is_open:
            return
        self._left = left
        looking = self._looking_at(run)
        if call:
            self._look_at_call(looking, run, call)
        looking.begin()
        self._screen = ChangesScreen(run, looking, lambda: (text_palette(self._app), diff_palette(self._app)))
        _ = self._app.push_screen(self._screen)

    def _looking_at(self, run: RunModel) -> Looking:
        from maverick_tui.ui.changes.comments import Comments
        from maverick_tui.ui.changes.looking import Looking
        from maverick_tui.ui.changes.reading import Reviewing

        if run.run_id not in self._looking:
            self._looking = {one: looking for one, looking in self._looking.items() if one in self._board.runs}
            if run.run_id not in self._comments:
                tell = partial(self._app.notify, title="Changes", severity="warning", markup=False)
                self._comments[run.run_id] = Comments(run.run_id, self._navigation.unsent, tell)
            reviewing = Reviewing(partial(open_review, run.run_id))
            self._looking[run.run_id] = Looking(reviewing, self._comments[run.run_id])
        return self._looking[run.run_id]

    def _look_at_call(self, looking: Looking, run: RunModel, call: str) -> None:
        from maverick_tui.review.kinds import Scope
        from maverick_tui.runs.entries import ToolEntry

        entries = (entry for entry in run.store.entries if isinstance(entry, ToolEntry) and entry.call == call)
        turn = next((entry.turn for entry in entries), 0)
        scope = Scope("call", turn, call)
        if looking.wanted.scope != scope:
            looking.wanted, looking.seen, looking.place = looking.wanted._replace(scope=scope), None, None

    def leave(self) -> None:
        """Show what is below."""
        if self._screen is not None and self._app.screen is self._screen:
            run, looking = self._screen.model, self._screen.looking
            _ = self._app.pop_screen()
            self._left()
            group = f"changes-{run.run_id}"  # what was counted before may be less than what is known now
            _ = self._app.run_worker(self._count(run, looking), group=group, exclusive=True, exit_on_error=False)

    async def _count(self, run: RunModel, looking: Looking) -> None:
        """Say of the run what stands of its changes: it tells that with its next snapshot, and something may have been
        taken back or given back since the last one.
        """
        from maverick_tui.ui.changes.reading import standing

        if (told := run.store.snapshot) is None or run.machine:
            return
        with suppress(MaverickError):  # whoever looked was told
            files, added, deleted, _ = await looking.reviewing.ask(standing)
            if run.store.snapshot is told:  # the run may have told more meanwhile
                run.store.snapshot = replace(told, files=files, added=added, deleted=deleted)
                if (screen := self._navigation.screen_of(run)) is not None and screen.is_mounted:
                    screen.status_clock.refresh_now()

    def go_to_call(self, author: Author) -> None:
        """Show the call that has written something, where it stands in its run's transcript; or its run at least."""
        if self._screen is None:
            return
        run_id = author.run_id if author.kind == "run" else self._screen.model.run_id
        if (run := self._board.runs.get(run_id)) is None:
            self._open_run(run_id)
            return
        if self._navigation.shown_run is not run:
            self._navigation.show_run(run)
        screen = self._navigation.screen_of(run)
        entry = entry_of(run, author.call)
        if entry is None:
            self._app.notify("The call is not in the transcript as far as that is read.", title="Changes")
        elif screen is not None:
            screen.show_at(entry)
            screen.read_transcript()

    def hear(self, run: RunModel, event: Event) -> None:
        """A run has told something; thousands of times in a second, so it takes no detours."""
        if self._screen is not None and self._screen.model is run and self._screen.is_attached:
            self._screen.hear(event)

    def restyle(self) -> None:
        """The colours are others."""
        if self._screen is not None and self._screen.is_attached:
            self._screen.restyle()


def open_review(run_id: str) -> RunReview:
    """In a thread: it imports, and reads."""
    from maverick_tui.review.run_review import RunReview

    return RunReview(run_id)


def entry_of(run: RunModel, call: str) -> int | None:
    """The number of the entry of a call."""
    from maverick_tui.runs.entries import ToolEntry

    calls = (entry.number for entry in run.store.entries if isinstance(entry, ToolEntry) and entry.call == call)
    return next(calls, None)
