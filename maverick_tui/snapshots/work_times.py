"""When runs were at work in a folder, and what has changed there meanwhile: beside its snapshots.

Of a run that is not kept, or was deleted, nothing else is left. It says only that some run has worked there, so that
what that run did is not taken for another one's who was at work at the same time.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_FOLDER = "work"
_MOST_PATHS = 2_000
"""Paths that are written down of one time; of more, it is not known which."""


class WorkTime(NamedTuple):
    """A time in which a run was at work: between two snapshots, by their numbers and by the clock."""

    since: int
    until: int | None
    """None while it goes on."""
    began: float
    ended: float
    paths: Collection[str] | None
    """What has changed meanwhile; None if that is not known."""


class RunTimes(NamedTuple):
    """All that is known of one run."""

    run_id: str
    root: str
    """The folder that the numbers and paths are of."""
    began: float
    """When the run began."""
    times: list[WorkTime]


def note(place: Path, root: Path, run_id: str, began: float, time: WorkTime) -> None:
    """Add a time to those of a run, which began then; `place` is that of the snapshots.

    One that goes on is over with whatever is added next. What cannot be written is not known, and does no harm else.
    """
    paths = None if time.paths is None or len(time.paths) > _MOST_PATHS else sorted(time.paths, key=os.fsencode)
    with suppress(OSError):
        file = place / _FOLDER / f"{run_id}.jsonl"
        file.parent.mkdir(mode=0o700, exist_ok=True)
        with file.open("a") as lines:
            if not lines.tell():
                lines.write(f"{json.dumps([str(root), began])}\n")
            lines.write(f"{json.dumps(time._replace(paths=paths))}\n")


def runs_at_work(place: Path) -> Iterator[str]:
    """The runs of which there are any."""
    return (file.stem for file in sorted((place / _FOLDER).glob("*.jsonl")))


def times_of(place: Path, run_id: str) -> RunTimes | None:
    """All that was written down of a run; None if that is nothing, or cannot be read."""
    found = list[WorkTime]()
    try:
        first, *lines = (place / _FOLDER / f"{run_id}.jsonl").read_text().splitlines()
        root, began = json.loads(first)
        for line in lines:
            if found and found[-1].until is None:
                found.pop()
            found.append(WorkTime(*json.loads(line)))
    except (OSError, ValueError, TypeError):  # somebody was killed while they wrote: what came before is known
        if not found:
            return None
    return RunTimes(run_id, str(root), float(began), [time for time in found if time.paths is None or time.paths])


def forget_times(place: Path, root: Path, owners: Collection[str], others: Iterable[Path]) -> None:
    """Let go of what is known of runs without snapshots, if none of the owners had begun by then.

    It is handed to those places of `others`, snapshots of folders in this one or around it: they may have owners.
    """
    known = [times_of(place, owner) for owner in owners]
    first = min((0.0 if one is None else one.began for one in known), default=float("inf"))
    going, places = set(runs_at_work(place)).difference(owners), list[Path]()
    for run_id in going:
        times = times_of(place, run_id)
        if times is not None and times.times and times.times[-1].ended >= first:
            continue
        file = place / _FOLDER / f"{run_id}.jsonl"
        if times is not None and times.root == str(root):  # what was handed here goes no further
            places = places or list(others)
            for other in places:
                with suppress(OSError):
                    (other / _FOLDER).mkdir(mode=0o700, exist_ok=True)
                    shutil.copyfile(file, other / _FOLDER / file.name)
        file.unlink(missing_ok=True)
