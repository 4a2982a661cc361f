"""Stalls: notices that the model has been silent for long, and tells it, so that somebody may do something about it."""

from __future__ import annotations

import asyncio

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.runs.log import EventLog

_HEARD = frozenset(
    kind.type
    for kind in (
        ev.TurnStarted,
        ev.RequestStarted,
        ev.BlockStarted,
        ev.BlockGrew,
        ev.BlockEnded,
        ev.ToolCalled,
        ev.ToolBegan,
        ev.ToolFinished,
        ev.TaskProgressed,
        ev.UsageReported,
        ev.RetryScheduled,
        ev.PermissionSettled,
    )
)
"""Events by which something is heard of the model or its tools."""


class Silence:
    """How long the model of a run is silent, by its events. A tool, a person and a summary may take their time."""

    def __init__(self) -> None:
        self.heard_at = 0.0
        self._is_in_turn = False
        self._is_summing_up = False
        self._running: set[str] = set()
        self._questions: set[str] = set()
        self._retries_at = 0.0

    def take(self, event: Event) -> bool:
        """The next event; whether something is heard by it."""
        match event:
            case ev.TurnStarted():
                self._is_in_turn, self._is_summing_up = True, event.is_command
                self._running.clear()
            case ev.TurnEnded() | ev.RunEnded():
                self._is_in_turn = False
            case ev.ToolCalled():
                self._running.add(event.call)
            case ev.ToolFinished():
                self._running.discard(event.call)
            case ev.PermissionAsked():
                self._questions.add(event.request)
            case ev.PermissionSettled():
                self._questions.discard(event.request)
            case ev.RetryScheduled():
                self._retries_at = event.at + event.delay
            case ev.Noticed(kind="compacting"):
                self._is_summing_up = True
            case ev.BlockStarted() | ev.RequestStarted():
                self._is_summing_up = False
        if event.type not in _HEARD:
            return False
        self.heard_at = event.at
        return True

    def seconds(self, now: float) -> float:
        """Since when nothing has come that should."""
        is_excused = self._is_summing_up or self._running or self._questions
        return 0.0 if not self._is_in_turn or is_excused else now - max(self.heard_at, self._retries_at)


class Stalls:
    """Watches one run; nothing is done by it but telling."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self._reader = events.reader(len(events))
        self._silence = Silence()
        self._limit = 0.0
        self._put_off_at = 0.0
        self._is_told = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, limit: float) -> None:
        """Tell it after so many seconds of silence; 0 is never."""
        self.close()
        self._limit = limit
        if limit:
            self._look_in(limit)

    def close(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()

    def put_off(self) -> None:
        """Somebody waits on: it is told again if the silence lasts as long once more."""
        self._take()
        now = self._events.now()
        if self._is_told and self._silence.seconds(now):
            self._is_told, self._put_off_at = False, now
            self._events.emit(ev.StallPutOff(now))

    def _take(self) -> None:
        for event in self._reader.take():
            if self._silence.take(event):
                self._is_told = False

    def _look(self) -> None:
        self._take()
        now = self._events.now()
        silent = min(self._silence.seconds(now), now - self._put_off_at)
        if silent >= self._limit and not self._is_told:
            self._is_told = True
            self._events.emit(ev.Stalled(now, self._silence.heard_at))
        self._look_in(self._limit - silent if silent < self._limit else self._limit)

    def _look_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(max(seconds, 0.01), self._look)
