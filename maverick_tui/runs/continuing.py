"""Continuing: a run that a limit has stopped goes on by itself when that resets, if somebody wants it to."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from typing import NamedTuple

from maverick_tui.events.kinds import (
    ContinueCalledOff,
    ContinueDue,
    ContinuePlanned,
    Event,
    Failure,
    Noticed,
    TurnEnded,
    TurnStarted,
)
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.runs.failure_words import CONTINUE
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.moments import moment
from maverick_tui.runs.past import Past
from maverick_tui.runs.turns import OpenTurn

LOOK_EVERY = 15.0
"""Seconds after which the clock on the wall is looked at: the event loop's own stands still while a machine sleeps."""
AGAIN_AFTER = (60.0, 300.0, 900.0)
"""Seconds that a limit is left alone which holds longer than it was said to, each time; then it is given up."""
PERSON = "person"
STAYS = "stays"
"""Notices that it does not go on by itself, although somebody wants it to."""


class _Stopped(NamedTuple):
    """What a limit has stopped: the prompt that goes on with it, and when the limit resets, if that is known."""

    text: str
    is_command: bool
    resets_at: float | None


class Continuing:
    """Plans that the run goes on, and knows when it is time; `on_due` is called then. At most one plan is open.

    `is_automatic` says whether to plan it without being asked.
    """

    def __init__(self, log: EventLog, on_due: Callable[[], None], is_automatic: Callable[[], bool]) -> None:
        self.planned: ContinuePlanned | None = None
        self._log = log
        self._on_due = on_due
        self._is_automatic = is_automatic
        self._stopped: _Stopped | None = None
        self._sent = ""
        """The id of the prompt that it went on with the last time."""
        self._is_going_on = False
        """Whether that is the last prompt there was."""
        self._in_vain = 0
        """How often a limit has stopped it again after it went on, without anybody asking anything between."""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_due(self) -> bool:
        """Whether it is time to go on."""
        return self.planned is not None and self._log.now() >= self.planned.due

    # -- what has stopped ---------------------------------------------------------------------------------------------

    def turn_ended(self, turn: OpenTurn, failure: Failure | None) -> None:
        """Take the end of a turn: it may have been a limit that has ended it."""
        is_limit = failure is not None and failure.kind == "rate_limit"
        has_begun = failure is not None and failure.error == "StreamingError"
        if turn.origin == "background":
            if failure is not None and is_limit and self._stopped is None:
                is_known = bool(turn.text) and not has_begun
                self._stop(_Stopped(turn.text if is_known else CONTINUE, False, failure.retry_at))
            return
        if turn.origin == "person":  # a turn of the agent's own code belongs to the prompt before it
            self._is_going_on = turn.prompt_id != "" and turn.prompt_id == self._sent
        self.forget()
        if failure is None or not (is_limit or (self._is_going_on and failure.is_retryable and not has_begun)):
            return
        stopped = _Stopped(CONTINUE if has_begun else turn.text, turn.is_command and not has_begun, failure.retry_at)
        self._stop(stopped, is_same=self._is_going_on and not has_begun)

    def _stop(self, stopped: _Stopped, *, is_same: bool = False) -> None:
        """Take what was stopped. What `is_same` has come no further since somebody wanted it to go on: it still does.

        How often it goes on counts until a person asks something: an answer that breaks off each time costs each time.
        """
        self._stopped = stopped
        if is_same or (self._is_going_on and self._is_automatic()):
            self._plan_again(stopped.resets_at)
            return
        self._in_vain = 0
        if self._is_automatic() and stopped.resets_at is None:
            text = "When the limit resets is not known, so it does not wait."
            self._log.emit(Noticed(self._log.now(), STAYS, text))
        elif self._is_automatic():
            self.plan()

    def recall(self, past: Past) -> None:
        """Know what had stopped the run before it goes on; a plan that nobody was there for is only told."""
        self._stopped = _stopped_in(past.conversation)
        if past.planned is not None:
            when = moment(past.planned.due, past.planned.at)
            text = f"It was set to continue at {when}, but was closed first. It continues when you ask for it."
            self._log.emit(Noticed(self._log.now(), "continue", text))

    # -- plans --------------------------------------------------------------------------------------------------------

    def plan(self) -> None:
        """Go on when the limit resets, if that is known."""
        if self.planned is None and self._stopped is not None and self._stopped.resets_at is not None:
            self._plan(self._stopped.resets_at)

    def _plan_again(self, resets_at: float | None) -> None:
        """The limit still holds, or something else is in the way: wait longer each time."""
        if self._in_vain == len(AGAIN_AFTER):
            text = f"It has tried {self._in_vain + 1} times to go on. It does not try again by itself."
            self._log.emit(Noticed(self._log.now(), STAYS, text))
            self._in_vain = 0
            return
        self._in_vain += 1
        self._plan(resets_at or 0.0, AGAIN_AFTER[self._in_vain - 1])

    def _plan(self, due: float, seconds: float = 0.0) -> None:
        """Plan it for a time, and not before so many seconds have passed."""
        now = self._log.now()
        self.planned = ContinuePlanned(now, max(due, now + seconds), self._in_vain + 1)
        self._log.emit(self.planned)
        self._look_later()

    def call_off(self, why: str) -> None:
        """Do not go on by itself; it can be planned anew."""
        if self.planned is not None:
            self._forget_plan()
            self._in_vain = 0
            self._log.emit(ContinueCalledOff(self._log.now(), why))

    def forget(self) -> None:
        """There is nothing any more to go on with."""
        self.call_off(PERSON)
        self._stopped = None

    def go_on(self) -> SendPrompt:
        """It is time: the prompt that goes on, which is the same again if nothing had been answered."""
        assert self._stopped is not None
        self._forget_plan()
        at, self._sent = self._log.now(), uuid.uuid4().hex
        self._log.emit(ContinueDue(at))
        self._log.emit(Noticed(at, "continue", "The limit should have been reset by now: it continues by itself."))
        return SendPrompt(self._sent, self._stopped.text, self._stopped.is_command)

    # -- the clock ----------------------------------------------------------------------------------------------------

    def _look_later(self) -> None:
        assert self.planned is not None
        seconds = min(max(self.planned.due - self._log.now(), 0.01), LOOK_EVERY)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        if self.is_due:
            self._on_due()
        else:
            self._look_later()

    def _forget_plan(self) -> None:
        self.planned = None
        if self._timer is not None:
            self._timer.cancel()


def _stopped_in(events: Sequence[Event]) -> _Stopped | None:
    """What the last turn of a run was stopped at, if it was by a limit."""
    ended = next((event for event in reversed(events) if isinstance(event, TurnEnded)), None)
    failure = ended.failure if ended is not None else None
    if ended is None or failure is None or failure.kind != "rate_limit":
        return None
    began = next(event for event in reversed(events) if isinstance(event, TurnStarted) and event.turn == ended.turn)
    has_begun = failure.error == "StreamingError" or (began.origin == "background" and not began.text)
    text = CONTINUE if has_begun else began.text
    return _Stopped(text, began.is_command and not has_begun, failure.retry_at)
