"""Recovery: what can be done about a failure, while its banner is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from maverick_tui.runs.entries import FailureEntry, PromptEntry
from maverick_tui.runs.failure_words import CONTINUE
from maverick_tui.ui.transcript.texts import answer_of_turn, source

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.run.slash_commands import Send
    from maverick_tui.ui.transcript.view import Transcript


class Recovery:
    """Tries again, goes on, copies what came, and tells all that is known."""

    def __init__(self, run: RunModel, transcript: Transcript, send: Send, clock: Callable[[], float]) -> None:
        """Deal with the failures of a run."""
        self._run = run
        self._transcript = transcript
        self._send = send
        self._clock = clock

    @property
    def failure(self) -> FailureEntry | None:
        """The failure that has a banner."""
        return self._run.store.current_failure

    def retry(self) -> None:
        """Send the prompt, or command, of the turn again; if it was not a prompt that failed, connect again.

        A model that is silent is interrupted before.
        """
        if (stall := self._run.store.stall) is not None:
            asked = self._prompt_of(stall.turn)
            self._run.interrupt()
            if asked is not None and asked.text:
                self._send(asked.text, is_command=asked.is_command)
        elif self.failure is not None and (failed := self._prompt_of(self.failure.turn)) is not None:
            self._send(failed.text, is_command=failed.is_command)
        else:
            self._run.reconnect()

    def _prompt_of(self, turn: int) -> PromptEntry | None:
        """The prompt that began a turn: those behind it were said while the agent was at work on that."""
        entries = self._run.store.entries
        return next((entry for entry in entries if isinstance(entry, PromptEntry) and entry.turn == turn), None)

    def go_on(self) -> None:
        """Ask the agent to go on where its answer broke off."""
        if self.failure is not None and self.failure.failure.error == "StreamingError":
            self._send(CONTINUE)

    @property
    def may_wait(self) -> bool:
        """Whether the run can go on by itself later."""
        is_silent = self._run.store.stall is not None
        return is_silent or (self.failure is not None and self.failure.may_wait(self._clock()))

    def wait(self) -> None:
        """Let the run go on by itself when the limit resets; if it does so already, call that off.

        A model that is silent may be so for longer.
        """
        if self._run.store.stall is not None:
            self._run.wait_on()
        elif self._run.store.planned is not None:
            self._run.call_off_continue()
        else:
            self._run.plan_continue()

    def copy(self) -> None:
        """Copy what came before it broke; if nothing came, what went wrong."""
        if (failure := self.failure) is not None:
            self._transcript.copy(*answer_of_turn(self._run.store, failure.turn) or [source(failure)])

    def show_details(self) -> None:
        """Show everything that is known about the failure."""
        from maverick_tui.ui.overlays import DetailsScreen

        if self.failure is not None:
            _ = self._transcript.app.push_screen(DetailsScreen(self.failure.failure))
