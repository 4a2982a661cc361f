"""Files that a run has changed and no snapshot holds: all that is known is that it was at them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from maverick_tui.review import not_kept
from maverick_tui.review.accounts import RunAccount
from maverick_tui.review.chain import Chain
from maverick_tui.snapshots.attribution import Writer, Writers
from maverick_tui.snapshots.changes import FileChange, Status
from maverick_tui.snapshots.snapshot import ENOUGH, Snapshot


class Unkept(NamedTuple):
    """Such a file, and the calls that were at it; `change` says why it is not kept."""

    change: FileChange
    by: Writers


class _Work(NamedTuple):
    """A call of the run, and when it ran."""

    writer: Writer
    began: float
    ended: float

    def covers(self, moment: float) -> bool:
        """Whether it ran then."""
        return self.began - not_kept.BEHIND <= moment <= self.ended


def unkept(
    chain: Chain, account: RunAccount, first: int, last: int, is_own: Callable[[Writer], bool]
) -> dict[str, Unkept]:
    """By their paths, the files that those calls of the run which are asked about have changed from a link to another.

    A call that names its file has changed that, unless it failed; of a command it is known by the time of the file.
    """
    snapshots = [link.snapshot for link in chain.links[first : last + 1]]
    found: dict[str, dict[Writer, None]] = {}
    for path, writer in (*_named(account, snapshots, is_own), *_come_or_gone(chain, first, last, is_own)):
        found.setdefault(path, {})[writer] = None
    commands = [work for work in _works(account, is_own) if not work.writer.paths]
    for path in {*snapshots[0].left_out, *snapshots[-1].left_out} if commands else ():
        about = None if path in found or _is_vague(path, snapshots) else _look(chain, path)
        for work in commands if about is not None else ():
            if about is not None and work.covers(about.st_ctime):
                found.setdefault(path, {})[work.writer] = None
    known = {path for change in chain.changes(first, last) for path in (change.path, change.was)}
    whys = {path: _why(path, snapshots) for path in found.keys() - known}
    return {
        path: Unkept(
            FileChange(path, _status(path, snapshots, chain), None, None, not_kept=f"it is not kept: {why}"),
            tuple(found[path]),
        )
        for path, why in whys.items()
        if why
    }


def _works(account: RunAccount, is_own: Callable[[Writer], bool]) -> Iterator[_Work]:
    died = account.died or math.inf
    for call, began in account.began.items():
        if call not in account.failed and is_own(writer := account.writer(call)):
            yield _Work(writer, began, account.ended.get(call, died))


def _named(
    account: RunAccount, snapshots: list[Snapshot], is_own: Callable[[Writer], bool]
) -> Iterator[tuple[str, Writer]]:
    """What calls name that is left out."""
    for work in _works(account, is_own):
        for path in work.writer.paths:
            if _why(path, snapshots):
                yield path, work.writer


def _come_or_gone(
    chain: Chain, first: int, last: int, is_own: Callable[[Writer], bool]
) -> Iterator[tuple[str, Writer]]:
    """What was not there before or is not any more, as long as one of these was at work."""
    links = chain.links[first : last + 1]
    differing = links[0].snapshot.left_out.keys() ^ links[-1].snapshot.left_out.keys()
    for was, link in pairwise(links if differing else ()):
        own = [writer for writer in link.by if is_own(writer)]
        for path in differing & (was.snapshot.left_out.keys() ^ link.snapshot.left_out.keys()):
            if not _is_vague(path, [was.snapshot, link.snapshot]):
                yield from ((path, writer) for writer in own if writer.may_write(path))


def _is_vague(path: str, snapshots: list[Snapshot]) -> bool:
    """Whether it is a folder, of which others may have changed what is in it, or need not have changed."""
    return path.endswith("/") or any(one.left_out.get(path) == ENOUGH for one in snapshots)


def _why(path: str, snapshots: list[Snapshot]) -> str:
    """Why it is not kept; empty if it is."""
    return next((why for one in (snapshots[-1], *snapshots) if (why := one.why_left_out(path))), "")


def _status(path: str, snapshots: list[Snapshot], chain: Chain) -> Status:
    if not snapshots[-1].leaves_out(path) and _look(chain, path) is None:
        return "deleted"
    return "changed" if snapshots[0].leaves_out(path) else "added"


def _look(chain: Chain, path: str) -> os.stat_result | None:
    try:
        return os.lstat(chain.shadow.folder / path)
    except OSError:
        return None
