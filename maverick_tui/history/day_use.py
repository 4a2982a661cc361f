"""DayLedger: what other runs have used today, by what they have told. What is new is read each time it is asked for."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

from maverick_tui.events import kinds as ev
from maverick_tui.history.days import day_begins
from maverick_tui.journal.folders import JOURNAL, kept_journals
from maverick_tui.journal.reading import DAMAGE
from maverick_tui.runs.fuse_count import NOTHING, FuseCount, Used, day_of

_COUNTED = tuple(
    f'"type":"{kind.type}"'.encode()
    for kind in (
        ev.RunStarted,
        ev.RunForked,
        ev.RunReopened,
        ev.AgentLoaded,
        ev.ModelNamed,
        ev.TurnStarted,
        ev.UsageReported,
        ev.TurnEnded,
        ev.PermissionAsked,
        ev.PermissionSettled,
        ev.RunEnded,
    )
)
"""How the lines are known that a fuse counts: all others, which are most, need not be read."""
_BEGINNING = 200
"""Bytes of a line in which its kind stands."""


class _Journal:
    """One run, as far as it was read."""

    def __init__(self) -> None:
        self.agent = ""
        self._count = FuseCount()
        self._offset = 0
        self._last_at = 0.0
        self._seen = (-1, -1)
        self._used: tuple[date | None, Used] = (None, NOTHING)
        """What it has used on the day on which it was last heard of."""

    def read(self, folder: str, about: os.stat_result) -> None:
        """Take in what has been told since the last time, if anything was: there may be a thousand journals."""
        seen = (about.st_size, about.st_mtime_ns)
        if seen != self._seen:
            self._read_on(Path(folder) / JOURNAL)
            self._seen = seen
            self._used = (day_of(self._last_at), self._count.used_today(self._last_at))

    def _read_on(self, path: Path) -> None:
        """A line that is not whole yet waits."""
        with path.open("rb") as lines:
            lines.seek(self._offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    return
                self._offset += len(line)
                if any(kind in line[:_BEGINNING] for kind in _COUNTED):
                    self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = ev.event_from_json(json.loads(line))
        except DAMAGE:  # what cannot be read cannot be counted; the list of runs says that it is damaged
            return
        if isinstance(event, ev.RunStarted | ev.AgentLoaded):
            self.agent = event.agent
        self._last_at = event.at
        self._count.take(event)

    def used_on(self, day: date | None) -> Used:
        """Of a run whose process is gone, an open turn lasts no longer than it was heard of."""
        last, used = self._used
        return used if last == day else NOTHING


class DayLedger:
    """Counts the runs of today that are kept, but for one's own."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._journals: dict[str, _Journal] = {}

    def used_today(self, agent: str, now: float) -> Used:
        """What they have used since midnight: those of one agent or, for "", all of them."""
        begun, today, used = day_begins(now), day_of(now), NOTHING
        for run_id, folder, about in kept_journals():
            if run_id == self._run_id or about.st_mtime < begun:
                continue
            if (journal := self._journals.get(run_id)) is None:
                journal = self._journals[run_id] = _Journal()
            try:
                journal.read(folder, about)
            except OSError:
                continue  # it was deleted a moment ago
            if agent in ("", journal.agent):
                used += journal.used_on(today)
        return used
