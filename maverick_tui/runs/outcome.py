"""RunOutcome: what has come of a run that nobody attends, by what it has told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from maverick_tui.events import kinds as ev
from maverick_tui.runs.answer import Answer
from maverick_tui.runs.holding import Holding, RunLimits
from maverick_tui.runs.news import NO_FAILURE

if TYPE_CHECKING:
    from maverick_tui.usage import Usage

Cut = Literal["", "timeout", "limit", "interrupted"]
"""What has ended a run before its time."""


class RunOutcome:
    """Takes the events of one run, in their order."""

    def __init__(self, holding: Holding | None = None) -> None:
        self.answer = Answer()
        self.cut: Cut = ""
        self.why = ""
        """Why it was cut."""
        self.failure: ev.Failure | None = None
        self.unanswered: list[ev.PermissionAsked] = []
        """Calls that were refused for want of somebody to ask."""
        self.session = ""
        """By what the engine knows the conversation."""
        self.output: Any = None
        """The answer as a value, where the agent has an output schema."""
        self.seconds = 0.0
        """How long all of it took."""
        self.is_ended = False
        self._holding = holding or Holding(RunLimits(), lambda _why: None)
        self.figures = self._holding.figures
        self._began = 0.0
        self._last: ev.Outcome | None = None

    @property
    def result(self) -> str:
        """The answer, or as much of it as there is."""
        is_whole = self.failure is None and not self.cut
        return self.answer.text if is_whole else self.answer.last_words

    @property
    def usage(self) -> Usage:
        """What it has used."""
        return self.figures.usage

    def take(self, event: ev.Event) -> None:
        """Take the next event."""
        self.answer.take(event)
        self._holding.take(event)
        self._began = self._began or event.at
        match event:
            case ev.TurnStarted():
                self._last = None
                # What the engine goes on with by itself does not make good what has failed before.
                self.failure = self.failure if event.origin == "background" else None
            case ev.TurnEnded():
                self._last = event.outcome
                self.failure = event.failure or self.failure
                self.output = event.value if event.value is not None else self.output
            case ev.ConnectFailed():
                self.failure = event.failure
            case ev.ModelNamed():
                self.session = event.session_id or self.session
            case ev.PermissionAsked():
                self.unanswered.append(event)
            case ev.RunEnded():
                self._end(event)

    def _end(self, event: ev.RunEnded) -> None:
        self.seconds, self.is_ended = event.at - self._began, True
        if event.reason not in NO_FAILURE and self.failure is None:
            self.failure = ev.Failure("RunError", "agent", f"The run has failed unexpectedly: {event.reason}.")
        elif not self.cut and self.failure is None and self._last != "done":
            self.cut, self.why = "interrupted", "It was interrupted."


class ReadOutcome(RunOutcome):
    """The same of a run in another process, which tells as well what it was cut for."""

    def __init__(self) -> None:
        super().__init__()
        self.is_day_over = False
        """Whether a day's fuse has cut it: no other run of this day would come further."""

    def take(self, event: ev.Event) -> None:
        """Take the next event."""
        if isinstance(event, ev.Noticed) and event.kind in ("timeout", "limit") and not self.cut:
            self.cut, self.why = ("timeout" if event.kind == "timeout" else "limit"), event.text
            self.is_day_over = event.scope in ("agent_day", "day")
        super().take(event)

    def kill(self) -> None:
        """Its process was killed: nothing more comes of it."""
        self.failure = ev.Failure("RunError", "agent", "Its process was killed before it ended.")
