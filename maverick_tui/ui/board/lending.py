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
        self._on_event = on_event
        self._guests: dict[str, Board] = {}
        """By machine: what another one calls its runs, a run of this machine may be called as well."""
        self._lent: dict[RunModel, int] = {}
        """How many show a run."""
        self._were_hidden: set[RunModel] = set()

    def lend(self, card: RunCard) -> RunModel:
        """The run of a card, told of at once from now on."""
        own = self._board.runs.get(card.run_id)
        run = own if own is not None and own.machine == card.machine else self._guest(card)
        if not self._lent.get(run):
            if run.is_hidden:
                self._were_hidden.add(run)
            run.set_hidden(False)
        self._lent[run] = self._lent.get(run, 0) + 1
        return run

    def _guest(self, card: RunCard) -> RunModel:
        guests = self._guests.setdefault(card.machine, Board(self._on_event))
        if (known := guests.runs.get(card.run_id)) is not None:
            return known
        run = RunModel(card.run_id, card.agent, guests)
        guests.add(run)
        run.is_hidden = False
        if card.machine:
            self._attach_far(run, card.machine)
        else:
            self._attach(run)
        return run

    def give_back(self, run: RunModel) -> None:
        """It is not shown there any more."""
        left = self._lent.get(run, 1) - 1
        if left:
            self._lent[run] = left
            return
        self._lent.pop(run, None)
        guests = self._guests.get(run.machine)
        if guests is not None and guests.runs.get(run.run_id) is run:
            guests.remove(run)
            self._app.run_worker(leave_once_heard(run), group="attached", exit_on_error=False)
        elif run in self._were_hidden:
            run.set_hidden(True)
        self._were_hidden.discard(run)
