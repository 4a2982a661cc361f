"""BoardScreen: every run that is alive, what needs a person on top; looked at, stopped and named without leaving."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.runs.card import RunCard
from maverick_tui.ui.board import labelling
from maverick_tui.ui.board.filtering import BoardFilter, matches
from maverick_tui.ui.board.gathering import Gathering
from maverick_tui.ui.board.header import BoardHeader, counted
from maverick_tui.ui.board.keys import ANSWER_KEYS, BOARD_KEYS
from maverick_tui.ui.board.peeking import Peeking
from maverick_tui.ui.board.row_list import BoardList
from maverick_tui.ui.board.stopping import Stopping
from maverick_tui.ui.keys import key_names
from maverick_tui.ui.lines import ROLE_CLASSES
from maverick_tui.ui.picker.agents_pane import FilterLine
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.run.answering import ANSWERS
from maverick_tui.ui.widgets.painted import PAINT

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.board.lending import Lending
    from maverick_tui.ui.board.looking_on import LookingOn
    from maverick_tui.ui.inbox.question_pane import QuestionPane

WIDE, HIGH, LOW = 150, 20, 9
"""Columns from which the peek stands beside the rows; rows from which there is room for both, and for a frame."""
TICK = 1.0
DRAWN_EVERY = 0.25
"""Seconds between two looks at what has changed."""
TYPED_FOR = 0.04
"""Seconds after a key in which the rows that it leaves are found: the next key may be there by then."""
FEWEST, MOST = 2, 4
"""Runs that can stand side by side."""
_OF_A_ROW = ("open", "peek", "mark", "end_run", "name", "changes", "tag", "interrupt")
PLACEHOLDER = "type to filter: names, prompts, states"
NOBODY = (
    "No run is alive.\n\nEvery run of this machine and of the machines in the setting `hosts` is listed here while it "
    "lives. Esc goes back; choose an agent there, and give it something to do."
)
NO_MATCH = "No run matches. Esc clears."


@dataclass
class Looked:
    """How somebody has left the board, to come back to it."""

    text: str = ""
    key: str = ""
    is_peeking: bool = False


class BoardScreen(Screen[None]):
    """One row for each run; what is typed filters them."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("lines", "run", "prompt", "inbox", "board")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (LOW, "-low"), (HIGH, "-high")]
    COMPONENT_CLASSES = ROLE_CLASSES | PAINT
    AUTO_FOCUS = "#filter"
    takes_words = False  # what is typed outside of an answer filters
    BINDING_GROUP_TITLE = "Board"
    BINDINGS: ClassVar[list[BindingType]] = [*BOARD_KEYS, *ANSWER_KEYS]

    class RunChosen(Message):
        """This run is to be shown."""

        def __init__(self, card: RunCard) -> None:
            super().__init__()
            self.card = card

    class EndRequested(Message):
        """This run of the application is to be closed."""

        def __init__(self, run: RunModel) -> None:
            super().__init__()
            self.run = run

    class ChangesRequested(Message):
        """What this run has changed is to be shown."""

        def __init__(self, card: RunCard) -> None:
            super().__init__()
            self.card = card

    class SideBySideRequested(Message):
        """These runs are to be shown side by side."""

        def __init__(self, cards: list[RunCard]) -> None:
            super().__init__()
            self.cards = cards

    class BackRequested(Message):
        """Whatever was there before is to be shown again."""

    def __init__(
        self,
        board: Board,
        gathering: Callable[[Callable[[], None]], Gathering],
        lending: Lending,
        look_on: Callable[[RunModel, RunCard], LookingOn],
        questions: Callable[[Callable[[], None]], QuestionPane],
        clock: Callable[[], float],
        looked: Looked,
    ) -> None:
        """`gathering` makes what knows the cards, and is given what hears of changes; `look_on` shows a run.

        `questions` makes what shows a question, and is given what takes the focus back from it.
        """
        super().__init__()
        self._board = board
        self._clock = clock
        self._looked = looked
        self._header = BoardHeader(id="header")
        self._filter = BoardFilter(self._typed, PLACEHOLDER)
        self._filter.set_reactive(FilterLine.text, looked.text)
        self.rows = BoardList(clock, self._move, self._choose)
        self.rows.wanted = looked.key
        self._hints = KeyHints(id="keys")
        self._peeking = Peeking(lending, look_on, questions(self._go_home))
        self._peeking.questions.serve_keys(self)
        self.action_page = self._page  # of the rows, or of what is read beside them
        self._due: Timer | None = None
        """When the rows are drawn next."""
        self._is_behind = False
        """Whether the rows do not follow yet what is typed."""
        self._is_said = False
        self._works: tuple[bool, bool | None] = (False, False)
        """Whether any run can be interrupted, and whether the highlighted one can."""
        """Whether it is said that runs are being interrupted."""
        self.gathering = gathering(self._draw_soon)
        self._make_stopping: Callable[[], Stopping] = lambda: Stopping(self.app, board, self.gathering, self.draw)

    def compose(self) -> ComposeResult:
        """A header, the rows beside the peek, and the keys."""
        yield self._header
        with Container(id="body"):
            with Vertical(id="listed"):
                yield self._filter
                yield self.rows
            yield self._peeking
        yield self._hints

    def on_mount(self) -> None:
        """List what is known, and go on asking."""
        self.keys_changed()
        self._stopping = self._make_stopping()
        self.draw()
        self.set_interval(TICK, self._tick)
        self.run_worker(self.gathering.look(), group="looking", exit_on_error=False)
        if self._looked.is_peeking:
            self._peek(self.rows.card)

    def on_unmount(self) -> None:
        """Follow nobody any more who was only looked at."""
        self._looked.is_peeking = self._peeking.is_open
        self._peeking.close()

    def note_words(self) -> None:
        """Keep what is typed for a question."""
        self._peeking.questions.note_words()

    def keys_changed(self) -> None:
        """The keys may be others."""
        self._peeking.questions.keys_changed()

    # -- what is shown ------------------------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        self._peeking.restyle()

    def event_applied(self, run: RunModel, event: Event) -> None:
        """A run has told something. Nothing is drawn here."""
        self._peeking.event_applied(run, event)
        self.gathering.hear(run)
        self._draw_soon()

    def reread(self, run: RunModel) -> None:
        """A run is known from its beginning."""
        self._peeking.reread(run)
        self.gathering.hear(run)
        self._draw_soon()

    def runs_changed(self) -> None:
        """Runs may have come or gone, also on other machines."""
        self._draw_soon()

    def _draw_soon(self) -> None:
        if self._due is None and self.is_mounted:
            self._due = self.set_timer(DRAWN_EVERY, self.draw)

    def draw(self) -> None:
        """List all runs as they stand."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        if not self.is_attached:
            return
        self._is_behind = False
        now = self._clock()
        cards = self.gathering.cards(now)
        query = self._filter.text
        shown = [card for card in cards if matches(query, card, now)] if query else cards
        self.rows.notice = NO_MATCH if cards else self.gathering.problem or NOBODY
        self.rows.show(shown, total=len(cards))
        self._header.counts = counted(cards, now)
        self._filter.count = f"{len(shown)} of {len(cards)}" if query else ""
        self._peeking.show_cards(cards)
        self._tell_interrupted()
        works = any(card.can_be_interrupted for card in cards), self.check_action("interrupt", ())
        if works != self._works:
            self._works = works
            self.refresh_bindings()

    def _tick(self) -> None:
        self.rows.refresh_changed()
        self._header.counts = counted(self.gathering.cards(self._clock()), self._clock())
        self._peeking.tick()

    def _typed(self) -> None:
        self._hints.notice = ""
        self._looked.text = self._filter.text
        if self._due is not None:
            self._due.stop()
        self._is_behind = True
        self._due = self.set_timer(TYPED_FOR, self.draw)

    def _move(self, card: RunCard | None) -> None:
        if self.rows.stays:
            self._looked.key = card.key if card is not None else ""
        if self._peeking.is_open:
            self._peeking.look_at(card)
        self.refresh_bindings()

    def _tell_interrupted(self) -> None:
        if self._is_said:
            left, unheeded = self.gathering.stopping, self.gathering.unheeded
            self._is_said = bool(left)
            if left:
                self._hints.say(f"◐ Interrupting {_runs(left)} …")
            elif unheeded:
                self._hints.say(f"{_runs(unheeded)} did not stop. F9 ends one.", is_error=True)
            else:
                self._hints.say("■ All of them have stopped.")

    # -- keys ---------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys that would do nothing here."""
        if self._is_behind and action in _OF_A_ROW:
            self.draw()  # the key is meant for what is typed, and not for what was highlighted before
        card = self.rows.card
        if action in ("open", "peek", "mark", "end_run", "name", "changes"):
            return card is not None
        if action == "tag":
            return card is not None and not card.machine and not self._peeking.asks  # its key answers
        if not self._peeking.questions.is_possible(action, parameters):
            return False
        if action in ANSWERS and not parameters and self._peeking.is_behind:
            return False
        if action == "interrupt":
            return card is not None and card.can_be_interrupted
        if action == "interrupt_all":
            return bool(self._at_work())
        return len(self.rows.marked) >= FEWEST if action == "side_by_side" else True

    def action_move(self, by: int) -> None:
        """Move the highlight."""
        self.rows.move(by)

    def _page(self, by: int) -> None:
        """The same by a page; a question is read to its end first."""
        if self._peeking.asks:
            self._peeking.questions.transcript.action_pages(by)
        else:
            self.rows.move(by * max(self.rows.rows_in_view - 1, 1))

    def _go_home(self) -> None:
        self.set_focus(self._filter)

    def action_end(self, to: int) -> None:
        """The same to the first or to the last."""
        self.rows.move(to * len(self.rows.cards))

    def action_scroll_peek(self, by: int) -> None:
        """Read on in the run that is looked at."""
        self._peeking.scroll(by)

    def action_switch_focus(self) -> None:
        """Between the rows and the run that is looked at."""
        other = self._peeking.target
        self.set_focus(other if other is not None and self.focused is self._filter else self._filter)

    def action_back(self) -> None:
        """Leave the peek, else clear what is typed and marked, else leave."""
        if self._hints.notice:
            self._hints.notice = ""
        if self._peeking.questions.leave_words():
            return
        if self._peeking.is_open:
            self.action_peek()
        elif self._filter.text:
            self._filter.text = ""
        elif self.rows.marked:
            self.rows.marked.clear()
            self.rows.refresh()
            self.refresh_bindings()
        else:
            self.action_leave()

    def action_clear(self) -> None:
        """Clear what is typed."""
        self._filter.cut_all()

    def action_leave(self) -> None:
        """Back to where one came from."""
        self.post_message(self.BackRequested())

    def _meant(self) -> RunCard | None:
        """The highlighted run, which somebody does something about: no other one takes its place."""
        self.rows.stay()
        return self.rows.card

    def action_open(self) -> None:
        """Open the highlighted run."""
        if (card := self._meant()) is not None:
            self._choose(card)

    def _choose(self, card: RunCard) -> None:
        self.post_message(self.RunChosen(card))

    def action_changes(self) -> None:
        """Show what the highlighted run has changed."""
        if (card := self._meant()) is None:
            return
        if card.machine:
            self._hints.say(f"It works on {one_line(card.machine)}, and its changes are there: look at them there.")
        else:
            self.post_message(self.ChangesRequested(card))

    def action_peek(self) -> None:
        """Show the end of the highlighted run's transcript beside the rows, or take it away."""
        if self._peeking.is_open:
            self._peeking.close()
            self.set_focus(self._filter)
            self.remove_class("-peeking")
        else:
            self._peek(self._meant())

    def _peek(self, card: RunCard | None) -> None:
        if not self._refuses(card):
            self._peeking.open(card)
            self.add_class("-peeking")

    def _refuses(self, card: RunCard | None) -> bool:
        """Whether a run cannot be followed; then why is said."""
        if card is None or not card.is_out_of_reach:
            return False
        self._hints.say("It lives in another program, and has no process of its own. Enter shows what it has told.")
        return True

    # -- stopping -----------------------------------------------------------------------------------------------------

    def action_interrupt(self) -> None:
        """Interrupt the highlighted run."""
        if (card := self._meant()) is not None:
            self.interrupt(card)

    def interrupt(self, card: RunCard) -> None:
        """Interrupt a run, if it does something."""
        if card.can_be_interrupted:
            self._stopping.interrupt([card])

    def action_interrupt_all(self) -> None:
        """Interrupt all runs that are at work, once somebody has agreed."""
        if self._at_work():
            self._stopping.ask_to_interrupt(self._at_work, self._tell_that_all_are)
        else:
            self._hints.say("No run is at work.")

    def _tell_that_all_are(self) -> None:
        self._is_said = True

    def _at_work(self) -> list[RunCard]:
        return [card for card in self.gathering.cards(self._clock()) if card.can_be_interrupted]

    def action_end_run(self) -> None:
        """End the highlighted run, once somebody has agreed."""
        if (card := self._meant()) is None:
            return
        if (run := self._board.runs.get(card.run_id)) is not None:
            self.post_message(self.EndRequested(run))
            return
        self._stopping.ask_to_end(card)

    # -- marking and labels -------------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the highlighted run to stand beside others, or not."""
        if (card := self._meant()) is None:
            return
        marked = self.rows.marked
        if self._refuses(card):
            return
        if card.key in marked:
            marked.remove(card.key)
        elif len(marked) == MOST:
            self._hints.say(f"At most {MOST} runs can stand side by side.", is_error=True)
            return
        else:
            marked.append(card.key)
        key = key_names(self).get("board.side_by_side", "")
        self._hints.say(f"{_runs(len(marked))} marked. {key} shows them side by side" if len(marked) >= FEWEST else "")
        self.rows.refresh()
        self.rows.move(1)
        self.refresh_bindings()

    def action_side_by_side(self) -> None:
        """Show the marked runs side by side."""
        by_key = {card.key: card for card in self.gathering.cards(self._clock())}
        cards = [by_key[key] for key in self.rows.marked if key in by_key]
        if len(cards) >= FEWEST:
            self.post_message(self.SideBySideRequested(cards))

    def action_name(self) -> None:
        """Ask what the highlighted run is to be called."""
        if (card := self._meant()) is not None:
            self._label(labelling.ask_name(self.app, card, self._board.runs.get(card.run_id), self.gathering))

    def action_tag(self) -> None:
        """Ask for the tags of the highlighted run."""
        if (card := self._meant()) is not None and not card.machine:
            self._label(labelling.ask_tags(self.app, card, self.gathering))

    @work(exclusive=True, group="ask", exit_on_error=False)
    async def _label(self, asking: Coroutine[Any, Any, None]) -> None:
        try:
            await asking
            self.draw()
        except MaverickError as error:
            self._hints.say(one_line(str(error)), is_error=True)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"
