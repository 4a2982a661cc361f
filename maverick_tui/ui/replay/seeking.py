"""Seeker: brings a store to any moment of a recording, in slices, so that no key has to wait for it."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from maverick_tui.runs.store import RunStore

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.ui.replay.recording import Recording

log = logging.getLogger(__name__)

_LOOK_EVERY = 32
"""Events between two looks at the clock."""


class Seeker:
    """Goes forward by events. Nothing takes an event back, so it goes back by a store that begins anew.

    Until that has come to its moment, the store that is shown stays as it is.
    """

    def __init__(self, recording: Recording, store: RunStore) -> None:
        """The store is at its beginning."""
        self._recording = recording
        self._store = store
        self.count = 0
        """The moment that the store is at."""
        self._target = 0
        self._anew: RunStore | None = None
        self._anew_count = 0

    def go_to(self, count: int) -> None:
        """That is where `work` is to lead."""
        self._target = count
        if count >= self.count:
            self._anew = None
        elif self._anew is None or count < self._anew_count:
            self._anew, self._anew_count = RunStore(), 0

    def work(self, until: float) -> bool:
        """Go on until the moment is reached, or that time; whether there is more to do."""
        if self._anew is None:
            self.count = self._apply(self._store, self.count, until)
            return self.count < self._target
        self._anew_count = self._apply(self._anew, self._anew_count, until)
        if self._anew_count < self._target:
            return True
        self._store.become(self._anew)
        self.count, self._anew = self._anew_count, None
        return False

    def _apply(self, store: RunStore, count: int, until: float) -> int:
        for step, (after, event) in enumerate(self._recording.between(count, self._target), 1):
            _take(store, event)
            count = after
            if step % _LOOK_EVERY == 0 and time.perf_counter() > until:
                break
        return count


def _take(store: RunStore, event: Event) -> None:
    try:
        store.apply(event)
    except Exception:  # what cannot be shown must not hide what follows, as in a run that is live
        log.exception("%s could not be taken", type(event).__name__)
