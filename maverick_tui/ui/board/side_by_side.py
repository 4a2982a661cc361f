"""SideBySideScreen: the live transcripts of two to four runs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from maverick_tui.paths import shipped
from maverick_tui.ui.board.keys import SIDE_KEYS
from maverick_tui.ui.board.side_pane import SidePane
from maverick_tui.ui.keys import is_character, key_names, names_elsewhere
from maverick_tui.ui.lines import ROLE_CLASSES
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.run.answering import ANSWERS
from maverick_tui.ui.run.keys import RUN_KEYS
from maverick_tui.ui.widgets.painted import PAINT

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.lending import Lending
    from maverick_tui.ui.board.looking_on import LookingOn
    from maverick_tui.ui.question_words import QuestionWords

LEAST_WIDTH = 45
"""Columns of a transcript that one can read; with fewer for each they stand one below the other."""
TICK = 1.0


class SideBySideScreen(Screen[None]):
    """Columns where there is room for them; Tab goes from one to the next."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("lines", "run", "prompt", "board")]
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
        words: QuestionWords,
        clock: Callable[[], float],
    ) -> None:
        """`interrupt` stops a run, `cards_now` tells how all of them stand, and `words` has what is typed for any."""
        super().__init__()
        self._cards = cards
        self._lending = lending
        self._look_on = look_on
        self._interrupt = interrupt
        self._cards_now = cards_now
        self._words = words
        self._clock = clock
        self.panes: list[SidePane] = []
        for name in ANSWERS:
            setattr(self, f"action_{name}", partial(self._answer, name))

    def compose(self) -> ComposeResult:
        """The runs, and the keys."""
        self._lay_out(self.app.size.width)
        shown = [self._look_on(self._lending.lend(card), card) for card in self._cards]
        self.panes = [SidePane(one, self._words, self._clock) for one in shown]
        self.panes[0].add_class("-first")
        with Container(id="panes"):
            yield from self.panes
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Keep the clocks going."""
        self.keys_changed()
        self.set_interval(TICK, self._tick)

    def keys_changed(self) -> None:
        """The keys, or the run that they act on, may be others: say so wherever they are named."""
        for pane in self.panes:
            own = key_names(self.app, pane.prompt, pane.shown.transcript, self)
            pane.show_keys(names_elsewhere(self.app, RUN_KEYS) | own)

    def on_resize(self) -> None:
        """In columns, if they are wide enough."""
        self._lay_out(self.size.width)

    def _lay_out(self, width: int) -> None:
        self.set_class(width >= LEAST_WIDTH * len(self._cards), "-columns")

    def on_unmount(self) -> None:
        """Follow nobody any more who was only looked at."""
        for pane in self.panes:
            self._lending.give_back(pane.shown.run)

    def note_words(self) -> None:
        """Keep what is typed anywhere."""
        for pane in self.panes:
            pane.note_words()

    def on_descendant_focus(self) -> None:
        """Set the run apart that keys act on."""
        if self.is_mounted:
            self.keys_changed()

    @property
    def _current(self) -> SidePane | None:
        return next((pane for pane in self.panes if pane.is_current), None)

    def runs_changed(self) -> None:
        """Runs may stand otherwise, also on other machines."""
        self._tick()

    def _tick(self) -> None:
        by_key = {card.key: card for card in self._cards_now()}
        for shown in (pane.shown for pane in self.panes):
            shown.show_card(by_key.get(shown.card.key, shown.card))
            shown.tick()

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        for pane in self.panes:
            pane.shown.transcript.restyle()

    def event_applied(self, run: RunModel, event: Event) -> None:
        """A run has told something."""
        for pane in self.panes:
            if pane.shown.run is run and pane.is_mounted:
                pane.event_applied(event)

    def reread(self, run: RunModel) -> None:
        """A run is known from its beginning."""
        for pane in self.panes:
            if pane.shown.run is run and pane.is_mounted:
                pane.shown.reread()
                pane.look()

    # -- keys ---------------------------------------------------------------------------------------------------------

    @property
    def takes_words(self) -> bool:
        """Whether characters that are typed are for a question."""
        return self._current is not None and self._current.answering.wants_words

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of questions act only while the run asks something; where words are typed, Enter sends them."""
        current = self._current
        if action in ANSWERS:
            return current is not None and current.answering.is_possible(action, parameters)
        if action == "open":
            return current is not None and not current.prompt.has_focus
        return True

    def on_key(self, event: events.Key) -> None:
        """What is typed while words are wanted is the answer."""
        current = self._current
        if current is not None and is_character(event) and current.type(event.character or ""):
            event.stop()

    def action_other(self, direction: int) -> None:
        """To the next run, or to the one before."""
        at = self.panes.index(self._current) if self._current is not None else -1
        self.set_focus(self.panes[(at + direction) % len(self.panes)].shown.transcript)

    def action_page(self, by: int) -> None:
        """Read on, or back."""
        if self._current is not None:
            self._current.shown.transcript.action_pages(by)

    def _answer(self, name: str) -> None:
        """Answer the run that keys act on; clicks go to the pane that they hit."""
        if self._current is not None:
            self._current.act(name)

    def action_open(self) -> None:
        """Show the run alone."""
        if self._current is not None:
            self.post_message(self.RunChosen(self._current.shown.card))

    def action_interrupt(self) -> None:
        """Interrupt the run."""
        if self._current is not None:
            self._interrupt(self._current.shown.card)

    def action_back(self) -> None:
        """From the prompt to its run, and from there to the board."""
        if self._current is None or not self._current.leave_words():
            self.post_message(self.BackRequested())
