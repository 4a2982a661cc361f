"""AnsweringScreen: what a person says to a run: prompts, and answers to its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from maverick_tui.ui.screens.questions import ARMED_AFTER, answers_to
from maverick_tui.ui.screens.run_view import RunView
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.runs.events import PermissionAsked
    from maverick_tui.ui.board import Answer


class AnsweringScreen(RunView):
    """Takes what stands in the prompt for what it is meant to be, and answers questions by key."""

    # -- prompts ------------------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        text = event.text.strip()
        is_reason = bool(self._asks_reason_for)
        if is_reason:
            is_taken = self._answer(self.store.questions.get(self._asks_reason_for), "deny", reason=text)
        elif (question := self._questions.in_words) is not None and text:
            is_taken = self._answer(question, "once", answers=answers_to(question, text))
        else:
            is_taken = True
            if text or self._may_be_empty():
                event.prompt.remember(event.text)
                self.send(event.text)
        if not is_taken:  # nothing that was typed is lost
            self.prompt.set_text("\n".join(filter(None, (event.text, self.prompt.text))))
        if is_reason:
            self._bring_draft_back()
            self._set_hints()

    def send(self, text: str) -> None:
        """Send a prompt to the run."""
        self.transcript.action_bottom()
        self.run.ask(text)

    def action_edit_queued(self) -> None:
        """Take the prompt that was queued last back into the editor."""
        if self.store.queue:
            prompt_id, text = list(self.store.queue.items())[-1]
            self.run.take_back(prompt_id)
            self.prompt.set_text("\n".join(filter(None, (text, self.prompt.text))))
            self.set_focus(self.prompt)

    # -- approvals ----------------------------------------------------------------------------------------------------

    def _answer(
        self,
        question: PermissionAsked | None,
        decision: Answer,
        *,
        reason: str = "",
        answers: dict[str, str] | None = None,
    ) -> bool:
        """Answer a question; whether there is one, and it has been there for long enough to be meant."""
        if question is None or not self._is_armed(question):
            return False
        self.run.answer(question.request, decision, reason, answers)
        return True

    def _is_armed(self, question: PermissionAsked) -> bool:
        if self._questions.is_armed(question):
            return True
        self.notify(f"This question is new: its keys act after {ARMED_AFTER} s.", timeout=2)
        return False

    def action_allow_once(self, entry: int = 0) -> None:
        """Allow the call that waits; with the number of an entry, that one."""
        self._answer(self._questions.about(entry), "once")

    def action_allow_run(self, entry: int = 0) -> None:
        """Allow the call that waits, and those like it in this run."""
        self._answer(self._questions.about(entry), "run")

    def action_deny(self, entry: int = 0) -> None:
        """Deny the call that waits."""
        self._answer(self._questions.about(entry), "deny")

    def action_deny_reason(self, entry: int = 0) -> None:
        """Ask for a reason; what stands in the prompt was meant for something else, and waits until it is given."""
        question = self._questions.about(entry)
        if question is None or not self._is_armed(question):
            return
        if not self._asks_reason_for:
            self._aside = self.prompt.take()
        self._asks_reason_for = question.request
        self.set_focus(self.prompt)
        self._set_hints()
