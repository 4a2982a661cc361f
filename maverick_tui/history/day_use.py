"""DayLedger: what other runs have used today, by what they have told. What is new is read each time it is asked for."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

from maverick_tui.agent.engine.prices import list_price
from maverick_tui.events import kinds as ev
from maverick_tui.history.days import day_begins
from maverick_tui.journal.folders import JOURNAL, kept_journals
from maverick_tui.journal.lines import BATCH, LATE_TEXT
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
"""How the lines are known that a fuse counts."""
_GROWN = tuple(f'"type":"{kind}"'.encode() for kind in (BATCH, LATE_TEXT))
"""How those are known that tell what an answer says, which are most: they count only until it has told its tokens."""
_REPORTED = tuple(f'"type":"{kind.type}"'.encode() for kind in (ev.UsageReported, ev.TurnEnded, ev.RunForked))
"""How those are known after which it has, or was another run's."""
_BEGINNING = 200
"""Bytes of a line in which its kind stands."""


class _Journal:
    """One run, as far as it was read."""

    def __init__(self) -> None:
        self.agent = ""
        self._count = FuseCount(list_price)
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
        grown: list[bytes] = []
        with path.open("rb") as lines:
            lines.seek(self._offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                beginning = line[:_BEGINNING]
                if any(kind in beginning for kind in _GROWN):
                    grown.append(line)
                elif any(kind in beginning for kind in _COUNTED):
                    if any(kind in beginning for kind in _REPORTED):
                        grown.clear()
                    self._take(line)
        for line in grown:
            self._grow(line)

    def _take(self, line: bytes) -> None:
        try:
            event = ev.event_from_json(json.loads(line))
        except DAMAGE:  # what cannot be read cannot be counted; the list of runs says that it is damaged
            return
        if isinstance(event, ev.RunStarted | ev.AgentLoaded):
            self.agent = event.agent
        self._last_at = event.at
        self._count.take(event)

    def _grow(self, line: bytes) -> None:
        """What is said in an answer that has not told its tokens, and never will if its process is gone."""
        try:
            data = json.loads(line)
            text = "".join(data["text"][: data.get("whole")])  # the others come late
        except DAMAGE:
            return
        self._count.take(ev.BlockGrew(self._last_at, 0, text))

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
