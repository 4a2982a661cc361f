"""What an undo will do, path by path: what was changed, and whether it is still as it was left."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import NamedTuple

from maverick_tui.snapshots.changes import changes
from maverick_tui.snapshots.disk import FOLDER, OTHER, BlockedError, File, look, opened, opened_top, split
from maverick_tui.snapshots.entries import Entry
from maverick_tui.snapshots.folders import folders_in
from maverick_tui.snapshots.restoring import Does
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import EMPTY_BLOB, LINK, Snapshot

_GONE = "it is not there any more"
_NEW = "there is something else now"
_BETWEEN = "somebody else has changed it, too"
_SINCE = "it has changed since"


class Span(NamedTuple):
    """A time in which a run has changed something, and nobody else any of these paths (None: any at all)."""

    before: Snapshot
    after: Snapshot
    paths: Collection[str] | None = None

    def goes_on_in(self, later: Span) -> bool:
        """Whether it is one with a later span, if nothing has changed between them.

        Not where something was left out there that was kept before: nobody knows who has changed it meanwhile.
        """
        is_all = self.paths is None and later.paths is None
        return is_all and {*self.after.left_out, *later.before.left_out} <= self.before.left_out.keys()


@dataclass(frozen=True, slots=True)
class Step:
    """What will become of one path, or why it is left as it is."""

    path: str
    does: Does
    why_not: str = ""
    wanted: File | None = None
    left: File | None = None
    lasted: float = 0.0
    """How many seconds a call took that has changed it, if that was long enough for a person to save it as well."""


def plan(shadow: Shadow, spans: Sequence[Span], paths: Collection[str] | None = None) -> list[Step]:
    """What an undo of all that was changed in these spans does, or of these paths alone.

    The spans follow each other: calls of a run that were at work at the same time are one. What is already as it was is
    not in it.
    """
    with opened_top(shadow.folder) as top:
        return _Planner(shadow, _merged(spans), top, paths).run()


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans between which nothing has changed, as one."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].after.id == span.before.id and found[-1].goes_on_in(span):
            found[-1] = Span(found[-1].before, span.after)
        else:
            found.append(span)
    return found


def why_changed(now: File | None, left: File | None) -> str:
    """Why nothing is done where something else is there than was left; empty if it is that."""
    if now == left:
        return ""
    return _GONE if now is None else _NEW if left is None or now in (FOLDER, OTHER) else _SINCE


def file_of(snapshot: Snapshot, path: str, entry: Entry | None) -> File | None:
    """A file of a snapshot, as it would be on the disk."""
    if entry is None:
        return None
    return File(*entry, 0 if entry.mode == LINK else snapshot.permissions(path, entry.mode))


class _Planner:
    """Holds what is wanted against what is there now."""

    def __init__(self, shadow: Shadow, spans: Sequence[Span], top: int, paths: Collection[str] | None) -> None:
        self._shadow = shadow
        self._top = top
        self._paths = paths
        self._steps: dict[str, Step] = {}
        self._folders_made: set[str] = set()
        self._folders_gone: set[str] = set()
        self._trees: dict[str, set[str]] = {}
        self._not_kept: set[str] = set()
        self._spans = spans
        for span in spans:
            self._follow(span)

    def _follow(self, span: Span) -> None:
        """Add what was changed in one more span."""
        around: set[str] = set()
        for change in changes(self._shadow, span.before, span.after, finds_renames=False):
            path = change.path
            if not self._is_asked_for(path, span):
                continue
            wanted, left = file_of(span.before, path, change.before), file_of(span.after, path, change.after)
            known = self._steps.get(path)
            why = change.not_kept
            if why:
                self._not_kept.add(path)
            if known is not None:
                why = why or known.why_not or ("" if known.left == wanted else _BETWEEN)
                wanted = known.wanted
            is_new = wanted is None and not change.not_kept
            self._steps[path] = Step(path, "delete" if is_new else "write", why, wanted, left)
            around.update(_folders_around(path))
        before, after = ({one for one in side.empty if self._is_asked_for(one, span)} for side in span[:2])
        around |= {folder for path in after - before for folder in (path, *_folders_around(path))}
        made = {one for one in around - self._known(around, span.before) if not span.before.leaves_out(f"{one}/")}
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
        steps = self._but_last_copies(steps)
        deleted = {step.path for step in steps if step.does == "delete" and not step.why_not}
        removed = self._removed(deleted)
        steps = [self._in_the_place_of_a_folder(step, removed) for step in steps]
        refused = {step.path for step in steps if step.why_not}
        steps = [self._behind_refused(step, refused) for step in steps]
        made = self._made({step.path for step in steps if step.does == "write" and not step.why_not}, removed | deleted)
        steps += [Step(path, "remove folder", left=FOLDER) for path in removed]
        steps += [Step(path, "make folder", wanted=self._folder(path)) for path in made]
        return sorted(steps, key=lambda step: os.fsencode(step.path))

    def _checked(self, step: Step, going: set[str]) -> Step | None:
        """The step, with the reason if it cannot be done; None if there is nothing to do."""
        if step.why_not and (step.wanted is None or self._is_large(step.path)):
            return step
        try:
            now = look(self._top, step.path)
        except BlockedError as error:
            if error.at not in going:
                return replace(step, why_not=step.why_not or f"{error.at} is no folder any more")
            now = None
        except OSError as error:
            return replace(step, why_not=step.why_not or f"it cannot be read: {error.strerror or error}")
        if now == step.wanted:
            return None
        if step.why_not:
            return step
        if now == FOLDER and step.left is None:  # see below
            return step
        return replace(step, why_not=why_changed(now, step.left))

    def _but_last_copies(self, steps: Sequence[Step]) -> list[Step]:
        """Where something cannot come back, what holds the same now stays as well: it may have been moved there."""
        stays = {
            step.wanted.blob: step.path
            for step in steps
            if step.why_not and step.wanted is not None and step.path not in self._not_kept
        }
        stays.pop(EMPTY_BLOB, None)
        return [
            replace(step, why_not=f"it holds what was in {stays[step.left.blob]}, which stays as it is")
            if not step.why_not and step.left is not None and step.left.blob in stays and not _is_mode_alone(step)
            else step
            for step in steps
        ]

    def _is_large(self, path: str) -> bool:
        """Whether it is larger than anything that is kept, and so need not be read."""
        try:
            return (self._shadow.folder / path).lstat().st_size > self._shadow.caps.file_bytes
        except OSError:
            return False

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
            self._trees[tree] = folders_in(self._shadow.git, tree)
        return self._trees[tree]

    def _made(self, written: set[str], going: set[str]) -> set[str]:
        """Folders that have to be made: for what comes into them, or because they were there, with nothing in them."""
        wanted = {folder for path in written for folder in _folders_around(path)}
        wanted |= {folder for path in self._folders_gone for folder in (path, *_folders_around(path))}
        return {folder for folder in wanted if self._is_missing(folder, going)}

    def _folder(self, path: str) -> File:
        """A folder that is made again: nobody may do in it what was forbidden to them before any of the spans."""
        allowed = (span.before.folder_permissions(path) for span in self._spans)
        return FOLDER._replace(permissions=reduce(and_, allowed))

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


def _is_mode_alone(step: Step) -> bool:
    return step.wanted is not None and step.left is not None and step.wanted.blob == step.left.blob


def _folders_around(path: str) -> Iterator[str]:
    """The folders that a path is in, the nearest first."""
    while path := split(path)[0]:
        yield path
