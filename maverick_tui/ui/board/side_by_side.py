"""SideBySideScreen: the live transcripts of two to four runs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from maverick_tui.paths import shipped
from maverick_tui.ui.board.keys import SIDE_KEYS
from maverick_tui.ui.lines import ROLE_CLASSES
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.run.answering import ANSWERS
from maverick_tui.ui.widgets.painted import PAINT

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.lending import Lending
    from maverick_tui.ui.board.looking_on import LookingOn

LEAST_WIDTH = 45
"""Columns of a transcript that one can read; with fewer for each they stand one below the other."""
TICK = 1.0


class SideBySideScreen(Screen[None]):
    """Columns where there is room for them; Tab goes from one to the next."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("lines", "run", "board")]
    COMPONENT_CLASSES = ROLE_CLASSES | PAINT
    AUTO_FOCUS = "Transcript"
    BINDING_GROUP_TITLE = "Side by side"
    BINDINGS: ClassVar[list[BindingType]] = [*SIDE_KEYS]

    class RunChosen(Message):
        """This run is to be shown alone."""

        def __init__(self, card: RunCard) -> None:
            super().__init__()
            self.card = card

    class BackRequested(Message):
        """Back to the board."""

    def __init__(
        self,
        cards: Sequence[RunCard],
        lending: Lending,
        look_on: Callable[[RunModel, RunCard], LookingOn],
        interrupt: Callable[[RunCard], None],
        cards_now: Callable[[], Sequence[RunCard]],
    ) -> None:
        """`interrupt` stops a run, and `cards_now` tells how all of them stand."""
        super().__init__()
        self._cards = cards
        self._lending = lending
        self._look_on = look_on
        self._interrupt = interrupt
        self._cards_now = cards_now
        self.panes: list[LookingOn] = []
        self._hints = KeyHints(id="keys")
        for action in (*ANSWERS, "choose"):  # what can be clicked in a question
            setattr(self, f"action_{action}", self._answer_there)

    def compose(self) -> ComposeResult:
        """The runs, and the keys."""
        self._lay_out(self.app.size.width)
        self.panes = [self._look_on(self._lending.lend(card), card) for card in self._cards]
        self.panes[0].add_class("-first")
        with Container(id="panes"):
            yield from self.panes
        yield self._hints

    def on_mount(self) -> None:
        """Keep the clocks going."""
        self.set_interval(TICK, self._tick)

    def on_resize(self) -> None:
        """In columns, if they are wide enough."""
        self._lay_out(self.size.width)

    def _lay_out(self, width: int) -> None:
        self.set_class(width >= LEAST_WIDTH * len(self._cards), "-columns")

    def on_unmount(self) -> None:
        """Follow nobody any more who was only looked at."""
        for pane in self.panes:
            self._lending.give_back(pane.run)

    def on_descendant_focus(self) -> None:
        """Set the run apart that keys act on."""
        for pane in self.panes:
            pane.set_current(pane is self._current)

    @property
    def _current(self) -> LookingOn | None:
        return next((pane for pane in self.panes if pane.transcript is self.focused), None)

    def runs_changed(self) -> None:
        """Runs may stand otherwise, also on other machines."""
        self._tick()

    def _tick(self) -> None:
        by_key = {card.key: card for card in self._cards_now()}
        for pane in self.panes:
            pane.show_card(by_key.get(pane.card.key, pane.card))
            pane.tick()

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        for pane in self.panes:
            pane.transcript.restyle()

    def event_applied(self, run: RunModel, event: Event) -> None:
        """A run has told something."""
        for pane in self.panes:
            if pane.run is run:
                pane.event_applied(event)

    def reread(self, run: RunModel) -> None:
        """A run is known from its beginning."""
        for pane in self.panes:
            if pane.run is run:
                pane.reread()

    # -- keys ---------------------------------------------------------------------------------------------------------

    def action_other(self, direction: int) -> None:
        """To the next run, or to the one before."""
        at = self.panes.index(self._current) if self._current is not None else -1
        self.set_focus(self.panes[(at + direction) % len(self.panes)].transcript)

    def _answer_there(self, *_where: int) -> None:
        self._hints.say("Questions are answered on the board, or in the run itself: Enter opens it.")

    def action_open(self) -> None:
        """Show the run alone."""
        if self._current is not None:
            self.post_message(self.RunChosen(self._current.card))

    def action_interrupt(self) -> None:
        """Interrupt the run."""
        if self._current is not None:
            self._interrupt(self._current.card)

    def action_back(self) -> None:
        """Back to the board."""
        self.post_message(self.BackRequested())
