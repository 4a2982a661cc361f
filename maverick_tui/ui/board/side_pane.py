"""SidePane: one of the runs side by side, whose questions are answered there by the keys of its own screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from maverick_tui.ui.question_words import LEFT, QuestionWords, Said
from maverick_tui.ui.run.answering import ANSWERS, Answering
from maverick_tui.ui.run.prompting import hint_for
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.ui.board.looking_on import LookingOn

CHANGES_QUESTIONS = ("permission_asked", "permission_settled", "tool_finished", "turn_ended", "run_ended")
_ANSWERED_BY = [f"approval.{action}" for action in ANSWERS]
"""The names of the keys that answer questions."""


class SidePane(Vertical):
    """A run that is looked at, and below it a prompt while its question wants words."""

    def __init__(self, shown: LookingOn, words: QuestionWords, clock: Callable[[], float]) -> None:
        """`words` has what is typed for any run."""
        super().__init__()
        self.shown = shown
        self._words = words
        self.prompt = Prompt()
        self.prompt.display = False
        self.answering = Answering(shown.run, shown.transcript, self.prompt, clock)
        self._keys: Mapping[str, str] = {}
        shown.transcript.on_answer = self.act

    def compose(self) -> ComposeResult:
        """The run, and where words are typed."""
        yield self.shown
        yield self.prompt

    def on_mount(self) -> None:
        """Bring back what was typed here before."""
        said = self._words.about(self.shown.run, "")
        gone = self.answering.bring_back(said.reasons)
        if text := "\n".join(filter(None, (said.text, *gone))):
            self.prompt.set_text(text)

    @on(Prompt.Changed)
    def note_words(self) -> None:
        """Keep what is typed, in case that nobody gets to send it."""
        self._words.note(self.shown.run, "", Said(self.answering.draft_alone, self.answering.reasons))

    @property
    def is_current(self) -> bool:
        """Whether keys act on it."""
        # Not `has_focus`, which the widget itself has to hear of first: the next key may be there before that.
        return self.screen.focused in (self.shown.transcript, self.prompt)

    def show_keys(self, keys: Mapping[str, str]) -> None:
        """Say whether this is the one that keys act on, and in its question which ones do."""
        self._keys = self.answering.keys = keys
        self.shown.set_current(self.is_current)
        # As wide as the keys: a press makes a run the current one, and its rows must not wrap anew before the release.
        none = {name: "•".ljust(cell_len(keys.get(name, ""))) for name in _ANSWERED_BY}
        self.shown.transcript.set_keys(keys if self.is_current else {**keys, **none})
        self.look()

    def event_applied(self, event: Event) -> None:
        """The run has told something."""
        self.shown.event_applied(event)
        if event.type in CHANGES_QUESTIONS:
            self.look()

    def look(self) -> None:
        """Questions may have come or gone; the prompt is there while words are wanted, or some are left."""
        self.answering.look()
        self.answering.drop_lost_reason()
        wants, had_focus = self.answering.wants_words, self.prompt.has_focus
        self.prompt.display = wants or (had_focus and bool(self.prompt.text))
        if self._keys:
            hint = hint_for("reason" if self.answering.asks_reason else "answer", self._keys)
            keys = hint.keys.partition("   ")[0] if wants else "this question is gone"
            self.prompt.border_subtitle = Content(f"{keys}   {self._keys.get('side.back', 'Esc')} back")
            self.prompt.placeholder = hint.placeholder
        if had_focus and not self.prompt.display:
            self.screen.set_focus(self.shown.transcript)
        self.screen.refresh_bindings()

    def on_mouse_down(self) -> None:
        """Whoever clicks on a run means that run: a click on its question must never answer another one's."""
        if not self.is_current:
            self.screen.set_focus(self.shown.transcript)

    def act(self, name: str, *where: int) -> None:
        """Do what a key or a click says to its question."""
        self.answering.actions[name](*where)
        self.look()
        if self.answering.asks_reason:
            self.screen.set_focus(self.prompt)

    def type(self, character: str) -> bool:
        """Take a key as the beginning of an answer; whether words are wanted."""
        if not self.answering.wants_words:
            return False
        self.screen.set_focus(self.prompt)
        self.prompt.replace(character, *self.prompt.selection, maintain_selection_offset=False)
        return True

    def leave_words(self) -> bool:
        """Back from the prompt, which keeps what was typed as long as its question is there; whether one was there."""
        if not self.prompt.has_focus:
            return False
        if self.answering.asks_reason:
            self.answering.leave_reason()
        if not self.answering.wants_words and self.prompt.text:
            self._words.leave(self.shown.run, "", self.prompt.take())
            self.notify(LEFT, timeout=6, markup=False)
        self.screen.set_focus(self.shown.transcript)
        self.look()
        return True

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.text.strip() and not self.answering.take(event.text):
            self.prompt.put_before(event.text)
            self.notify("This question is gone: nothing was sent.", timeout=4, markup=False)
        self.look()
