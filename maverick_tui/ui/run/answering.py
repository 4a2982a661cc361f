"""AnsweringScreen: what a person says to a run: prompts, and answers to its questions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from textual import on

from maverick_tui.ui.lines.wrapping import cut
from maverick_tui.ui.open_questions import ARMED_AFTER, by_scope
from maverick_tui.ui.run.run_view import RunView
from maverick_tui.ui.run.slash_commands import COMMANDS, TAKE_WORDS, SlashCommands
from maverick_tui.ui.widgets.command_menu import CommandChoice
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.runs.events import PermissionAsked
    from maverick_tui.ui.board import Answer
    from maverick_tui.ui.widgets.command_menu import CommandMenu


class AnsweringScreen(RunView):
    """Takes what stands in the prompt for what it is meant to be, and answers questions by key."""

    _doubted: tuple[str, int, str] | None = None
    """An answer with the number of no option, to which part of which question: it is taken if it is sent again."""

    _command_menu: CommandMenu | None = None

    @cached_property
    def _choice(self) -> CommandChoice:
        return CommandChoice(COMMANDS, TAKE_WORDS, self._show_choice)

    @cached_property
    def _commands(self) -> SlashCommands:
        return SlashCommands(self)

    # -- prompts ------------------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        text = event.text.strip()
        is_reason = bool(self._asks_reason_for)
        if is_reason:
            is_taken = self._answer(self.store.questions.get(self._asks_reason_for), "deny", reason=text)
        elif (question := self._questions.in_words) is not None and (text or self._has_marked):
            is_taken = self._say(question, text)
        elif not text and self._sends_held:
            is_taken = True
            self.run.release()
        else:
            is_taken = True
            self._take(event.text)
        if not is_taken:  # nothing that was typed is lost
            self.prompt.set_text("\n".join(filter(None, (event.text, self.prompt.text))))
        if is_reason:
            self._bring_draft_back()
            self._set_hints()

    def _take(self, text: str) -> None:
        """Send what was typed, or do what it says."""
        if not self._commands.obey(text) and (text.strip() or self._may_be_empty()):
            self.prompt.remember(text)
            self.send(text)

    def send(self, text: str, *, is_command: bool = False) -> None:
        """Send a prompt to the run."""
        self.transcript.action_bottom()
        self.run.ask(text, is_command=is_command)

    def action_edit_queued(self) -> None:
        """Take the prompt that was queued last back into the editor."""
        if self.store.queue:
            prompt_id, text = list(self.store.queue.items())[-1]
            self.run.take_back(prompt_id)
            self.prompt.set_text("\n".join(filter(None, (text, self.prompt.text))))
            self.set_focus(self.prompt)

    def action_drop_queued(self) -> None:
        """Drop the prompt that was queued last; the arrow keys bring it back as any other."""
        if self.store.queue:
            self.run.take_back(list(self.store.queue)[-1])

    # -- commands -----------------------------------------------------------------------------------------------------

    def _set_hints(self) -> None:
        # Words for a question are never commands, however they begin.
        is_answer = bool(self._asks_reason_for) or self._questions.in_words is not None
        self.prompt.choice = None if is_answer else self._choice
        if is_answer:
            self._choice.close()
        super()._set_hints()

    def _show_choice(self) -> None:
        """Show the commands that what is typed may become, directly above it."""
        if self._command_menu is None and self._choice.names:
            from maverick_tui.ui.widgets.command_menu import CommandMenu

            self._command_menu = CommandMenu(self._choice)
            _ = self.mount(self._command_menu, before=self.prompt)
        if self._command_menu is not None:
            self._command_menu.refresh_choice()
        self._set_hints()

    @on(Prompt.Changed)
    def _text_changed(self) -> None:
        if self._choice.names and not self.prompt.is_choosing:  # undone, and so neither typed nor set
            self._choice.close()

    def on_command_menu_clicked(self, event: CommandMenu.Clicked) -> None:
        """Complete what is typed to the command that was clicked."""
        event.stop()
        if not self.prompt.complete(event.at):
            self._choice.refuse()
        self.set_focus(self.prompt)

    # -- approvals ----------------------------------------------------------------------------------------------------

    def _answer(
        self, question: PermissionAsked | None, decision: Answer, *, reason: str = "", is_hit: bool = False
    ) -> bool:
        """Answer a question; whether there is one, and it has been seen for long enough to be meant."""
        if question is None or not self._is_armed(question, denies=decision == "deny", is_hit=is_hit):
            return False
        self.run.answer(question.request, decision, reason)
        return True

    def _is_armed(self, question: PermissionAsked, *, denies: bool = False, is_hit: bool = False) -> bool:
        """Whether it has been on the screen: for a yes all of it, for a no that which tells what it is about; and where
        it is, if a click has hit it.
        """
        seen = self.transcript.questions_seen
        since = seen.head_since(question.request) if denies else seen.whole_since(question.request)
        if since is None:
            if (call := self.store.call(question.call)) is not None:
                self.transcript.show_question(call.number)
            down = self._keys["run.page_down"]
            self.notify(f"Not all of this question has been seen: {down} goes on.", timeout=3)
            return False
        if is_hit:
            since = max(since, seen.still_since(question.request))
        if self._questions.is_armed(question, since):
            return True
        what = "is new or has just moved: click once more" if is_hit else f"is new: its keys act after {ARMED_AFTER} s"
        self.notify(f"This question {what}.", timeout=2)
        return False

    @property
    def _has_marked(self) -> bool:
        return self._questions.choice is not None and bool(self._questions.choice.marked)

    def _say(self, question: PermissionAsked, text: str) -> bool:
        """Answer in words what the agent asks; whether they were taken."""
        choice = self._questions.choice
        if choice is None or not self._is_armed(question):
            return False
        said = (question.request, choice.at, text)
        if (number := choice.no_option(text)) and said != self._doubted:
            self._doubted = said
            self.notify(
                f"There is no option {cut(number, 12)}. Once more, and it is sent as your own words.", timeout=4
            )
            return False
        choice.say(text)
        self._go_on(question, choice)
        return True

    def _go_on(self, question: PermissionAsked, choice: Choice) -> None:
        if choice.is_complete:
            self.run.answer(question.request, "once", answers=choice.answers)
        else:
            self.transcript.set_choice(choice)

    def action_choose(self, entry: int, option: int) -> None:
        """Choose an option of what the agent asks."""
        question, choice = self._questions.about(entry), self._questions.choice
        if question is None or choice is None or choice.request != question.request or choice.is_complete:
            return
        if option < len(choice.parts[choice.at].options) and self._is_armed(question, is_hit=entry > 0):
            choice.choose(option)
            self._go_on(question, choice)
            self.set_focus(self.prompt)  # Enter sends what is marked

    def action_allow_once(self, entry: int = 0) -> None:
        """Allow the call that waits; with the number of an entry, that one."""
        question = self._questions.about(entry)
        if question is not None and question.tool == "AskUserQuestion":
            self.notify("It wants an answer: choose an option, or type one.", timeout=3)
        else:
            self._answer(question, "once", is_hit=entry > 0)

    def action_allow_run(self, entry: int = 0) -> None:
        """Allow the very call that waits, as often as it comes in this run."""
        self._allow("allow_run", entry)

    def action_allow_alike(self, entry: int = 0) -> None:
        """Allow the call that waits, and those that begin alike."""
        self._allow("allow_alike", entry)

    def action_allow_all(self, entry: int = 0) -> None:
        """Allow the call that waits, and all others of its tool."""
        self._allow("allow_all", entry)

    def _allow(self, scope: str, entry: int) -> None:
        question = self._questions.about(entry)
        if question is None or not self._is_armed(question, is_hit=entry > 0):
            return
        if (grant := by_scope(question.grants).get(scope)) is None:
            self.notify("This question does not offer that.", timeout=3)
        else:
            self.run.answer(question.request, "run", grant=grant)

    def action_deny(self, entry: int = 0) -> None:
        """Deny the call that waits."""
        self._answer(self._questions.about(entry), "deny", is_hit=entry > 0)

    def action_deny_reason(self, entry: int = 0) -> None:
        """Ask for a reason; what stands in the prompt was meant for something else, and waits until it is given."""
        question = self._questions.about(entry)
        if question is None or not self._is_armed(question, denies=True, is_hit=entry > 0):
            return
        if not self._asks_reason_for:
            self._aside = self.prompt.take()
            unsaid_for, words = self._unsaid
            self.prompt.set_text(words if unsaid_for == question.request else "")
        self._asks_reason_for = question.request
        self.set_focus(self.prompt)
        self._set_hints()
