"""One folder's snapshots, gone through once: which bytes were in which file, and who had written each line by then."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from maverick_tui.git.repository import repository_of
from maverick_tui.review.authors import Names
from maverick_tui.review.chain import Chain
from maverick_tui.review.hunks import groups
from maverick_tui.review.kinds import Authors
from maverick_tui.review.undo_records import all_records
from maverick_tui.snapshots.attribution import YOU as ANYBODY
from maverick_tui.snapshots.attribution import Attribution, Writers
from maverick_tui.snapshots.changes import FileChange, hunks
from maverick_tui.snapshots.disk import blob_of
from maverick_tui.snapshots.entries import Entry, entry_of
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import PLAIN

_LOOKED_AT = 5
"""Versions of a file that what was committed is held against."""


class Told(NamedTuple):
    """Who has written a line, and when."""

    authors: Authors
    at: float

    @property
    def is_of_a_run(self) -> bool:
        """Whether a call of a run may have written it."""
        return any(author.run_id for author in self.authors)


NOBODY = Told((), 0.0)
"""A line that was there before any run that is known."""


class Version(NamedTuple):
    """What was in a file once, and who had written each of its first lines."""

    blob: str
    at: float
    lines: Callable[[int], list[Writers]]


class Traced:
    """The snapshots of a folder."""

    def __init__(self, shadow: Shadow) -> None:
        self.shadow = shadow

    def is_of(self, repository: str) -> bool:
        """Whether runs have worked on this repository there."""
        if repository_of(self.shadow.folder) == repository:
            return True
        return any(account.repository == repository for account in self._chain.here())

    def now(self, path: str, data: bytes) -> list[Told] | None:
        """Who has written each line of a file as it is now; None if it was not there when the last one was taken."""
        links = self._chain.links
        entry = entry_of(self.shadow, links[-1].snapshot, path) if links else None
        if entry is None:
            is_unknown = not links or links[-1].snapshot.leaves_out(path)
            return [NOBODY] * _count(data) if is_unknown else None
        last = Version(entry.blob, 0.0, self._all[1].lineage(path))
        return [self._told(by) for by in self._mapped(last, data)]

    def then(self, path: str, data: bytes, at: float) -> list[Told]:
        """Who has written each line of what a file was when it was committed, at that time.

        Of those who are no run nothing is said: they may only have brought it there.
        """
        versions, blob = self._all[0], blob_of(data)
        known = [one for one in versions.get(path, []) if one.blob == blob]
        known = known or [one for some in versions.values() for one in some if one.blob == blob]
        # What was not committed as it was in any snapshot is held against the last ones before.
        known = known[:1] or [one for one in versions.get(path, []) if one.at <= at + 1.0][: -_LOOKED_AT - 1 : -1]
        found = [NOBODY] * _count(data)
        for version in known:
            told = map(self._told, self._mapped(version, data))
            found = [new if new.is_of_a_run and not old.authors else old for old, new in zip(found, told, strict=True)]
        return found

    def _mapped(self, version: Version, data: bytes) -> list[Writers]:
        """Whose the lines of some bytes are, if what is else in them than in a version is a person's."""
        count, blob = _count(data), blob_of(data)
        if version.blob == blob:
            return version.lines(count)
        self.shadow.keep_blob(data)
        change = FileChange("", "changed", Entry(PLAIN, version.blob), Entry(PLAIN, blob))
        found, old = list[Writers](), 0
        before = version.lines(_count(self.shadow.blob(version.blob)))
        if not (parts := hunks(self.shadow, change, context=0)):  # it is binary
            return [(ANYBODY,)] * count
        for lines in (lines for hunk in parts for lines, _ in groups(hunk)):
            found += [*before[old : lines.old], *([(ANYBODY,)] * lines.added)]
            old = lines.old + lines.deleted
        return [*found, *before[old:]]

    def _told(self, writers: Writers) -> Told:
        authors = self._names.authors(writers)
        calls = (self._chain.accounts[one.run_id].calls.get(one.call) for one in authors if one.run_id)
        return Told(authors, max((call.at for call in calls if call is not None), default=0.0))

    # -- going through -------------------------------------------------------------------------------------------------

    @cached_property
    def _chain(self) -> Chain:
        chain = Chain(self.shadow)
        chain.read()
        chain.join(0, all_records(self.shadow), None)
        return chain

    @cached_property
    def _names(self) -> Names:
        return Names(self._chain)

    @cached_property
    def _all(self) -> tuple[dict[str, list[Version]], Attribution]:
        """All that was ever in each file, the first one first; and who has written what at the end."""
        chain, found, versions = self._chain, Attribution(), dict[str, list[Version]]()
        for link, files in zip(chain.links[1:], chain.differing(0, len(chain.links) - 1), strict=True):
            found.add(link.by, files)
            for one in files:
                if one.path:
                    version = Version(one.blobs[1], link.at, found.lineage(one.path))
                    versions.setdefault(one.path, []).append(version)
        return versions, found


def _count(data: bytes) -> int:
    return len(re.findall(rb"[^\n]*\n|[^\n]+", data))
