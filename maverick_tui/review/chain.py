"""All snapshots of a folder in their order, whoever has taken them, and who was at work between each two."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.review.accounts import RunAccount
from maverick_tui.review.undo_records import UndoRecord, all_records
from maverick_tui.snapshots.attribution import YOU, Attribution, Link, Writer, Writers
from maverick_tui.snapshots.changes import FileChange, FileLines, changed_lines, changes
from maverick_tui.snapshots.shadow import Shadow, all_shadows
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.snapshots.work_times import RunTimes, runs_at_work, times_of

NOW = 1 << 62
"""The number of what is there now."""


_SLACK = 5.0
"""Seconds after the last that is heard of a run in which its calls may still have been at work.

A snapshot is told so long after it was begun at most, or nearly always.
"""


class Point(NamedTuple):
    """A snapshot in the order of all, and whoever has taken something back just before it."""

    number: int
    snapshot: str
    at: float
    undone: Writer | None = None


class Chain:
    """The snapshots of one folder, with what differs from each to the next; what was found out is kept."""

    def __init__(self, shadow: Shadow) -> None:
        self.shadow = shadow
        self.accounts: dict[str, RunAccount] = {}
        """Of all runs that have a journal, and snapshots here or in a folder in this one, or around it."""
        self.links: list[Link] = []
        self.numbers: list[int] = []
        """Of each link the number of its snapshot."""
        self._unread: set[str] = set()
        """Runs whose journal is gone, or cannot be read: all that is known of them is when they were at work."""
        self._overlapping: list[Shadow] = []
        self._snapshots: dict[str, Snapshot] = {}
        self._differing: dict[tuple[str, str], list[FileLines]] = {}
        self._changes: tuple[tuple[str, str], list[FileChange]] | None = None

    def read(self, account: RunAccount | None = None) -> bool:
        """Read what is new in all journals but this one, which is; whether anything is.

        Runs that ended before this one began are left out.
        """
        if account is not None:
            self.accounts[account.run_id] = account
        since = account.taken[0].at if account is not None and account.taken else 0.0
        is_new = self._read_all(self.shadow, since, account)
        since = since or min((one.taken[0].at for one in self.here() if one.taken), default=0.0)
        self._overlapping = list(all_shadows(overlapping=self.shadow.folder))
        for shadow in self._overlapping:
            is_new = self._read_all(shadow, since, account) or is_new
        return is_new

    def _read_all(self, shadow: Shadow, since: float, but: RunAccount | None) -> bool:
        is_new = False
        for run_id in shadow.owners() if shadow.place.exists() else ():
            if but is not None and run_id == but.run_id:
                continue
            try:
                if run_id in self.accounts or _is_since(journal_of(run_id), since - _SLACK):
                    account = self.accounts.get(run_id) or RunAccount(run_id)
                    is_new = account.read() or is_new
                    self.accounts[run_id] = account
            except (ConfigError, OSError):  # it is not kept, is being removed, or is closed to us
                self._unread.add(run_id)
        return is_new

    def join(self, since: int, undone: Iterable[UndoRecord], now: Snapshot | None) -> None:
        """Make the links anew: all from this number on, and at the end what is there now."""
        points = [
            Point(one.number, one.snapshot, one.at)
            for account in self.here()
            for one in account.taken
            if one.number >= since
        ]
        for record in undone:
            if record.numbers[0] >= since:
                points.append(Point(record.numbers[0], record.before, record.at))
                points.append(Point(record.numbers[1], record.after, record.at, record.writer))
        points.sort(key=lambda point: point.number)
        self._have([point.snapshot for point in points])
        points = [point for point in points if point.snapshot in self._snapshots]
        if now is not None:
            self._snapshots[now.id] = now
            points.append(Point(NOW, now.id, time.time()))
        at_work = [_AtWork(account) for account in self.here()]
        folders = {str(one.folder) for one in self._overlapping}
        others = [account for account in self.accounts.values() if account.root in folders]
        elsewhere = [_AtWorkElsewhere(account, self.shadow.folder) for account in others]
        undone_elsewhere = list(self._undone_elsewhere())
        not_kept = list(self._not_kept())
        self.links, self.numbers, began, number = [], [], 0.0, 0
        for point in points:
            by = [writer for one in at_work for writer in one.until(point.number, began)]
            by += (writer for one in elsewhere for writer in one.between(began, point.at))
            by += (writer for one in not_kept for writer in one.between((number, began), (point.number, point.at)))
            by += (writer for at, writer in undone_elsewhere if began - _SLACK <= at <= point.at)
            began, number = point.at, point.number
            if point.undone is not None:
                by.append(point.undone)
            writers = tuple(dict.fromkeys(by)) or (YOU,)
            self.links.append(Link(self._snapshots[point.snapshot], writers, point.at))
            self.numbers.append(point.number)

    def differing(self, first: int, last: int) -> list[list[FileLines]]:
        """Between each link and the next, from one to another, the files and lines that differ."""
        ids = [link.snapshot.id for link in self.links[first : last + 1]]
        pairs = list(pairwise(ids))
        missing = [at for at, pair in enumerate(pairs) if pair not in self._differing]
        if missing:
            asked = [link.snapshot for link in self.links[first + missing[0] : first + missing[-1] + 2]]
            for pair, files in zip(pairwise(asked), changed_lines(self.shadow, asked), strict=True):
                self._differing[pair[0].id, pair[1].id] = files
        return [self._differing[pair] for pair in pairs]

    def changes(self, first: int, last: int) -> list[FileChange]:
        """What has become of the files from one link to another; known at once if it is asked again."""
        before, after = self.links[first].snapshot, self.links[last].snapshot
        if self._changes is None or self._changes[0] != (before.id, after.id):
            self._changes = ((before.id, after.id), changes(self.shadow, before, after))
        return self._changes[1]

    def attribution(self, first: int, last: int) -> Attribution:
        """Who has written what from one link to another."""
        found = Attribution()
        for link, files in zip(self.links[first + 1 : last + 1], self.differing(first, last), strict=True):
            found.add(link.by, files)
        return found

    def here(self) -> list[RunAccount]:
        """Those of the runs whose snapshots these are."""
        folder = str(self.shadow.folder)
        return [account for account in self.accounts.values() if account.root == folder]

    def _undone_elsewhere(self) -> Iterator[tuple[float, Writer]]:
        """What was taken back of runs in folders in this one, or around it, and when."""
        for shadow in self._overlapping:
            for record in all_records(shadow):
                paths = (f"{shadow.folder}/{path}".removeprefix(f"{self.shadow.folder}/") for path in record.paths)
                yield record.at, record.writer._replace(paths=frozenset(paths))

    def _not_kept(self) -> Iterator[_AtWorkNotKept]:
        """The runs without a journal to read that were at work here, or in folders in this one, or around it."""
        for shadow in (self.shadow, *self._overlapping):
            for run_id in runs_at_work(shadow.place):
                if run_id in self.accounts or (run_id not in self._unread and journal_of(run_id).exists()):
                    continue
                if (times := times_of(shadow.place, run_id)) is not None:
                    yield _AtWorkNotKept(times, self.shadow.folder, goes_on=bool(shadow.taken_at(run_id)))

    def _have(self, ids: Sequence[str]) -> None:
        self._snapshots |= self.shadow.read_all(one for one in ids if one not in self._snapshots)


class _AtWork:
    """Which calls of a run were at work before a number; asked in the order of numbers."""

    def __init__(self, account: RunAccount) -> None:
        self._account = account
        self._numbers = [one.number for one in account.taken]

    def until(self, number: int, began: float) -> Writers:
        """Those that may have changed something between the snapshot before this number, taken then, and this one."""
        account = self._account
        at = bisect_left(self._numbers, number)
        if at < len(account.taken):
            taken = account.taken[at]
            late = (YOU._replace(among=taken.late),) if taken.late else ()
            return (*self._writers(taken.calls, taken.died, began, is_shared=taken.is_shared), *late)
        return self._writers(account.at_work, account.died, began, is_shared=account.is_shared)  # after its last one

    def _writers(self, calls: Iterable[str], died: float | None, began: float, *, is_shared: bool) -> Writers:
        """These calls; if their process was killed, only until then, and anybody may have done it since."""
        found = tuple(map(self._account.writer, calls))
        if died is None or not found:
            return (*found, YOU) if is_shared else found
        return (*found, YOU) if began <= died + _SLACK else ()


class _AtWorkElsewhere:
    """Which calls of a run in a folder in this one, or around it, were at work: by time, for its numbers are others."""

    def __init__(self, account: RunAccount, folder: Path) -> None:
        self._account = account
        self._folder = str(folder)
        self._times = [one.at for one in account.taken]

    def between(self, began: float, ended: float) -> Iterator[Writer]:
        """Those that may have changed something between two snapshots that were told then."""
        account = self._account
        first, last = (bisect_left(self._times, at) for at in (began - _SLACK, ended))
        told = [(one.calls, one.died) for one in account.taken[first : last + 1]]
        if last == len(account.taken):
            told.append((tuple(account.at_work), account.died))
        for calls, died in told:
            if died is None or began <= died + _SLACK:
                begun = (call for call in calls if account.began.get(call, ended) <= ended)
                yield from (account.writer(call, self._folder) for call in begun)


class _AtWorkNotKept:
    """When a run was at work of which no more is known: in this folder by numbers, in another one by time."""

    def __init__(self, known: RunTimes, folder: Path, *, goes_on: bool) -> None:
        self._known = known
        self._folder = str(folder)
        self._is_here = known.root == self._folder
        times = known.times
        # One that was killed, or whose end nobody has told, has done what it did at once.
        open_end = NOW if goes_on else None
        self._ends: list[float]
        if self._is_here:
            self._ends = [one.until or open_end or one.since + 1 for one in times]
        else:
            self._ends = [one.ended if one.until is not None else open_end or one.ended for one in times]

    def between(self, before: tuple[int, float], after: tuple[int, float]) -> Iterator[Writer]:
        """The run, if it may have changed something between two snapshots: their numbers, and when they were told."""
        first = bisect_right(self._ends, before[0]) if self._is_here else bisect_left(self._ends, before[1] - _SLACK)
        for at in range(first, len(self._ends)):
            one = self._known.times[at]
            if one.since >= after[0] if self._is_here else one.began > after[1]:
                return
            yield self._writer(one.paths)

    def _writer(self, paths: Collection[str] | None) -> Writer:
        root, top = f"{self._known.root}/", f"{self._folder}/"
        among = frozenset(f"{root}{path}".removeprefix(top) for path in paths or ())
        within = root.removeprefix(top) if root.startswith(top) else ""
        return Writer(f"{self._known.run_id}/", within=within, among=among)


def _is_since(journal: Path, at: float) -> bool:
    """Whether a run may have been at work since then. FileNotFoundError if it is not kept."""
    return journal.stat().st_mtime >= at or is_alive(journal)
