"""The folder of one run in snapshots, and how much of it the run's calls have changed. It blocks: for threads."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from maverick_tui.runs.calls_at_work import Recalled, Work, places_of
from maverick_tui.snapshots.attribution import YOU, Writer, Writers, possible
from maverick_tui.snapshots.changes import FileChange, changed_paths, changes
from maverick_tui.snapshots.shadow import Shadow, root_of
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.snapshots.work_times import WorkTime, note
from maverick_tui.worktrees.caches import in_caches

PROMPTLY = 1.0
"""Seconds after the end of a call in which what changes counts as its own: clocks of file systems differ by as much."""
_MOST_LATE = 500
"""Paths that are told one by one."""


class Changed(NamedTuple):
    """What stands of all that a run's calls have changed, in files and lines; without what tools make anew."""

    files: int = 0
    added: int = 0
    deleted: int = 0


class TrackedFolder:
    """Takes the snapshots of one run; what it has changed is counted from the first of them."""

    def __init__(self, cwd: Path, run_id: str, past: Recalled) -> None:
        """NotTrackedError if there can be no snapshots there. A run with a past goes on from its first one."""
        self.shadow = Shadow(root_of(cwd))
        self._run_id = run_id
        self._cwd = cwd
        self._start: Snapshot | None = None
        self._last: Snapshot | None = None
        self._last_at = self._began = time.time()
        self.is_noted = False
        """Whether it is written down that calls are at work."""
        self._touched: set[str] = set()
        self._changed = Changed()
        self._recall(past)

    @property
    def has_begun(self) -> bool:
        """Whether there is a first snapshot."""
        return self._start is not None

    def take(self) -> Snapshot:
        """What is in the folder now. NotTrackedError if that cannot be kept."""
        snapshot, now = self.shadow.take(self._run_id), time.time()
        if not self.is_news(snapshot):  # nothing has happened since the last one
            self._last, self._last_at = snapshot, now
        return snapshot

    def is_news(self, snapshot: Snapshot) -> bool:
        """Whether something in it is not as it was in the last one."""
        return self._last is None or snapshot.id != self._last.id

    def late(self, snapshot: Snapshot, ended: float) -> tuple[str, ...]:
        """What differs from the last one, and was changed when all calls had ended already, by that time.

        Whoever else works with the snapshots of this folder may have kept us waiting for long.
        """
        if self._last is None or time.time() <= ended + PROMPTLY:
            return ()
        paths = changed_paths(self.shadow, (self._last, snapshot))[0]
        found = sorted(path for path in paths if self._changed_at(path) > ended + PROMPTLY)
        return tuple(found) if len(found) <= _MOST_LATE else (".",)

    def _changed_at(self, path: str) -> float:
        """When something was changed last; of what is gone, when something was in the folder that it was in."""
        place = self.shadow.folder / path
        while True:
            try:
                return place.lstat().st_ctime
            except OSError:
                if place == self.shadow.folder:
                    return math.inf
                place = place.parent

    def add(self, snapshot: Snapshot, by: Iterable[Work]) -> Changed:
        """The next snapshot, and whose calls were at work since the last one; what stands of all changes then."""
        before, self._last = self._last, snapshot
        began, self._last_at = self._last_at, time.time()
        if before is None or self._start is None:
            self._start = snapshot
        elif before.id != snapshot.id:
            if touched := self._touch(changed_paths(self.shadow, (before, snapshot))[0], by):
                self._note(WorkTime(before.number, snapshot.number, began, self._last_at, touched))
                self.is_noted = False
            self._changed = self._count(self._start, snapshot)
        return self._changed

    def note_work(self, *, is_going_on: bool) -> None:
        """Write down whether calls are at work since the last snapshot: other runs may not have done what they do."""
        if self._last is not None:
            until, paths = (None, None) if is_going_on else (self._last.number, ())
            self._note(WorkTime(self._last.number, until, self._last_at, self._last_at, paths))
            self.is_noted = is_going_on

    def _note(self, work_time: WorkTime) -> None:
        note(self.shadow.place, self.shadow.folder, self._run_id, self._began, work_time)

    def release(self) -> None:
        """Let go of all snapshots of the run."""
        self.shadow.release(self._run_id)

    def _touch(self, paths: Iterable[str], by: Iterable[Work]) -> set[str]:
        """Add what these calls may have changed of that, which is returned."""
        writers = self._writers(by)
        touched = {path for path in paths if possible(writers, path) != (YOU,)} if writers else set[str]()
        self._touched |= touched
        return touched

    def _count(self, start: Snapshot, now: Snapshot) -> Changed:
        if not self._touched:
            return Changed()
        stands = [one for one in changes(self.shadow, start, now) if self._is_touched(one)]
        caches = in_caches(self.shadow.folder, [one.path for one in stands])
        stands = [one for one in stands if one.path not in caches]
        return Changed(len(stands), sum(one.added for one in stands), sum(one.deleted for one in stands))

    def _is_touched(self, change: FileChange) -> bool:
        return change.path in self._touched or change.before_path in self._touched

    def _writers(self, by: Iterable[Work]) -> Writers:
        return tuple(Writer(work.call, self._named(work)) for work in by)

    def _named(self, work: Work) -> frozenset[str]:
        return frozenset(os.path.relpath(place, self.shadow.folder) for place in places_of(work, self._cwd))

    def _recall(self, past: Recalled) -> None:
        """Go on from the first snapshot of the past, if it is of this folder and all of them are still kept."""
        told = past.snapshots
        if not told or {one.root for one in told} != {str(self.shadow.folder)}:
            return
        kept = self.shadow.read_all(one.snapshot for one in told)
        if any(one.snapshot not in kept for one in told):
            return
        chain = [kept[one.snapshot] for one in told]
        for one, paths in zip(told[1:], changed_paths(self.shadow, chain), strict=True):
            self._touch(paths, (past.works.get(call, Work(call)) for call in one.calls))
        self._start, self._last = chain[0], replace(chain[-1], number=told[-1].number)
        self._began, self._last_at = told[0].at, told[-1].at
        self._changed = self._count(self._start, self._last)
