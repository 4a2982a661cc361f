"""Peeking: the end of one run beside the rows of all, or what it asks; it is lent for as long as it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget

from maverick_tui.inert import one_line
from maverick_tui.ui.inbox.question_pane import QuestionPane

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.lending import Lending
    from maverick_tui.ui.board.looking_on import LookingOn

SETTLED = 0.12
"""Seconds that the highlight rests on a run before it is followed: who goes through many wants none of them."""


_CHANGES_QUESTIONS = ("permission_asked", "permission_settled", "tool_finished", "turn_ended", "run_ended")


class Peeking(Vertical):
    """Shows the run that the highlight is on, live; while it asks something, its question, which can be answered."""

    def __init__(
        self, lending: Lending, look_on: Callable[[RunModel, RunCard], LookingOn], questions: QuestionPane
    ) -> None:
        super().__init__(id="peek")
        self.questions = questions
        self._lending = lending
        self._look_on = look_on
        self._card: RunCard | None = None
        self._shown: LookingOn | None = None
        self._timer: Timer | None = None
        self.is_open = False

    @property
    def shown(self) -> LookingOn | None:
        """What is looked at."""
        return self._shown

    def compose(self) -> ComposeResult:
        """The question; the transcript comes with a run."""
        self.questions.display = False
        yield self.questions

    @property
    def target(self) -> Widget | None:
        """What can be scrolled in it, or typed to."""
        if self.asks:
            return self.questions.prompt if self.questions.prompt.display else self.questions.transcript
        return self._shown.transcript if self._shown is not None else None

    @property
    def asks(self) -> bool:
        """Whether a question is shown."""
        return bool(self.questions.display)

    @property
    def is_behind(self) -> bool:
        """Whether the highlight is on another run than the one that is shown still: no key is meant for that one."""
        shown = self._shown.card.key if self._shown is not None else None
        return (self._card.key if self._card is not None else None) != shown and not self.questions.prompt.has_focus

    def open(self, card: RunCard | None) -> None:
        """Look at a run from now on, and at each that is highlighted later."""
        self.is_open = True
        self._card = card
        self._show()

    def look_at(self, card: RunCard | None) -> None:
        """The highlight is on this run now."""
        self._card = card
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SETTLED, self._show)

    def close(self) -> None:
        """Look at nobody any more."""
        self.is_open = False
        self._card = None
        self._give_back()
        self._look_for_questions()

    def _show(self) -> None:
        card = self._card
        if not self.is_open or card is None or card.is_out_of_reach:
            self._give_back()
            self._look_for_questions()
            return
        if self._shown is not None and self._shown.card.key == card.key:
            return
        self._give_back()
        run = self._lending.lend(card)
        self._shown = self._look_on(run, card)
        _ = self.mount(self._shown)
        self._look_for_questions()

    def _look_for_questions(self) -> None:
        """Show what the run asks in the place of its transcript, unless somebody types for another question."""
        pane, run = self.questions, self._shown.run if self._shown is not None else None
        if not pane.is_attached:
            return
        pane.look()
        if pane.is_typing and run is not None:
            return
        asks = run is not None and bool(run.store.questions)
        pane.display = asks
        pane.show(run if asks else None)
        if self._shown is not None:
            self._shown.display = not asks

    @on(QuestionPane.Settled)
    def _settled(self, event: QuestionPane.Settled) -> None:
        event.stop()
        if event.words:
            text = f"The question was {event.words}." if event.words[0].isalpha() else event.words
            self.notify(one_line(text), title=one_line(event.run.title), timeout=5, markup=False)
        self.call_after_refresh(self._look_for_questions)

    def _give_back(self) -> None:
        if self._shown is not None:
            shown, self._shown = self._shown, None
            self._lending.give_back(shown.run)
            if shown.is_attached:
                _ = shown.remove()

    def event_applied(self, run: RunModel, event: Event) -> None:
        """A run has told something."""
        if self._shown is not None and self._shown.run is run:
            self._shown.event_applied(event)
            if event.type in _CHANGES_QUESTIONS:
                self._look_for_questions()

    def reread(self, run: RunModel) -> None:
        """A run is known from its beginning."""
        if self._shown is not None and self._shown.run is run:
            self._shown.reread()
            self._look_for_questions()

    def show_cards(self, cards: Sequence[RunCard]) -> None:
        """The runs as they stand now."""
        if self._shown is not None:
            key = self._shown.card.key
            if (card := next((card for card in cards if card.key == key), None)) is not None:
                self._shown.show_card(card)

    def scroll(self, by: int) -> None:
        """Read on, or back."""
        if self._shown is not None:
            (self.questions if self.asks else self._shown).transcript.action_lines(by)

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        self.questions.restyle()
        if self._shown is not None:
            self._shown.transcript.restyle()

    def tick(self) -> None:
        """Another second is over."""
        if self._shown is not None:
            self._shown.tick()
