"""Which files a run has changed, in short: those that its journal names, and those that only its snapshots know."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from maverick_tui.exceptions import MaverickError
from maverick_tui.review.run_review import RunReview
from maverick_tui.worktrees.caches import in_caches


class FilesOfRun(NamedTuple):
    """Their paths, from the run's folder where they are in it; and how many more there are whose names nobody knows."""

    paths: tuple[str, ...]
    more: int = 0


def files_of_run(run_id: str, folder: str, named: Iterable[str]) -> FilesOfRun:
    """All that it has changed; `named` are the files that its journal tells of. What commands change has no name there.

    Nothing is looked at but the last snapshot: of a run that is at work, what it does at this moment may be missing.
    """
    known = set(named)
    try:
        review = RunReview(run_id)
    except MaverickError:  # its journal is gone meanwhile
        return FilesOfRun(tuple(sorted(known)))
    try:
        changed = [one.path for one in review.files(is_fresh=False)]
        made = in_caches(review.root, changed)
    except (MaverickError, OSError):  # its snapshots are gone, or were never taken
        return FilesOfRun(tuple(sorted(known)), max(review.counted - len(known), 0))
    places = (PurePath(review.root, path) for path in changed if path not in made)
    known |= {str(place.relative_to(folder) if place.is_relative_to(folder) else place) for place in places}
    return FilesOfRun(tuple(sorted(known)))
