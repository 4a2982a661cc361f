"""QuestionPane: one open question of a run in full, on any screen, answered by the same rules as on the run's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.keys import key_names, names_elsewhere
from maverick_tui.ui.question_words import LEFT, QuestionWords, Said
from maverick_tui.ui.run.answering import ANSWERS, Answering
from maverick_tui.ui.run.keys import RUN_KEYS
from maverick_tui.ui.run.prompting import Hint, hint_for
from maverick_tui.ui.short_names import short_path
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.entries import ToolEntry
    from maverick_tui.ui.rendering.palette import Palette

_DECISIONS = {"once": "allowed", "run": "allowed for the run", "deny": "denied"}
GONE = "withdrawn: nobody waits for an answer any more"


class QuestionPane(Vertical):
    """Shows a question as the transcript does, by a store that knows nothing else: so all rules are the same.

    A screen that has one binds `QUESTION_KEYS`, has `serve_keys` called once, asks `is_possible` in its `check_action`
    and calls `look` when the events of runs may have changed which questions are open. Nothing here takes the focus by
    itself: the prompt is there when words are wanted, and has the focus once somebody wants to type them.
    """

    class Settled(Message):
        """The question that was shown is open no longer; `words` tell what became of it if that was not done here."""

        def __init__(self, run: RunModel, words: str) -> None:
            super().__init__()
            self.run = run
            self.words = words

    def __init__(
        self,
        *,
        palette: Callable[[], Palette],
        go_home: Callable[[], None],
        words: QuestionWords,
        clock: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        """`go_home` gives the focus to what has it while nobody types; `words` has what they have typed."""
        super().__init__(id=id)
        self.run: RunModel | None = None
        self.question: PermissionAsked | None = None
        """What is shown, also after it was answered, until something else is."""
        self.answering: Answering | None = None
        self._store = RunStore()
        self._shown = 0
        self._clock = clock
        self._go_home = go_home
        self._keys: Mapping[str, str] = {}
        self._words = words
        self._answerings: dict[tuple[str, str], Answering] = {}
        """What was begun for each question: a reason that was left comes back with it."""
        self._head = Static("", classes="question--head", markup=False)
        self._make_palette = palette
        self._palette: Palette | None = None
        self.transcript = Transcript(self._store, palette=self._palette_now, moved=lambda *_: None, clock=clock)
        self.transcript.on_answer = self._act
        self.prompt = Prompt()
        self.prompt.display = False

    def compose(self) -> ComposeResult:
        """Whose question it is, all of it, and where words are typed."""
        yield self._head
        yield self.transcript
        yield self.prompt

    def serve_keys(self, screen: Screen[Any]) -> None:
        """Have the screen's keys answer: Textual looks for their actions there."""
        for name in ANSWERS:
            setattr(screen, f"action_{name}", partial(self._act, name))
        setattr(screen, "action_page", self.transcript.action_pages)  # noqa: B010 - as the others

    def keys_changed(self) -> None:
        """The keys may be others: say so wherever they are named."""
        own = key_names(self.app, self.prompt, self.transcript, self.screen)
        self._keys = names_elsewhere(self.app, RUN_KEYS) | own  # where the screen has none, those of the run are named
        for answering in self._answerings.values():
            answering.keys = self._keys
        self.transcript.set_keys(self._keys)
        self._show_words()

    # -- what is shown ------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether what is shown still waits for an answer."""
        return self.question is not None and self.question.request in self._store.questions

    @property
    def is_typing(self) -> bool:
        """Whether somebody types for the question: what they see must not become another one under their fingers."""
        return self.prompt.display and self.prompt.has_focus and bool(self.prompt.text or self._asks_reason)

    @property
    def takes_words(self) -> bool:
        """Whether characters that are typed anywhere on the screen are for the question."""
        return self.is_open and self.answering is not None and self.answering.wants_words

    @property
    def _asks_reason(self) -> bool:
        return self.answering is not None and self.answering.asks_reason

    def show(self, run: RunModel | None, request: str = "") -> None:
        """Show that question of a run, or its first one; without any, nothing."""
        open_now = {} if run is None else run.store.questions
        question = open_now.get(request) or next(iter(open_now.values()), None)
        if run is self.run and question == self.question:
            return
        had_focus = self.prompt.has_focus
        self._keep_draft()
        self.run, self.question, self._shown = run, question, self._shown + 1
        self._store.become(_store_about(run, question, self._shown))
        self.answering = self._answering_of(run) if run is not None and question is not None else None
        self.transcript.set_choice(None)
        self.transcript.read_anew()
        if self.answering is not None and question is not None:
            self.answering.look_anew()
            self.transcript.set_choice(self.answering.questions.choice)
            said = self._words.about(run, question.request) if run is not None else Said()
            self.answering.bring_back(said.reasons)
            if said.text:
                self.prompt.set_text(said.text)
        self._show_head()
        self._show_words()
        if had_focus:
            self._go_home()
        self.screen.refresh_bindings()

    def look(self) -> None:
        """Questions may have come or gone."""
        run, question = self.run, self.question
        if run is None or question is None or not self.is_open or question.request in run.store.questions:
            return
        self.note_words()
        self._answerings.pop(self._key, None)
        entry = run.store.calls.get(question.call)
        became, said = _what_became(entry), self._words.about(run, question.request)
        if not self.is_typing:  # else it stands in the prompt still
            self._words.leave(run, question.request, said.whole if became else "")
        self._store.apply(_settled(question, entry, self._clock()))
        self.transcript.wake(at_once=True)
        if self.answering is not None:
            self.answering.look()
        self._show_words()
        self.screen.refresh_bindings()
        self.post_message(self.Settled(run, became))

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        self._palette = None
        self.transcript.restyle()

    def _palette_now(self) -> Palette:
        """Its colours, made once: each question is drawn anew, and that takes as long as all else about it."""
        if self._palette is None:
            self._palette = self._make_palette()
        return self._palette

    @property
    def _key(self) -> tuple[str, str]:
        """By which what is shown is known again: two runs may call their questions alike."""
        run, question = self.run, self.question
        return (run.run_id, question.request) if run is not None and question is not None else ("", "")

    def _answering_of(self, run: RunModel) -> Answering:
        known = self._answerings.get(self._key)
        if known is None or known.run is not run:  # a guest that was left and has come again is followed anew
            known = self._answerings[self._key] = Answering(run, self.transcript, self.prompt, self._clock, self._store)
            known.keys = self._keys
        return known

    def _show_head(self) -> None:
        run = self.run
        if run is None or self.question is None:
            self._head.update("")
            return
        folder = short_path(run.store.loaded.cwd) if run.store.loaded is not None else ""
        machine = f"on {one_line(run.machine)}" if run.machine else ""
        agent = one_line(run.agent) if run.title != run.agent else ""
        about = "   ".join(filter(None, (agent, folder, machine, one_line(run.store.first_prompt))))
        self._head.update(Content.assemble((one_line(run.title), "bold"), (f"   {about}" if about else "", "dim")))

    # -- words --------------------------------------------------------------------------------------------------------

    def _show_words(self) -> None:
        """Show the prompt while words are wanted, and say what its keys do."""
        if not self._keys:
            return
        answering, typed = self.answering, bool(self.prompt.text)
        is_wanted = answering is not None and self.is_open and answering.wants_words
        self.prompt.display = is_wanted or (typed and self.prompt.has_focus)
        if is_wanted and answering is not None:
            hint = hint_for("reason" if answering.asks_reason else "answer", self._keys)
        else:
            hint = Hint("this question is gone")
        back = f"{self._keys.get('inbox.leave', 'Esc')} back to the list"
        keys = f"{hint.keys.partition('   ')[0]}   {back}"
        self.prompt.border_subtitle = Content(keys)
        self.prompt.placeholder = hint.placeholder

    def type(self, character: str) -> bool:
        """Take a key that was pressed elsewhere as the beginning of an answer; whether words are wanted."""
        if not self.takes_words:
            return False
        self.screen.set_focus(self.prompt)
        self.prompt.replace(character, *self.prompt.selection, maintain_selection_offset=False)
        return True

    def leave_words(self) -> bool:
        """Back from the prompt, which keeps what was typed for when one comes back; whether one was there."""
        if not self.prompt.has_focus:
            return False
        if self.answering is not None and self.answering.asks_reason:
            self.answering.leave_reason()
        if not self.is_open and self.prompt.text:
            self._leave_to_run()
        self._go_home()
        self._show_words()
        return True

    def _keep_draft(self) -> None:
        """What was typed waits with its question; a reason waits with whoever answers it."""
        if self.answering is not None and self.answering.asks_reason:
            self.answering.leave_reason()
        if self.is_open:
            self.note_words()
            self.prompt.take()
        elif self.prompt.text:
            self._leave_to_run()

    def _leave_to_run(self) -> None:
        """What was typed for a question that is gone is for its run, whatever that makes of it."""
        assert self.run is not None
        assert self.question is not None
        self._words.leave(self.run, self.question.request, self.prompt.take())
        self.notify(LEFT, timeout=6, markup=False)

    @on(Prompt.Changed)
    def note_words(self) -> None:
        """Keep what is typed, in case that nobody gets to send it."""
        answering, run, question = self.answering, self.run, self.question
        if answering is None or run is None or question is None or not (self.is_open or self.prompt.text):
            return
        self._words.note(run, question.request, Said(answering.draft_alone, answering.reasons))

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        if self.answering is None or not self.is_open:
            self.prompt.put_before(event.text)
            self.notify("This question is gone: nothing was sent.", timeout=4, markup=False)
        elif self.answering.take(event.text) and not self.prompt.text and not self._is_half_answered:
            self._go_home()
        self._show_words()

    @property
    def _is_half_answered(self) -> bool:
        """Whether it is one of the agent's own with parts that are still to be answered."""
        choice = self.answering.questions.choice if self.answering is not None else None
        return choice is not None and not choice.is_complete

    # -- answers ------------------------------------------------------------------------------------------------------

    def is_possible(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether an action of the screen, which answers, can do something now; all others can."""
        if action not in ANSWERS:
            return True
        return self.answering is not None and self.is_open and self.answering.is_possible(action, parameters)

    def _act(self, name: str, *where: int) -> None:
        if self.answering is None or not self.is_open:
            return
        self.answering.actions[name](*where)
        self._show_words()
        if self._asks_reason:
            self.screen.set_focus(self.prompt)


def _store_about(run: RunModel | None, question: PermissionAsked | None, number: int) -> RunStore:
    """A store that knows this question and nothing else; its entry has a number of its own, for it is another one."""
    store = RunStore(number)
    if run is None or question is None:
        return store
    from maverick_tui.events.kinds import ToolCalled

    store.loaded, store.reader = run.store.loaded, run.store.reader
    if (call := run.store.calls.get(question.call)) is not None:  # it may say more: a plan is not in its question
        store.apply(ToolCalled(question.at, question.call, question.tool, call.arguments))
    store.apply(question)
    return store


def _settled(question: PermissionAsked, entry: ToolEntry | None, at: float) -> Any:
    """What the run has told of it, as its own store knows that."""
    from maverick_tui.events.kinds import PermissionSettled

    decision: Any = entry.decision if entry is not None and entry.decision else "withdrawn"
    reason, by = (entry.reason, entry.answered_by) if entry is not None else ("", "")
    return PermissionSettled(at, question.request, question.call, decision, reason, by=by)


def _what_became(entry: ToolEntry | None) -> str:
    """What became of a question, if that was not done here."""
    if entry is None or entry.decision not in _DECISIONS:
        return GONE
    by = one_line(entry.answered_by) or (f"the rule {one_line(entry.by_rule)}" if entry.by_rule else "")
    return f"{_DECISIONS[entry.decision]} by {by}" if by else ""
