"""Player: lets a recording go on by itself, as fast as somebody likes, and goes to any moment of it."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from maverick_tui.ui.replay.seeking import Seeker

if TYPE_CHECKING:
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.replay.recording import Recording, Rhythm

SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0)
_TICK = 1 / 20
_BUDGET = 0.008
"""Seconds of applying events before keys get their turn."""
_FEW = 200
"""Events after which everything is drawn anew, and not what each of them has changed."""
_LEAST_STRIDE, _STRIDES = 5.0, 50
"""Seconds that a key goes forward or back at least, and how often it does from the beginning to the end at most."""


class Player:
    """Moves through a recording; `moved` hears of it, and whether the store is another one than a step before."""

    def __init__(self, recording: Recording, store: RunStore, moved: Callable[[bool], None]) -> None:
        """At the first event; it does not play yet."""
        self.recording = recording
        self._seeker = Seeker(recording, store)
        self._moved = moved
        self.rhythm: Rhythm = recording.short_rhythm
        self.speed = 1.0
        self.is_playing = False
        self.moment = 0.0
        """Seconds from the beginning, in the rhythm."""
        self.count = 0
        """The moment that was asked for; the store is there, or on its way."""
        self._is_jump = False
        self._ticked = 0.0
        self._next: asyncio.TimerHandle | None = None
        self._slice: asyncio.TimerHandle | None = None

    # -- where it is --------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """What the clock on the wall said at this moment of the run."""
        return self.rhythm.time_at(self.moment)

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left to be played."""
        return self.count >= len(self.recording) and self.moment >= self.rhythm.length

    @property
    def is_seeking(self) -> bool:
        """Whether the store is still on its way."""
        return self._slice is not None

    # -- playing ------------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on by itself; from the beginning, if it is at the end."""
        if self.is_at_end:
            self.go_to(0.0)
        self.is_playing, self._ticked = True, asyncio.get_running_loop().time()
        self._tick_later()

    def pause(self) -> None:
        """Stay where it is."""
        self.is_playing = False
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def close(self) -> None:
        """Nothing moves any more."""
        self.pause()
        if self._slice is not None:
            self._slice.cancel()
            self._slice = None

    def set_speed(self, speed: float) -> None:
        """So many times as fast as it was."""
        self.speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])

    def change_speed(self, direction: int) -> None:
        """Take the next of the speeds, or the one before."""
        at = bisect_right(SPEEDS, self.speed) if direction > 0 else bisect_left(SPEEDS, self.speed) - 1
        self.set_speed(SPEEDS[min(max(at, 0), len(SPEEDS) - 1)])

    def keep_waits(self, is_wanted: bool) -> None:
        """Wait as long as it took, or not longer than people like to look at."""
        now = self.now
        self.rhythm = self.recording.own_rhythm if is_wanted else self.recording.short_rhythm
        self.moment = self.rhythm.moment_after(self.count, now)

    @property
    def keeps_waits(self) -> bool:
        """Whether no wait is cut short."""
        return self.rhythm is self.recording.own_rhythm

    def _tick_later(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().call_later(_TICK, self._tick)

    def _tick(self) -> None:
        now = asyncio.get_running_loop().time()
        elapsed, self._ticked = now - self._ticked, now
        self._tick_later()
        if self.is_seeking:
            return
        self.moment = min(self.moment + elapsed * self.speed, self.rhythm.length)
        self.count = max(self.count, self.rhythm.count_at(self.moment))
        before = self._seeker.count
        self._seeker.go_to(self.count)
        if self._seeker.work(time.perf_counter() + _BUDGET):  # it cannot keep up: so it does not hurry
            self.count = self._seeker.count
            self.moment = self.rhythm.moment_of(self.count)
        if self.is_at_end:
            self.pause()
        self._moved(self.count - before > _FEW)

    # -- going somewhere ----------------------------------------------------------------------------------------------

    def go_to(self, moment: float) -> None:
        """To this many seconds from the beginning."""
        self.moment = min(max(moment, 0.0), self.rhythm.length)
        self._seek(self.rhythm.count_at(self.moment))

    def go_to_event(self, count: int) -> None:
        """To the moment at which this many events have been."""
        count = min(max(count, 1), len(self.recording))
        self.moment = self.rhythm.moment_of(count)
        self._seek(count)

    def stride(self, direction: int) -> None:
        """Some seconds on, or back."""
        self.go_to(self.moment + direction * max(_LEAST_STRIDE, self.rhythm.length / _STRIDES))

    def step(self, events: int) -> None:
        """So many events on, or back; whoever counts events does not want it to go on by itself."""
        self.pause()
        self.go_to_event(self.count + events)

    def step_prompt(self, direction: int) -> None:
        """To the next prompt, or the one before; beyond the last it is the end, before the first the beginning."""
        prompts = self.recording.prompts
        if direction > 0:
            at = bisect_right(prompts, self.count)
            self.go_to_event(prompts[at] if at < len(prompts) else len(self.recording))
        else:
            at = bisect_left(prompts, self.count) - 1
            self.go_to_event(prompts[at] if at >= 0 else 1)

    def _seek(self, count: int) -> None:
        self.count = count
        self._is_jump = self._is_jump or not 0 <= count - self._seeker.count <= _FEW
        self._seeker.go_to(count)
        self._work()

    def _work(self) -> None:
        if self._slice is not None:
            self._slice.cancel()
            self._slice = None
        began = time.perf_counter()
        has_more = self._seeker.work(began + _BUDGET)
        if has_more or (self._is_jump and time.perf_counter() - began > _BUDGET / 2):  # to draw it takes a while, too
            self._slice = asyncio.get_running_loop().call_later(0.001, self._work)
            return
        self._ticked = asyncio.get_running_loop().time()
        is_jump, self._is_jump = self._is_jump, False
        self._moved(is_jump)
