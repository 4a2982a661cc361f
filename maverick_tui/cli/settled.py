"""What has come of a run that may still be alive, by what it has told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED, NOBODY_TO_ASK, OVER_LIMIT, TIMED_OUT
from maverick_tui.events import kinds as ev
from maverick_tui.history.reading import is_foreign, read_run
from maverick_tui.host.following import ThreadedFollower, follower_of
from maverick_tui.host.state import LiveState
from maverick_tui.journal.following import Follower
from maverick_tui.runs.failure_words import end_of
from maverick_tui.runs.news import NO_FAILURE
from maverick_tui.runs.past import past_of

if TYPE_CHECKING:
    from maverick_tui.host.far.following import FarFollower

_CUTS = {"timeout": TIMED_OUT, "limit": OVER_LIMIT}
"""What a run is ended for before its time, as it notices it, and what that is left with."""


class Settled(NamedTuple):
    """What came of a run: a word, an exit code, and of a failure why and what next."""

    word: str
    code: int = 0
    why: str = ""
    hint: str = ""


class Watched:
    """A run that is looked at from time to time."""

    def __init__(self, run_id: str, there: FarFollower | None = None) -> None:
        """`there` reads one on another machine. ConfigError if nothing is kept of it, and no host lives."""
        self.run_id = run_id
        self._state = LiveState()
        self._outcome: ev.Outcome = "interrupted"
        """What its last turn came to; one that has ended without any was stopped before it."""
        self._cut = ""
        self._failure: ev.Failure | None = None
        self._ended: ev.RunEnded | None = None
        self._was_settled = False
        self._follower: Follower | ThreadedFollower | None = there
        if there is not None:
            if there.is_foreign:
                self._take(past_of(there.more()).events)
                self._follower = None
        elif is_foreign(run_id):
            self._take(past_of(read_run(run_id).events).events)
        else:
            self._follower = follower_of(run_id)

    @property
    def phase(self) -> str:
        """What it is about."""
        return self._state.phase

    def look(self, *, is_last: bool = False) -> Settled | None:
        """What came of it; None if it is still at work.

        What has settled is looked at once more: a plan, an answer by rule, or its end may follow at once. Not if this
        `is_last`.
        """
        events = self._follower.more() if self._follower is not None else []
        self._take(events)
        if self._follower is None or self._ended is not None:
            return self._settled()
        if not self._follower.is_alive:
            if self._state.is_settled:  # whatever became of its process afterwards, that was done
                return self._settled()
            hint = f"See `maverick logs {self.run_id}`"
            hint += "." if ":" in self.run_id else f", or go on with `maverick runs resume {self.run_id}`."
            return Settled("failed", FAILED, "Its process was killed before it ended.", hint)
        was, self._was_settled = self._was_settled, self._state.is_settled or self.phase == "asks"
        return self._settled() if self._was_settled and (is_last or (was and not events)) else None

    def _take(self, events: list[ev.Event]) -> None:
        for event in events:
            self._state.take(event)
            match event:
                case ev.TurnStarted():
                    self._outcome, self._cut, self._failure = "interrupted", "", None
                case ev.TurnEnded():
                    self._outcome, self._failure = event.outcome, event.failure
                case ev.ConnectFailed():
                    self._outcome, self._failure = "failed", event.failure
                case ev.Noticed() if event.kind in _CUTS:
                    self._cut = event.kind
                case ev.RunEnded():
                    self._ended = event
                case ev.RunReopened():
                    self._ended, self._cut = None, ""

    def _settled(self) -> Settled:
        if self.phase == "asks":
            return Settled("asks", NOBODY_TO_ASK)
        if self._ended is not None and self._ended.reason not in NO_FAILURE:
            return Settled("failed", FAILED, f"The run has failed unexpectedly: {self._ended.reason}.")
        if self._cut:
            return Settled(self._cut, _CUTS[self._cut])
        if (failure := self._failure) is not None:
            if end_of(failure) == "LimitError":
                return Settled("limit", OVER_LIMIT, failure.message, failure.hint)
            return Settled("failed", FAILED, failure.message, failure.hint)
        codes = {"done": 0, "failed": FAILED, "interrupted": INTERRUPTED}
        return Settled(self._outcome, codes[self._outcome])
