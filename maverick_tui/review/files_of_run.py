"""Which files a run has changed, in short: those that its journal names, and those that only its snapshots know."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

from maverick_tui.exceptions import MaverickError
from maverick_tui.masking.redact import redact
from maverick_tui.real_paths import real_path
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
    known = _each_once(folder, named)
    try:
        review = RunReview(run_id)
    except MaverickError:  # its journal is gone meanwhile
        return FilesOfRun(known)
    try:
        changed = [one.path for one in review.files(is_fresh=False)]
        made = in_caches(review.root, changed)
    except (MaverickError, OSError):  # its snapshots are gone, or were never taken
        return FilesOfRun(known, max(review.counted - len(known), 0))
    places = (str(PurePath(review.root, path)) for path in changed if path not in made)
    return FilesOfRun(_each_once(folder, (*known, *places)))


def _each_once(folder: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The files by the first of their names: a run may name them through links, and snapshots never do.

    All of it is masked, as it is in the journal, before one is compared with the other.
    """
    without_links = cache(real_path)
    top = redact(without_links(folder))
    names: dict[PurePath, str] = {}
    for path in paths:
        whole = PurePath(folder, path)
        place = PurePath(redact(str(PurePath(without_links(str(whole.parent)), whole.name))))
        if not PurePath(path).is_absolute():
            name = path
        elif place.is_relative_to(top):
            name = str(place.relative_to(top))
        else:
            name = redact(path)
        names.setdefault(place, name)
    return tuple(sorted(set(names.values())))
