"""Lending: runs to be looked at. Those of the application as they are; others are followed while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.runs.board import Board, RunModel
from maverick_tui.ui.following import leave_once_heard

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.card import RunCard


class Lending:
    """Gives each run to whoever shows it, and follows it no longer once nobody does."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        attach: Callable[[RunModel], None],
        attach_far: Callable[[RunModel, str], None],
        on_event: Callable[[RunModel, Event], None],
    ) -> None:
        """`on_event` hears what guests tell: they are no runs of the application, which hears its own."""
        self._app = app
        self._board = board
        self._attach = attach
        self._attach_far = attach_far
        self._guests = Board(on_event)
        self._lent: dict[str, int] = {}
        """How many show a run."""
        self._were_hidden: set[str] = set()

    def lend(self, card: RunCard) -> RunModel:
        """The run of a card, told of at once from now on."""
        run = self._board.runs.get(card.run_id) or self._guest(card)
        if not self._lent.get(run.run_id):
            if run.is_hidden:
                self._were_hidden.add(run.run_id)
            run.set_hidden(False)
        self._lent[run.run_id] = self._lent.get(run.run_id, 0) + 1
        return run

    def _guest(self, card: RunCard) -> RunModel:
        if (known := self._guests.runs.get(card.run_id)) is not None:
            return known
        run = RunModel(card.run_id, card.agent, self._guests)
        self._guests.add(run)
        run.is_hidden = False
        if card.machine:
            self._attach_far(run, card.machine)
        else:
            self._attach(run)
        return run

    def give_back(self, run: RunModel) -> None:
        """It is not shown there any more."""
        left = self._lent.get(run.run_id, 1) - 1
        if left:
            self._lent[run.run_id] = left
            return
        self._lent.pop(run.run_id, None)
        if self._guests.runs.get(run.run_id) is run:
            self._guests.remove(run)
            self._app.run_worker(leave_once_heard(run), group="attached", exit_on_error=False)
        elif run.run_id in self._were_hidden:
            run.set_hidden(True)
        self._were_hidden.discard(run.run_id)
