"""Answering: what a person says to a run's questions: by key, by click, in words, or with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from maverick_tui.fuse_amounts import TAKES, amount_in
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact_data
from maverick_tui.runs.own_questions import is_own
from maverick_tui.ui.cut_text import EditedText
from maverick_tui.ui.open_questions import ARMED_AFTER, SCOPES, OpenQuestions, by_scope, is_wanted_twice
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.wanted_twice import AGAIN_WITHIN, WantedTwice
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.runs.board import Answer, RunModel
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.rule_trial import RuleTrial
    from maverick_tui.ui.transcript.view import Transcript
    from maverick_tui.ui.widgets.prompt import Prompt

ANSWERS = ("allow_once", "allow_always", "edit_call", "deny", "deny_reason", *SCOPES)
"""Actions that a question is answered by."""
_LONGEST_GRANT = 80


class Begun(NamedTuple):
    """What somebody had begun to type when a question came to it."""

    request: str = ""
    text: str = ""
    goes_on: bool = False
    """Whether it was still being written in an editor, where nobody sees a question."""
    times_emptied: int = 0
    """How often the prompt had been emptied by then: these words are gone once it was again."""


class Answering:
    """Answers only what has been on the screen for long enough to be meant.

    A reason to deny is typed in the prompt: what stands there waits until it is given.
    """

    def __init__(
        self,
        run: RunModel,
        transcript: Transcript,
        prompt: Prompt,
        clock: Callable[[], float],
        store: RunStore | None = None,
    ) -> None:
        """Answer the questions of a run that are shown in a transcript; its store, if that is not the run's."""
        self._store = run.store if store is None else store
        self.questions = OpenQuestions(self._store, clock, run.choices, transcript.when_drawn)
        self.keys: Mapping[str, str] = {}
        """What keys are called, by the ids of their bindings."""
        self._clock = clock
        self.run = run
        self._transcript = transcript
        self._prompt = prompt
        self._reason_for = ""
        """The question that is to be denied with the reason that stands in the prompt."""
        self._aside = ""
        """What stood in the prompt before a reason was asked for."""
        self._unsaid: dict[str, str] = {}
        """The words of reasons that were begun and left, by their questions."""
        self._too_soon_at = 0.0
        """When a key that allows was pressed and did not count yet: one that is held down comes again and again."""
        self._moved_at = 0.0
        """When one of several questions was answered: the options of the next come to where its own were."""
        self._twice = WantedTwice(clock, prompt, at_once=True)
        self._sent_twice = WantedTwice(clock, prompt, at_once=False)
        self._begun = Begun()
        self._came_behind = ""
        """The question that became the first while another screen was before it, until it is seen without that."""

    @property
    def actions(self) -> dict[str, Callable[..., None]]:
        """What can be done about a question, by the names of the actions that keys and clicks are bound to."""
        return {
            "choose": self.choose,
            "allow_once": self.allow_once,
            "allow_always": self.allow_always,
            "edit_call": self.edit_call,
            "deny": self.deny,
            "deny_reason": self.ask_reason,
            **{scope: partial(self.allow, scope) for scope in SCOPES},
        }

    def is_possible(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether a key that answers acts now; else it is the prompt's."""
        edited: object = self._prompt.screen.focused if self._prompt.is_attached and not parameters else None
        if isinstance(edited, EditedText):
            if action == "deny" and edited.selected_text:
                return False  # its key cuts
            if action == "allow_once" and edited.is_redoing:
                return False  # its key redoes
        return self.questions.first is not None

    def tell_brought_back(self) -> None:
        """What was cut stands in the prompt again; somebody may have wanted to allow a call by that key."""
        if self.questions.first is not None:
            key = self.keys["approval.allow_once"]
            self._tell(f"{key} brought back what you had cut. In a moment it allows the call again.", 3)

    # -- the prompt ---------------------------------------------------------------------------------------------------

    @property
    def draft(self) -> str:
        """Everything that was typed and not sent."""
        return "\n".join(filter(None, (self._aside, self._prompt.whole_text)))

    @property
    def draft_alone(self) -> str:
        """The same without the words of a reason, for as long as they can be one; what was typed for a question, as a
        prompt: the question may be gone when it comes back.
        """
        if self.asks_reason and not self.has_lost_question:
            return self._aside
        is_for_question = self.asks_reason or self._is_answer(self._prompt.whole_text)
        return still_prompt(self.draft) if is_for_question else self.draft

    @property
    def reasons(self) -> dict[str, str]:
        """What was begun as a reason, by the question that it is for."""
        begun = self._unsaid | ({self._reason_for: self._prompt.whole_text} if self.asks_reason else {})
        return {
            request: words for request, words in begun.items() if request in self._store.questions and words.strip()
        }

    def bring_back(self, reasons: Mapping[str, str]) -> list[str]:
        """Have reasons come back with their questions' keys; the words of those whose question is gone are returned."""
        is_read = bool(self._store.entries)
        gone = {request for request in reasons if is_read and request not in self._store.questions}
        self._unsaid = {request: words for request, words in reasons.items() if request not in gone} | self._unsaid
        return [words for request, words in reasons.items() if request in gone]

    def draft_is_back(self) -> None:
        """What was typed in a window that is gone stands in the prompt; of several questions it may be for a later one.

        What was answered there went with it, unless that was in this window.
        """
        question, choice = self.questions.in_words, self.questions.choice
        if question is not None and choice is not None and len(choice.parts) > 1 and not choice.at:
            text = self._prompt.whole_text.strip()
            self._begun = Begun(question.request, text, times_emptied=self._prompt.times_emptied)

    @property
    def asks_reason(self) -> bool:
        """Whether what is typed is a reason."""
        return bool(self._reason_for)

    @property
    def has_lost_question(self) -> bool:
        """Whether the question is gone that a reason is typed for."""
        return self.asks_reason and self._reason_for not in self._store.questions

    @property
    def wants_words(self) -> bool:
        """Whether what is typed is for a question, and so never a command."""
        return self.asks_reason or self.questions.in_words is not None

    def leave_reason(self) -> None:
        """Back to the draft alone: the words of a reason are no part of it. They come back with the question's key."""
        if not self.has_lost_question:
            self._unsaid[self._reason_for] = self._prompt.take()
        self._bring_draft_back()

    def drop_lost_reason(self) -> None:
        """Ask for no reason any more if the question is gone, and nothing was typed for it. Not when the text changes:
        Enter empties the prompt before anybody hears what was sent.
        """
        if self.has_lost_question and not self._prompt.text:
            self._bring_draft_back()

    def _bring_draft_back(self) -> None:
        """No reason is asked for any more; what was put aside stands above what has been typed since."""
        self._reason_for = ""
        if self._aside:
            draft, self._aside = self.draft, ""
            self._prompt.set_text(draft)
            self._begun = self._begun._replace(times_emptied=self._prompt.times_emptied)  # a reason was, if anything

    def take(self, text: str) -> bool:
        """Take what was sent, if it is meant for a question; whether it is. What is not accepted is typed again."""
        question = self.questions.in_words
        if self.asks_reason:
            asked = self._store.questions.get(self._reason_for)
            is_accepted = self._answer(asked, "deny", reason=text.strip())
            text = text if asked is not None else still_prompt(text)
        elif question is not None and (text.strip() or self._has_marked):
            is_accepted = self._say(question, text.strip())
        elif self._has_lost_answer(text):
            text, is_accepted = still_prompt(text), False
            self._tell("This question is gone: nothing was sent.", 4)
        else:
            return False
        if not is_accepted:
            self._prompt.put_before(text)
        if self.asks_reason:
            self._bring_draft_back()
        return True

    def _has_lost_answer(self, text: str) -> bool:
        """Whether it was typed for a question in words that is gone."""
        choice = self.questions.choice
        return self._is_answer(text) and choice is not None and choice.request not in self._store.questions

    def _is_answer(self, text: str) -> bool:
        """Whether it was typed, at least in part, for a question in words: then it is no command."""
        choice = self.questions.choice
        is_asked = choice is not None and not choice.is_complete
        return is_asked and bool(text.strip()) and text.strip() != self._begun.text

    # -- answers ------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Questions may have come or gone."""
        before, first = self.questions.choice, self.questions.first
        if self._has_lost_answer(text := self._prompt.text) and (kept := still_prompt(text)) != text:
            self._prompt.set_text(kept)
        if self.questions.look():
            self._came_behind = first.request if first is not None and self._is_behind else ""
            if self._came_behind:
                self._transcript.watch(self._transcript.screen, "stack_updates", self._screens_changed, init=False)
        if self.questions.choice is not before:
            self._transcript.set_choice(self.questions.choice)
            if (question := self.questions.in_words) is not None:
                text, times = self._prompt.whole_text.strip(), self._prompt.times_emptied
                self._begun = Begun(question.request, text, self._prompt.is_edited_outside, times)

    def _screens_changed(self) -> None:
        if self._came_behind and not self._is_behind:
            self._see_anew()

    def _see_anew(self) -> None:
        """Let nothing allow what came behind another screen before somebody can have read it without that.

        What comes of that screen itself, as a command of the palette does, is older than the question.
        """
        if not self._is_behind:
            self._came_behind = ""
        self.questions.see_anew()

    def look_anew(self) -> None:
        """Another question stood in the place of this one: a key that was meant for that one may be on its way."""
        self.questions.forget_first()
        self.look()

    def choose(self, entry: int, option: int) -> None:
        """Choose an option of what the agent asks."""
        question, choice = self.questions.about(entry), self.questions.choice
        if question is None or choice is None or choice.request != question.request or choice.is_complete:
            return
        if option < len(choice.parts[choice.at].options) and self._is_armed(question, is_hit=entry > 0):
            part = choice.at
            choice.choose(option)
            self._go_on(question, choice, part)
            self._focus_prompt()  # Enter sends what is marked

    def allow_once(self, entry: int = 0) -> None:
        """Allow the call that waits; with the number of an entry, that one."""
        question = self.questions.about(entry)
        if question is not None and question.tool == "AskUserQuestion":
            self._tell("It wants an answer: choose an option, or type one.", 3)
        else:
            self._answer(question, "once", is_hit=entry > 0)

    def allow(self, scope: str, entry: int = 0) -> None:
        """Allow the call that waits, and what the scope takes in, for the run.

        Keys that allow more than the very call are to be pressed twice: many a terminal sends the same for Escape and a
        letter, and so somebody may have wanted to interrupt, and to type.
        """
        question = self.questions.about(entry)
        if question is None or not self._is_armed(question, is_hit=entry > 0):
            return
        if (grant := by_scope(question.grants).get(scope)) is None:
            self._tell("This question does not offer that.", 3)
        elif entry or not is_wanted_twice(scope, question.tool):
            self._twice.forget()
            self.run.answer(question.request, "run", grant=grant)
        elif self._twice.press((question.request, scope), partial(self._allow_for_run, question, grant)) == "first":
            allowed = cut(one_line(question.grants[grant]), _LONGEST_GRANT)
            self._tell(f"Press {self.keys[f'approval.{scope}']} again to allow for this run: {allowed}", AGAIN_WITHIN)

    def _allow_for_run(self, question: PermissionAsked, grant: int) -> None:
        self._prompt.app.clear_notifications()  # it has been pressed again
        if self._is_still_open(question):
            self.run.answer(question.request, "run", grant=grant)

    def allow_always(self, entry: int = 0) -> None:
        """Ask which rule is to allow such calls for good, and allow this one with it."""
        question = self.questions.about(entry)
        if question is None or not self._is_armed(question, is_hit=entry > 0):
            return
        has_secret = redact_data(question.arguments) != question.arguments
        if not question.rules:
            other = "it asks each time, a rule of yours has it ask, or another agent asks than the run's"
            why = "there is a secret in it" if has_secret else other
            self._tell(f"No rule can allow this: {why}.", 3)
            return
        from maverick_tui.ui.dialogs.always import AlwaysScreen, RuleWanted

        def write(wanted: RuleWanted | None) -> None:
            if wanted is not None and self._is_still_open(question):
                self.run.allow_always(question.request, wanted.rule, is_for_agent=wanted.is_for_agent)

        loaded = self.run.store.loaded
        agent = question.rules_agent or (loaded.agent if loaded is not None else self.run.agent)
        note = "This very call is not offered as a rule: there is a secret in it." if has_secret else ""
        screen = AlwaysScreen(question.rules, question.rules_file, agent, self._trial(), note)
        _ = self._prompt.app.push_screen(screen, write)

    def _trial(self) -> RuleTrial | None:
        """How a rule is tried out; the calls of a run on another machine are kept there."""
        loaded = self.run.store.loaded
        if loaded is None or self.run.machine:
            return None
        from maverick_tui.ui.rule_trial import RuleTrial

        return RuleTrial(loaded.cwd)

    def edit_call(self, entry: int = 0) -> None:
        """Let the person change what is called, and allow that once."""
        question = self.questions.about(entry)
        if question is None or not self._is_armed(question, is_hit=entry > 0):
            return
        if question.tool in ("AskUserQuestion", "ExitPlanMode"):
            self._tell("There is nothing in it to be changed.", 3)
            return
        from maverick_tui.ui.dialogs.edit_call import EditCallScreen

        def run(arguments: dict[str, Any] | None) -> None:
            if arguments is not None and self._is_still_open(question):
                self.run.allow_edited(question.request, arguments)

        dialog = EditCallScreen(question.tool, question.arguments, lambda: question.request in self._store.questions)
        _ = self._prompt.app.push_screen(dialog, run)

    def _is_still_open(self, question: PermissionAsked) -> bool:
        """Whether nobody has answered it meanwhile."""
        is_open = question.request in self._store.questions
        if not is_open:
            self._tell("The question was answered meanwhile, or withdrawn: nothing was done.", 4)
        return is_open

    def deny(self, entry: int = 0) -> None:
        """Deny the call that waits."""
        self._answer(self.questions.about(entry), "deny", is_hit=entry > 0)

    def ask_reason(self, entry: int = 0) -> None:
        """Ask for a reason to deny; what stands in the prompt was meant for something else, and waits."""
        question = self.questions.about(entry)
        if question is None or not self._is_armed(question, denies=True, is_hit=entry > 0):
            return
        if self.asks_reason and self._reason_for != question.request:
            self.leave_reason()  # its words are for another question
        if not self.asks_reason:
            self._begun = self._begun if self._is_begun else Begun()
            self._aside = self._prompt.take()
            self._prompt.set_text(self._unsaid.pop(question.request, ""))
        self._reason_for = question.request
        self._focus_prompt()

    def _answer(
        self, question: PermissionAsked | None, decision: Answer, *, reason: str = "", is_hit: bool = False
    ) -> bool:
        """Answer a question; whether there is one, and it has been seen for long enough to be meant."""
        if question is None or not self._is_armed(question, denies=decision == "deny", is_hit=is_hit):
            return False
        self._twice.forget()  # a click may come between the two
        self.run.answer(question.request, decision, reason)
        return True

    def _is_armed(self, question: PermissionAsked, *, denies: bool = False, is_hit: bool = False) -> bool:
        """Whether it has been on the screen: for a yes all of it, for a no that which tells what it is about; and where
        it is, if a click has hit it.
        """
        if self._came_behind == question.request and not denies:
            self._see_anew()
        seen = self._transcript.questions_seen
        since = seen.head_since(question) if denies else seen.whole_since(question)
        if since is None:
            self._show(question)
            self._tell(f"You have not seen all of this question: {self.keys['run.page_down']} shows more.", 3)
            return False
        # Whoever answers the agent in words may read elsewhere meanwhile; a fuse is no question of the agent's.
        is_answered_in_words = question.tool == "AskUserQuestion" and not is_own(question.call)
        if not (denies or is_hit or is_answered_in_words or self._transcript.shows(question)):
            self._show(question)  # what stands there instead may look like a question, and be the agent's words
            self._too_soon_at = self._clock()
            self._tell("This is the question that the key would answer: it was not on the screen.", 3)
            return False
        if inf in (since, self.questions.first_since(question, denies=denies)):
            self._tell("The terminal is still drawing this question.", 2)
            return False
        if is_hit:
            since = max(since, seen.still_since(question), self._moved_at)
        else:
            since = max(since, self._too_soon_at, getattr(self._prompt.app, "went_elsewhere_at", 0.0))
        if self.questions.is_armed(question, since, denies=denies):
            return True
        if is_hit:
            self._tell("This question is new or has just moved: click again.", 2)
        else:
            self._too_soon_at = self._too_soon_at if denies else self._clock()
            self._tell(f"This question is new: its keys act once none was pressed for {ARMED_AFTER} s.", 2)
        return False

    def _show(self, question: PermissionAsked) -> None:
        if (call := self._store.calls.get(question.call)) is not None:
            self._transcript.show_question(call.number)

    @property
    def _is_behind(self) -> bool:
        return self._transcript.is_attached and not self._transcript.screen.is_active

    @property
    def _has_marked(self) -> bool:
        return self.questions.choice is not None and bool(self.questions.choice.marked)

    def _say(self, question: PermissionAsked, text: str) -> bool:
        """Answer in words what the agent asks; whether they were taken."""
        choice = self.questions.choice
        if choice is None or not self._is_armed(question):
            return False
        if is_own(question.call) and not _is_for_fuse(choice, text):
            self._tell(f"Nothing was answered: {TAKES}", 5)
            return False
        if why := self._doubt(question, choice, text):
            said = (question.request, choice.at, text)
            if self._sent_twice.press(said, partial(self._say_again, question, choice, choice.at, text)) == "first":
                self._tell(why, 4)
            return False
        self._take_words(question, choice, text)
        return True

    def _say_again(self, question: PermissionAsked, choice: Choice, part: int, text: str) -> None:
        """Answer with words that stand in the prompt still: they were doubted, and are meant for this part of it."""
        is_open = self.questions.choice is choice and choice.at == part and not choice.is_complete
        if is_open and self._prompt.whole_text.strip() == text:
            _ = self._prompt.take()
            self._take_words(question, choice, text)

    def _take_words(self, question: PermissionAsked, choice: Choice, text: str) -> None:
        part, self._begun = choice.at, Begun()
        choice.say(text)
        self._go_on(question, choice, part)

    def _doubt(self, question: PermissionAsked, choice: Choice, text: str) -> str:
        """Why words may be meant for something else than this question; empty if they are not."""
        begun = self._prompt.from_editor.strip() if self._begun.goes_on else self._begun.text
        if begun and self._is_begun and self._begun.request == question.request and text.startswith(begun):
            return "You started typing this before the question was shown here. Send it again to answer with it."
        if number := choice.no_option(text):
            return f"There is no option {cut(number, 12)}. Send it again, and it counts as your own words."
        return ""

    @property
    def _is_begun(self) -> bool:
        """Whether what was begun before a question can stand in the prompt still."""
        return self._begun.times_emptied == self._prompt.times_emptied

    def _go_on(self, question: PermissionAsked, choice: Choice, part: int) -> None:
        """Send the answers once all parts have one; the last that was looked at is `part`."""
        if choice.is_complete:
            self.run.answer(question.request, "once", answers=choice.answers)
        else:
            self._moved_at = self._moved_at if choice.at == part else self._clock()
            self._transcript.set_choice(choice)

    def _focus_prompt(self) -> None:
        self._prompt.screen.set_focus(self._prompt)

    def _tell(self, text: str, seconds: float) -> None:
        self._prompt.notify(text, timeout=seconds, markup=False)


def _is_for_fuse(choice: Choice, text: str) -> bool:
    """Whether a fuse can do something with an answer: all else would look like one, and be asked about again."""
    labels = [label for label, _ in choice.parts[choice.at].options]
    return text in labels or amount_in(text) is not None
