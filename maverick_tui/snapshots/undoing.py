"""Takes back what was changed between two snapshots: only that, and only where it is still what was left there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from maverick_tui.snapshots.caps import NotTrackedError
from maverick_tui.snapshots.changes import Entry, changes
from maverick_tui.snapshots.disk import FOLDER, OTHER, BlockedError, Disk, File, look, opened, split
from maverick_tui.snapshots.restoring import Does, Journal, Order, Restore
from maverick_tui.snapshots.shadow import Shadow, all_shadows
from maverick_tui.snapshots.snapshot import EMPTY_TREE, LINK, Snapshot

RESTORES = "restores"
"""The folder with what is known of restores that are not finished."""
_GONE = "it is not there any more"
_NEW = "there is something else now"
_BETWEEN = "somebody else has changed it, too"
_SINCE = "it has changed since"


class Span(NamedTuple):
    """A time in which a run has changed something, and nobody else any of these paths (None: any at all)."""

    before: Snapshot
    after: Snapshot
    paths: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What will become of one path, or why it is left as it is."""

    path: str
    does: Does
    why_not: str = ""
    wanted: File | None = None
    left: File | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, and what was not."""

    before: Snapshot
    """What was there before."""
    after: Snapshot | None
    """What is there now; None if that could not be kept, for then it cannot be taken back again."""
    done: tuple[Step, ...]
    refused: tuple[Step, ...]

    @property
    def paths(self) -> frozenset[str]:
        """The paths that were changed."""
        return frozenset(step.path for step in self.done)


def plan(shadow: Shadow, spans: Sequence[Span], paths: Collection[str] | None = None) -> list[Step]:
    """What an undo of all that was changed in these spans, one after another, does; or of these paths alone.

    What is already as it was is not in it.
    """
    with _opened(shadow.folder) as top:
        return _Planner(shadow, _merged(spans), top, paths).run()


def undo(
    shadow: Shadow, spans: Sequence[Span], owner: str, paths: Collection[str] | None = None, disk: Disk | None = None
) -> Undone:
    """Take back what was changed in these spans, where it is still as it was left.

    The snapshots that are taken before and afterwards belong to the owner; NotTrackedError if there can be none.
    NotRestoredError if something goes wrong: then all is as it was.
    """
    was = shadow.take(owner)
    with shadow.alone():
        steps = plan(shadow, spans, paths)
        chosen = [step for step in steps if not step.why_not]
        refused = {step.path: step for step in steps if step.why_not}
        if chosen:
            restore = Restore(_journal(shadow, chosen), disk or Disk())
            restore.run(shadow.blob)
            for step in chosen:
                if why := restore.refused.get(step.path):
                    refused[step.path] = replace(step, why_not=why)
    done = tuple(step for step in chosen if step.path not in refused)
    try:
        now = shadow.take(owner)
    except NotTrackedError:
        now = None
    return Undone(was, now, done, tuple(refused.values()))


def undo_undo(shadow: Shadow, undone: Undone, owner: str, disk: Disk | None = None) -> Undone:
    """Have back what was taken back, where nobody has changed it since."""
    if undone.after is None:
        raise NotTrackedError("what was restored could not be kept", shadow.folder)
    return undo(shadow, [Span(undone.before, undone.after)], owner, undone.paths, disk)


def finish_interrupted(disk: Disk | None = None) -> dict[Path, str]:
    """Bring all restores that were cut short to an end; to be called at the start.

    What cannot be brought to an end is told by its folder, and tried again the next time.
    """
    failed: dict[Path, str] = {}
    for shadow in all_shadows():
        if not any(shadow.place.glob(f"{RESTORES}/*.json")):
            continue
        with shadow.alone():
            for file in sorted(shadow.place.glob(f"{RESTORES}/*.json")):
                try:
                    if not shadow.folder.exists():  # and with it all that was to be restored
                        file.unlink()
                        continue
                    restore = Restore(Journal.read(file), disk or Disk())
                    restore.finish()
                    if restore.refused:
                        failed[shadow.folder] = "; ".join(f"{path}: {why}" for path, why in restore.refused.items())
                except (OSError, ValueError, BlockedError) as error:
                    failed[shadow.folder] = str(error)
    return failed


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans between which nothing has changed, as one."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].after.id == span.before.id and found[-1].paths is None and span.paths is None:
            found[-1] = Span(found[-1].before, span.after)
        else:
            found.append(span)
    return found


def _journal(shadow: Shadow, steps: Sequence[Step]) -> Journal:
    going = {step.path for step in steps if step.does in ("delete", "remove folder")}
    with _opened(shadow.folder) as top:
        orders = [Order(one.path, one.does, one.wanted, one.left, _home(top, one.path, going)) for one in steps]
    return Journal(shadow.place / RESTORES / f"{secrets.token_hex(8)}.json", str(shadow.folder), orders)


def _home(top: int, path: str, going: set[str]) -> str:
    """The nearest folder around a path that is there, and stays."""
    folder = split(path)[0]
    while folder:
        if folder not in going:
            try:
                with opened(top, folder):
                    return folder
            except (FileNotFoundError, BlockedError):
                pass
        folder = split(folder)[0]
    return ""


def _file(snapshot: Snapshot, path: str, entry: Entry | None) -> File | None:
    if entry is None:
        return None
    return File(*entry, 0 if entry.mode == LINK else snapshot.permissions(path, entry.mode))


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class _Planner:
    """Holds what is wanted against what is there now."""

    def __init__(self, shadow: Shadow, spans: Sequence[Span], top: int, paths: Collection[str] | None) -> None:
        self._shadow = shadow
        self._top = top
        self._paths = paths
        self._steps: dict[str, Step] = {}
        self._folders_made: set[str] = set()
        self._folders_gone: set[str] = set()
        self._trees: dict[str, set[str]] = {EMPTY_TREE: set()}
        for span in spans:
            self._follow(span)

    def _follow(self, span: Span) -> None:
        """Add what was changed in one more span."""
        around: set[str] = set()
        for change in changes(self._shadow, span.before, span.after, finds_renames=False):
            path = change.path
            if not self._is_asked_for(path, span):
                continue
            wanted, left = _file(span.before, path, change.before), _file(span.after, path, change.after)
            known = self._steps.get(path)
            why = ""
            if known is not None:
                why = known.why_not or ("" if known.left == wanted else _BETWEEN)
                wanted = known.wanted
            self._steps[path] = Step(path, "delete" if wanted is None else "write", why, wanted, left)
            around.update(_folders_around(path))
        before, after = ({one for one in side.empty if self._is_asked_for(one, span)} for side in span[:2])
        around |= {folder for path in after - before for folder in (path, *_folders_around(path))}
        made = around - self._known(around, span.before)
        vanished = before - after
        self._folders_gone |= vanished - self._known(vanished, span.after) - self._folders_made
        self._folders_made |= made - self._folders_gone

    def _is_asked_for(self, path: str, span: Span) -> bool:
        return all(paths is None or path in paths for paths in (self._paths, span.paths))

    def run(self) -> list[Step]:
        """The steps, and those for folders."""
        wanted = [step for step in self._steps.values() if step.why_not or step.wanted != step.left]
        going = {step.path for step in wanted if step.does == "delete"}
        steps = [checked for step in wanted if (checked := self._checked(step, going)) is not None]
        deleted = {step.path for step in steps if step.does == "delete" and not step.why_not}
        removed = self._removed(deleted)
        steps = [self._in_the_place_of_a_folder(step, removed) for step in steps]
        refused = {step.path for step in steps if step.why_not}
        steps = [self._behind_refused(step, refused) for step in steps]
        made = self._made({step.path for step in steps if step.does == "write" and not step.why_not}, removed | deleted)
        steps += [Step(path, "remove folder", left=FOLDER) for path in removed]
        steps += [Step(path, "make folder", wanted=FOLDER) for path in made]
        return sorted(steps, key=lambda step: os.fsencode(step.path))

    def _checked(self, step: Step, going: set[str]) -> Step | None:
        """The step, with the reason if it cannot be done; None if there is nothing to do."""
        if step.why_not:
            return step
        try:
            now = look(self._top, step.path)
        except BlockedError as error:
            if error.at not in going:
                return replace(step, why_not=f"{error.at} is no folder any more")
            now = None
        except OSError as error:
            return replace(step, why_not=f"it cannot be read: {error.strerror or error}")
        if now == step.wanted:
            return None
        if now == step.left or (now == FOLDER and step.left is None):  # of a folder, see below
            return step
        is_new = step.left is None or now in (FOLDER, OTHER)
        return replace(step, why_not=_GONE if now is None else _NEW if is_new else _SINCE)

    # -- folders -------------------------------------------------------------------------------------------------------

    def _removed(self, deleted: set[str]) -> set[str]:
        """Folders that were not there before, and in which nothing will be left."""
        found: set[str] = set()
        for folder in sorted(self._folders_made, key=lambda one: -one.count("/")):
            entries = self._entries(folder)
            if entries is not None and all(f"{folder}/{name}" in deleted | found for name in entries):
                found.add(folder)
        return found

    def _known(self, folders: set[str], snapshot: Snapshot) -> set[str]:
        """Those of the folders that a snapshot has."""
        named = {*snapshot.empty, *(path.rstrip("/") for path in snapshot.left_out)}
        named |= {part.at.rstrip("/") for part in snapshot.parts}
        known = {folder for path in named for folder in (path, *_folders_around(path))} & folders
        for part in snapshot.parts:
            for tree in (part.kept, part.ignored):
                known |= {f"{part.at}{path}" for path in self._folders_of(tree)} & folders
        return known

    def _folders_of(self, tree: str) -> set[str]:
        if tree not in self._trees:
            told = self._shadow.git("ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", tree)
            self._trees[tree] = {os.fsdecode(name) for name in told.split(b"\0") if name}
        return self._trees[tree]

    def _made(self, written: set[str], going: set[str]) -> set[str]:
        """Folders that have to be made: for what comes into them, or because they were there, with nothing in them."""
        wanted = {folder for path in written for folder in _folders_around(path)}
        wanted |= {folder for path in self._folders_gone for folder in (path, *_folders_around(path))}
        return {folder for folder in wanted if self._is_missing(folder, going)}

    def _is_missing(self, path: str, going: set[str]) -> bool:
        if path in going:
            return True
        try:
            return look(self._top, path) is None
        except BlockedError as error:
            return error.at in going

    def _in_the_place_of_a_folder(self, step: Step, removed: set[str]) -> Step:
        """A file can come back only where all that is in the folder there goes."""
        if step.why_not or step.left is not None or step.path in removed or step.does != "write":
            return step
        try:
            is_folder = look(self._top, step.path) == FOLDER
        except BlockedError:
            is_folder = False
        return replace(step, why_not="there is a folder now, with something else in it") if is_folder else step

    @staticmethod
    def _behind_refused(step: Step, refused: set[str]) -> Step:
        """What would be in a folder for which something else has to go, which stays."""
        around = next((folder for folder in _folders_around(step.path) if folder in refused), "")
        is_stuck = around and step.does == "write" and not step.why_not
        return replace(step, why_not=f"{around} stays as it is") if is_stuck else step

    def _entries(self, folder: str) -> list[str] | None:
        try:
            with opened(self._top, folder) as inner:
                return os.listdir(inner)  # noqa: PTH208 - it is open, and has no path
        except (FileNotFoundError, BlockedError):
            return None


def _folders_around(path: str) -> Iterator[str]:
    """The folders that a path is in, the nearest first."""
    while path := split(path)[0]:
        yield path
