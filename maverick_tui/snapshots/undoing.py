"""Takes back what was changed between two snapshots: only that, and only where it is still what was left there."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from maverick_tui.snapshots.caps import NotTrackedError
from maverick_tui.snapshots.changes import FileChange, Lines, replaced
from maverick_tui.snapshots.disk import BlockedError, Disk, look, opened, opened_top, split
from maverick_tui.snapshots.planning import Span, Step, file_of, plan, why_changed
from maverick_tui.snapshots.restoring import Journal, Order, Restore
from maverick_tui.snapshots.shadow import Shadow, all_shadows
from maverick_tui.snapshots.snapshot import RESTORES, Snapshot


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, and what was not."""

    before: Snapshot
    """What was there before."""
    after: Snapshot | None
    """What is there now; None if that could not be kept, for then it cannot be taken back again until it can."""
    done: tuple[Step, ...]
    refused: tuple[Step, ...]

    @property
    def paths(self) -> frozenset[str]:
        """The paths that were changed."""
        return frozenset(step.path for step in self.done)


def undo(
    shadow: Shadow, spans: Sequence[Span], owner: str, paths: Collection[str] | None = None, disk: Disk | None = None
) -> Undone:
    """Take back what was changed in these spans, where it is still as it was left.

    The snapshots that are taken before and afterwards belong to the owner; NotTrackedError if there can be none.
    NotRestoredError if something goes wrong: then all is as it was.
    """
    return _done(shadow, lambda: plan(shadow, spans, paths), owner, disk)


def reject(shadow: Shadow, span: Span, change: FileChange, lines: Collection[Lines], owner: str) -> Undone:
    """Take back only some lines of a file that has changed in this span, as `changed_lines` tells them.

    As with `undo`, the file has to be as it was left.
    """
    step = rejection(shadow, span, change, lines)
    if step.left is None or step.wanted is None:
        return undo(shadow, [span], owner, [change.path])
    return _done(shadow, lambda: [rejection(shadow, span, change, lines)], owner, None)


def rejection(shadow: Shadow, span: Span, change: FileChange, lines: Collection[Lines]) -> Step:
    """What `reject` will do."""
    old, new = (b"" if one is None else shadow.blob(one.blob) for one in (change.before, change.after))
    text = replaced(new, old, [one.back for one in lines])
    left = file_of(span.after, change.path, change.after)
    if left is None:  # all of it comes back
        return _checked(shadow, Step(change.path, "write", "", file_of(span.before, change.path, change.before), left))
    if change.before is None and not text:  # all of it goes
        return _checked(shadow, Step(change.path, "delete", "", None, left))
    wanted = left._replace(blob=shadow.keep_blob(text))
    return _checked(shadow, Step(change.path, "write", "", wanted, left))


def _checked(shadow: Shadow, step: Step) -> Step:
    with opened_top(shadow.folder) as top:
        try:
            return replace(step, why_not=why_changed(look(top, step.path), step.left))
        except BlockedError as error:
            return replace(step, why_not=f"{error.at} is no folder any more")


def _done(shadow: Shadow, planned: Callable[[], list[Step]], owner: str, disk: Disk | None) -> Undone:
    """Do what is planned while nobody else works with the folder's snapshots."""
    was = shadow.take(owner)
    with shadow.alone():
        steps = planned()
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


def _journal(shadow: Shadow, steps: Sequence[Step]) -> Journal:
    going = {step.path for step in steps if step.does in ("delete", "remove folder")}
    with opened_top(shadow.folder) as top:
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
