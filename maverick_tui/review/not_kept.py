"""What a command may have made of files that snapshots leave out: it may be all that is left of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from maverick_tui.snapshots.entries import entries_of, files
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import EMPTY_BLOB, ENOUGH, SECRET, UNREADABLE, Snapshot
from maverick_tui.worktrees.caches import is_known

BEHIND = 2.0
"""Seconds by which the time of a file may be behind, or a call may be told too late."""
_NAMED = 3
"""Files that are named as those that something may have been made of."""
_MOST_LOOKED_AT = 2_000
"""Entries of a folder that is left out that are looked through, with those of folders in it."""
_REPOSITORY = "it was a repository of its own, of which only the files are kept"
_MOVED = "it is older than the command that brought it, and may be from a folder that is not kept"


class NotKept:
    """What was left out before a command, which began and ended then, and what has become of it."""

    def __init__(self, shadow: Shadow, before: Snapshot, after: Snapshot, began: float, ended: float) -> None:
        self._shadow = shadow
        self._before, self._after = before, after
        self._began, self._ended = began - BEHIND, ended

    def gone(self, touched: Collection[str]) -> dict[str, str]:
        """What of it is not there afterwards, or not as much, with the reason; `touched` is known to have changed."""
        before, after = self._before.left_out, self._after
        found = {f"{at}.git": _REPOSITORY for at in self._repositories_gone()}
        if before == after.left_out:
            return found
        return found | {path: why for path, why in before.items() if not after.leaves_out(path) and path not in touched}

    def _repositories_gone(self) -> Iterator[str]:
        """Repositories inside that are none any more: what git keeps of each is in no snapshot."""
        after = {part.at for part in self._after.parts}
        gone = (part.at for part in self._before.parts if part.at not in after)
        return (at for at in gone if self._look(f"{at}.git") is None)

    def grown(self, touched: Iterable[str]) -> dict[str, str]:
        """Folders of which files were kept before, and that are left out afterwards, with the reason.

        Of these files, those that are gone are named: nothing else tells of them.
        """
        new = ((path, why) for path, why in self._after.left_out.items() if path not in self._before.left_out)
        found = dict[str, str]()
        for path, why in new:
            kept = [one for one in touched if one.startswith(path)]
            if path.endswith("/") and why != ENOUGH and kept:
                found[path] = f"{why}{_gone_words(sorted(one for one in kept if self._look(one) is None))}"
        return found

    def only_copies(self, paths: Collection[str], gone: Collection[str]) -> dict[str, str]:
        """Which of the paths that the command has changed may hold what is nowhere else, and why that may be."""
        left_out = self._before.left_out
        is_any = left_out or gone
        paths = [path for path in paths if is_any and not self._before.leaves_out(path)]  # those were there before
        if not paths:
            return {}
        secrets = [path for path, why in left_out.items() if why == SECRET]
        stays_closed = {path for path, why in left_out.items() if why == self._after.left_out.get(path) == UNREADABLE}
        folders = [path for path in left_out if path.endswith("/") and path not in stays_closed]
        changed = {*filter(self._is_changed, secrets), *filter(self._has_less, folders), *self._cut()}
        lost = sorted({*gone, *changed}, key=os.fsencode)
        moved = set[str]()
        if lost or folders:  # what is in those is not known
            moved = {path for path in paths if self._is_moved(path)}
        found = entries_of(self._shadow, self._after, set(paths) if lost else moved) if lost or moved else {}
        if not found:
            return {}
        before = files(self._shadow, self._before)
        kept = {EMPTY_BLOB, *(entry.blob for entry in before.values())}
        is_secret = not set(secrets).isdisjoint(lost)
        why = f"it may hold what was in {' or '.join(lost[:_NAMED])}, which is not kept" if lost else _MOVED
        return {
            path: why
            for path, entry in found.items()
            if entry.blob not in kept and (path not in before or path in moved or is_secret)
        }

    def moved_out(self, paths: Collection[str]) -> dict[str, str]:
        """Which of the paths hold what the command took from where nothing is kept any more: it cannot go back."""
        before, after = self._before, self._after
        left = {path for path in paths if after.leaves_out(path) and not before.leaves_out(path)}
        gone = {path for path in left if self._look(path) is None}
        if not gone:
            return {}
        was = {entry.blob: path for path, entry in entries_of(self._shadow, before, gone).items()}
        was.pop(EMPTY_BLOB, None)
        return {
            path: f"it holds what was in {was[entry.blob]}, which is not kept any more"
            for path, entry in entries_of(self._shadow, after, set(paths) - left).items()
            if entry.blob in was
        }

    def _cut(self) -> Iterator[str]:
        """Files that hold less afterwards. One to which something was added, a log, say, has lost nothing."""
        before, after = self._before.sizes, dict(self._after.sizes)
        if now_kept := entries_of(self._shadow, self._after, before.keys() - after.keys()):
            blobs = "\n".join(entry.blob for entry in now_kept.values()).encode()
            told = self._shadow.git("cat-file", "--batch-check=%(objectsize)", stdin=blobs)
            after |= zip(now_kept, map(int, told.split()), strict=True)
        return (path for path, size in before.items() if after.get(path, size) < size)

    def _is_changed(self, path: str) -> bool:
        """Whether a file was changed last while the command ran."""
        about = self._look(path)
        return about is not None and self._began <= about.st_ctime <= self._ended

    def _has_less(self, path: str) -> bool:
        """Whether something went from a folder or one in it while the command ran, as far as a look at some tells.

        Where something came as well, it need not have: that is what a build does.
        """
        waiting, left = [path.rstrip("/")], _MOST_LOOKED_AT
        for folder in waiting:
            place = self._shadow.folder / folder
            if is_known(place):
                continue
            try:
                with os.scandir(place) as scanned:
                    entries = list(scanned)
            except OSError:
                continue
            if (left := left - len(entries)) < 0:
                break
            if self._is_changed(folder) and not any(self._is_changed(f"{folder}/{entry.name}") for entry in entries):
                return True
            waiting += (f"{folder}/{entry.name}" for entry in entries if entry.is_dir(follow_symlinks=False))
        return False

    def _is_moved(self, path: str) -> bool:
        """Whether a file was not written by the command: one that is moved keeps its time."""
        about = self._look(path)
        return about is not None and about.st_mtime < self._began

    def _look(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(self._shadow.folder / path)
        except OSError:
            return None


def _gone_words(paths: Sequence[str]) -> str:
    """Which files are gone, to be said after why the folder that they were in is not kept any more."""
    if not paths:
        return ""
    *first, last = paths if len(paths) <= _NAMED else [*paths[: _NAMED - 1], f"{len(paths) - _NAMED + 1:,} more"]
    return f"; {', '.join(first)} and {last} are gone from it" if first else f"; {last} is gone from it"
