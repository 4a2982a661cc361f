"""Lines that say who wrote them: whoever changes one leaves a mark on it."""

from __future__ import annotations

import re

from maverick_tui.snapshots.attribution import Link, Writer, Writers, trace
from maverick_tui.snapshots.changes import changes, hunks
from maverick_tui.snapshots.entries import bytes_of
from maverick_tui.snapshots.shadow import Shadow


def tagged(line: bytes) -> Writers:
    """By the last mark on a line, which every call of the script leaves."""
    marks = re.findall(rb"<(\w+)>", line)
    return (Writer(marks[-1].decode()),) if marks else ()


def checked(shadow: Shadow, chain: list[Link]) -> int:
    """How many hunks there are between the first snapshot and the last; each names whoever wrote it."""
    found, hunks_seen = trace(shadow, chain), 0
    first, last = chain[0].snapshot, chain[-1].snapshot
    at_work = {link.by for link in chain[1:]}
    for change in changes(shadow, first, last):
        lines = (bytes_of(shadow, last, change.path) or b"").splitlines()
        theirs = [by if (by := tagged(line)) in at_work else () for line in lines]
        assert found.lines(change.path, len(lines)) == theirs, change.path
        for hunk in hunks(shadow, change, 0):
            new = {tagged(line.encode()) for line in hunk.lines if line.startswith("+")}
            writers = set(found.hunk(hunk, change.path, change.was))
            assert new <= writers <= at_work, hunk
            assert new == writers or not new or any(line.startswith("-") for line in hunk.lines), hunk
            hunks_seen += 1
    return hunks_seen
