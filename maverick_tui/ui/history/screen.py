"""HistoryScreen: all kept runs, to be looked through, searched and added up."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.history import labelling
from maverick_tui.ui.history.asking import IndexThread
from maverick_tui.ui.history.deleting import Deletions
from maverick_tui.ui.history.drawing import Status
from maverick_tui.ui.history.header import VIEWS, HistoryHeader
from maverick_tui.ui.history.keys import HISTORY_KEYS
from maverick_tui.ui.history.pane import HistoryPane
from maverick_tui.ui.history.preview import Preview, ask_preview, preview_lines
from maverick_tui.ui.history.questions import Looking
from maverick_tui.ui.history.rows import Found, Row, counted, key_of, run_of
from maverick_tui.ui.keys import key_names
from maverick_tui.ui.lines import ROLE_CLASSES, LineView
from maverick_tui.ui.picker.edges import KeyHints

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board

WIDE, HIGH = 110, 22
"""Columns from which the preview is beside the list, and rows from which it is below it otherwise."""
LOW = 9
"""Rows from which there is room for a frame around the list."""


class HistoryScreen(Screen[None]):
    """Three views on what is typed: the runs that match, the places that were found, and what the runs have used."""

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "history.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (LOW, "-low"), (HIGH, "-high")]
    COMPONENT_CLASSES = ROLE_CLASSES
    AUTO_FOCUS = "#filter"
    BINDINGS: ClassVar[list[BindingType]] = [*HISTORY_KEYS]

    class RunChosen(Message):
        """This run is to be shown, at an event if one is given, with these words marked."""

        def __init__(self, run_id: str, number: int | None, words: tuple[str, ...]) -> None:
            super().__init__()
            self.run_id = run_id
            self.number = number
            self.words = words

    class ReplayRequested(Message):
        """This run is to play again."""

        def __init__(self, run_id: str) -> None:
            super().__init__()
            self.run_id = run_id

    class BackRequested(Message):
        """Whatever was there before is to be shown again."""

    def __init__(self, looking: Looking, board: Board, status: Status, clock: Callable[[], float] = time.time) -> None:
        """`looking` is what was looked at the last time, and `status` tells what a run of this application does."""
        super().__init__()
        self._looking = looking
        self._board = board
        self._status = status
        self._index: IndexThread | None = None
        self._header = HistoryHeader(self._show_view)
        self._hints = KeyHints(id="keys")
        self._pane = HistoryPane(
            looking,
            lambda: self._index,
            status,
            clock,
            typed=self._typed,
            moved=self._move,
            chosen=self._choose,
            say=self._hints.say,
        )
        self._preview = LineView(id="preview")
        self._previewed = ""
        self._deletions = Deletions(board.runs.__contains__, looking.marked)
        self._opens_a_run = False
        self._pane.rows.struck = self._deletions.marked

    def compose(self) -> ComposeResult:
        """A header, what is looked at beside the preview, and the keys."""
        yield self._header
        with Container(id="body"):
            yield self._pane
            yield self._preview
        yield self._hints

    def on_mount(self) -> None:
        """Ask for what was looked at the last time."""
        self._index = IndexThread(self._fail, self._pane.progress)
        self._show_view(self._looking.view)
        if self._deletions.marked:
            self._tell_deletions()

    async def on_unmount(self) -> None:
        """What was deleted goes now, unless only a run is opened: whoever compares two still wants to choose.

        If the terminal was lost, or something failed, nobody has left.
        """
        is_lost = bool(self.app.return_value or self.app.return_code)
        goes = self._deletions.marked and not self._opens_a_run and not is_lost
        if self._index is not None:
            await self._index.close(self._deletions.carry_out if goes else None)
        if self._deletions.marked and not is_lost:
            text = f"{counted(len(self._deletions.marked), 'run')} will be deleted when you leave the history."
            self.app.notify(text, title="History", markup=False)
        if self._deletions.failures:
            text = one_line(" ".join(self._deletions.failures))
            self.app.notify(text, title="History", severity="warning", timeout=15, markup=False)

    def _fail(self, reason: str) -> None:
        self._pane.failed(reason)
        self._hints.say(reason, is_error=True)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _show_view(self, view: str) -> None:
        self._header.view = view
        self._hints.notice = ""
        self.set_class(view == "totals", "-totals")
        self._pane.show_view(view)
        self.refresh_bindings()

    def _typed(self) -> None:
        self._hints.notice = ""
        self.refresh_bindings()

    def _move(self, row: Row | None) -> None:
        key = key_of(row) if row is not None else ""
        if key != self._looking.key:  # the same one, listed again, is no move, nor is the first one of all
            self._hints.notice = self._hints.notice if not self._looking.key else ""
            self._looking.key = key
        self.refresh_bindings()
        if (run := run_of(row)) is None:
            self._preview.show(lambda _: [])
        elif self._index is not None:
            self._index.ask("preview", partial(ask_preview, run=run), self._show_preview)

    def _show_preview(self, preview: Preview) -> None:
        is_same, self._previewed = preview.run.run_id == self._previewed, preview.run.run_id
        status = self._status(preview.run.run_id) if preview.run.is_live else None
        self._preview.show(partial(preview_lines, preview, status), keep_place=is_same)

    def on_resize(self, _event: events.Resize) -> None:
        """The totals have as many rows as fit."""
        if self._looking.view == "totals":
            self._pane.ask()

    # -- keys ---------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys that would do nothing here."""
        view, has_row = self._looking.view, self._pane.rows.row is not None
        if action in ("delete", "name", "tag"):
            return view == "runs" and has_row
        if action == "undo":
            return bool(self._deletions.marked)
        if action == "order":
            return view != "search"
        return view != "totals" and has_row if action in ("choose", "replay") else True

    def action_view(self, by: int) -> None:
        """Show the next view, or the one before."""
        views = list(VIEWS)
        self._show_view(views[(views.index(self._looking.view) + by) % len(views)])

    def action_order(self) -> None:
        """List the runs in the next order, or add up the next figure."""
        self._pane.next_order()

    def action_reload(self) -> None:
        """Look for changes."""
        self._pane.refresh_soon()

    def action_move(self, by: int) -> None:
        """Move the highlight, or the totals."""
        if self._looking.view == "totals":
            self._pane.totals.go_by(by)
        else:
            self._pane.rows.move(by)

    def action_page(self, by: int) -> None:
        """The same by a page."""
        self.action_move(by * max(self._pane.rows.page - 2, 1))

    def action_end(self, to: int) -> None:
        """The same to the first or to the last."""
        self.action_move(to * max(len(self._pane.rows.rows), self._pane.totals.line_count))

    def action_scroll_preview(self, by: int) -> None:
        """Read on in the preview."""
        self._preview.go_by(by)

    def action_back(self) -> None:
        """Clear what is typed, else leave."""
        if self._pane.filter.text:
            self._pane.filter.text = ""
        else:
            self.action_leave()

    def action_clear(self) -> None:
        """Clear what is typed."""
        self._pane.filter.cut_all()

    def action_leave(self) -> None:
        """Back to where one came from."""
        self._opens_a_run = False
        self.post_message(self.BackRequested())

    def action_choose(self) -> None:
        """Open the highlighted run, at the place that was found."""
        if (row := self._pane.rows.row) is not None:
            self._choose(row)

    def _choose(self, row: Row) -> None:
        run = run_of(row)
        if run is None:
            return
        if run.run_id in self._deletions.marked:
            self._hints.say("It is deleted when you leave: take that back first.", is_error=True)
            return
        self._opens_a_run = True
        if isinstance(row, Found):
            self.post_message(self.RunChosen(run.run_id, row.hit.number, self._pane.wanted.words))
        else:
            self.post_message(self.RunChosen(run.run_id, None, ()))

    def action_replay(self) -> None:
        """Have the highlighted run play again; the history is there when that is left."""
        if (run := run_of(self._pane.rows.row)) is not None:
            self.post_message(self.ReplayRequested(run.run_id))

    # -- changing runs ------------------------------------------------------------------------------------------------

    def action_delete(self) -> None:
        """Have the highlighted run go when the history is left, or stay after all."""
        run = run_of(self._pane.rows.row)
        if run is None:
            return
        if run.run_id in self._deletions.marked:
            self._deletions.take_back(run.run_id)
        elif refusal := self._deletions.mark(run):
            self._hints.say(refusal, is_error=True)
            return
        else:
            self._pane.rows.move(1)
        self._tell_deletions()

    def action_undo(self) -> None:
        """Have the run stay that was deleted last."""
        if self._deletions.take_back_last() is not None:
            self._tell_deletions()

    def _tell_deletions(self) -> None:
        self._pane.rows.refresh()
        self.refresh_bindings()
        count = len(self._deletions.marked)
        undo = key_names(self).get("history.undo", "")
        self._hints.say(f"{counted(count, 'run')} will be deleted when you leave. {undo} undo" if count else "")

    def action_name(self) -> None:
        """Ask what the highlighted run is to be called."""
        if (run := run_of(self._pane.rows.row)) is not None:
            self._label(labelling.ask_name(self.app, run, self._board.runs.get(run.run_id)))

    def action_tag(self) -> None:
        """Ask for the tags of the highlighted run."""
        if (run := run_of(self._pane.rows.row)) is not None:
            self._label(labelling.ask_tags(self.app, run))

    @work(exclusive=True, group="ask", exit_on_error=False)
    async def _label(self, asking: Coroutine[Any, Any, bool]) -> None:
        try:
            if await asking:
                self._pane.refresh_soon()
        except MaverickError as error:
            self._hints.say(one_line(str(error)), is_error=True)
