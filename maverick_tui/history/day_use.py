"""DayLedger: what other runs have used today, by what they have told. It is read anew each time it is asked for."""

from __future__ import annotations

import json
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

    def read(self, path: Path) -> None:
        """Take in what has been told since the last time. A line that is not whole yet waits."""
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

    def used_today(self, now: float) -> Used:
        """Of a run whose process is gone, an open turn lasts no longer than it was heard of."""
        return self._count.used_today(self._last_at) if day_of(self._last_at) == day_of(now) else NOTHING


class DayLedger:
    """Counts the runs of today that are kept, but for one's own."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._journals: dict[str, _Journal] = {}

    def used_today(self, agent: str, now: float) -> Used:
        """What they have used since midnight: those of one agent or, for "", all of them."""
        begun, used = day_begins(now), NOTHING
        for run_id, folder, about in kept_journals():
            if run_id == self._run_id or about.st_mtime < begun:
                continue
            journal = self._journals.setdefault(run_id, _Journal())
            try:
                journal.read(Path(folder) / JOURNAL)
            except OSError:
                continue  # it was deleted a moment ago
            if agent in ("", journal.agent):
                used += journal.used_today(now)
        return used
