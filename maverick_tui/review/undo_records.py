"""What was taken back of a run, beside the snapshots of its folder: so that any process can give it back."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from maverick_tui.exceptions import MaverickError
from maverick_tui.folder_locks import alone
from maverick_tui.snapshots.attribution import TAKEN_BACK, Writer
from maverick_tui.snapshots.caps import NotTrackedError
from maverick_tui.snapshots.disk import FOLDER
from maverick_tui.snapshots.entries import entries_of
from maverick_tui.snapshots.planning import Step, file_of
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.snapshots.undoing import Undone

_FOLDER = "undone"
_TUPLES = ("numbers", "paths", "given_back")


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """One time that something was taken back, or given back again; `after` is empty until its end is known."""

    run_id: str
    at: float
    before: str
    after: str
    numbers: tuple[int, int]
    paths: tuple[str, ...]
    does: Literal["undo", "redo"] = "undo"
    given_back: tuple[str, ...] = ()
    """Those of the paths that were given back since."""
    wanted: Mapping[str, Any] | None = None
    """What was to be in each path, while that is being done: after a crash, nobody knows how far it has got."""

    @property
    def to_give_back(self) -> frozenset[str]:
        """What of it is still taken back."""
        return frozenset(self.paths).difference(self.given_back) if self.does == "undo" else frozenset()

    @property
    def writer(self) -> Writer:
        """It as one who writes to its paths."""
        return Writer(f"{TAKEN_BACK}{self.run_id}", frozenset(self.paths))


class UndoRecords:
    """Those of one run, the first one first."""

    def __init__(self, shadow: Shadow, run_id: str) -> None:
        self._shadow = shadow
        self._run_id = run_id
        self._file = shadow.place / _FOLDER / f"{run_id}.json"

    def read(self) -> list[UndoRecord]:
        """All that are written down; those that were cut short, as far as they got."""
        found = _read(self._file)
        if any(one.wanted is not None for one in found):
            try:
                with self._alone():  # somebody may be at it in this moment
                    found = self._ended()
            except NotTrackedError:  # how far they got is told as soon as there can be snapshots again
                found = [one for one in found if one.wanted is None]
        return found

    def to_give_back(self) -> list[UndoRecord]:
        """Those of which something is still taken back, the last one first."""
        return [one for one in reversed(self.read()) if one.to_give_back]

    def recorded(self, steps: Iterable[Step], work: Callable[[], Undone], redone: UndoRecord | None = None) -> Undone:
        """What comes of `work`, which takes these steps: written down before and afterwards.

        It takes something back, unless it gives back what was written down before (`redone`).
        """
        does: Literal["undo", "redo"] = "undo" if redone is None else "redo"
        # Where a file comes in the place of a folder, it is the file that is wanted there.
        folders_first = sorted(steps, key=lambda step: step.does != "remove folder")
        wanted = {step.path: _as_list(step.wanted) for step in folders_first}
        with self._alone():  # what another process writes down meanwhile would be lost
            known, was = self._ended(), self._shadow.take(self._run_id)
            begun = UndoRecord(self._run_id, time.time(), was.id, "", (was.number, was.number), tuple(wanted), does)
            self._write([*known, replace(begun, wanted=wanted)])
            try:
                undone = work()
            except MaverickError:  # then all is as it was
                self._write_if_room(known)
                raise
            if undone.done:
                wanted = {path: file for path, file in wanted.items() if path in undone.paths}
                if redone is not None:
                    known = [_given_back(one, undone.paths) if one.at == redone.at else one for one in known]
                known = [*known, self._with_end(replace(begun, paths=tuple(wanted), wanted=wanted), undone.after)]
            self._write_if_room(known)
        return undone

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else takes anything back there, or gives it back."""
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        with alone(self._file.parent):
            yield

    def _ended(self) -> list[UndoRecord]:
        """All that are written down. Nobody is at it now: those that have not come to an end were cut short."""
        found = _read(self._file)
        if any(one.wanted is not None for one in found):
            now = self._shadow.take(self._run_id)
            found = [self._with_end(one, now) for one in found]
            found = [one for one in found if one.paths]
            self._write_if_room(found)
        return found

    def _write(self, records: Iterable[UndoRecord]) -> None:
        """Write them down, as a whole or not at all."""
        unnamed = self._file.with_suffix(".new")
        with unnamed.open("w") as stream:
            json.dump([asdict(one) for one in records], stream)
            stream.flush()
            os.fsync(stream.fileno())
        unnamed.replace(self._file)

    def _write_if_room(self, records: Iterable[UndoRecord]) -> None:
        """Write down how it has ended, if that can be: it was begun on disk, and whoever reads that looks once more."""
        with suppress(OSError):
            self._write(records)

    def _with_end(self, record: UndoRecord, now: Snapshot | None) -> UndoRecord:
        """It with what there was at its end; if that could not be kept, it stays as one that was cut short.

        What was to be and is not so, was not done, or somebody has saved since: that is not for a redo to replace.
        """
        if now is None or record.wanted is None:
            return record
        done = tuple(self._as_wanted(record.wanted, now))
        return replace(record, after=now.id, numbers=(record.numbers[0], now.number), paths=done, wanted=None)

    def _as_wanted(self, wanted: Mapping[str, Any], now: Snapshot) -> list[str]:
        """The paths that are as they were to be."""
        there = entries_of(self._shadow, now, wanted.keys())
        return [
            path
            for path in sorted(wanted, key=os.fsencode)
            if (wanted[path] or [""])[0] == FOLDER.mode or _as_list(file_of(now, path, there.get(path))) == wanted[path]
        ]


def _given_back(record: UndoRecord, paths: Iterable[str]) -> UndoRecord:
    return replace(record, given_back=tuple(sorted({*record.given_back, *paths}, key=os.fsencode)))


def all_records(shadow: Shadow) -> list[UndoRecord]:
    """Those of all runs in a folder that have come to an end."""
    files = sorted((shadow.place / _FOLDER).glob("*.json"))
    return [one for file in files for one in _read(file) if one.wanted is None]


def forget(shadow: Shadow, run_id: str) -> None:
    """Throw those of a run away."""
    (shadow.place / _FOLDER / f"{run_id}.json").unlink(missing_ok=True)


def _as_list(file: tuple[Any, ...] | None) -> list[Any] | None:
    """As JSON has it."""
    return None if file is None else list(file)


def _read(file: Path) -> list[UndoRecord]:
    try:
        data: Any = json.loads(file.read_text())
        return [UndoRecord(**one | {name: tuple(one[name]) for name in _TUPLES}) for one in data]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError):  # what cannot be read cannot be given back
        return []
