"""How much has changed in several files: what tools make anew is counted apart, as nobody has worked on it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from maverick_tui.review.kinds import ChangedFile
from maverick_tui.worktrees.caches import in_caches


class ChangeSum(NamedTuple):
    """Files and their lines; and how many more files are in caches."""

    files: int
    added: int
    deleted: int
    in_caches: int


def sum_of(root: Path, files: Iterable[ChangedFile]) -> ChangeSum:
    """The sum of these files of a folder."""
    known = list(files)
    caches = in_caches(root, [file.path for file in known])
    counted = [file for file in known if file.path not in caches]
    lines = (sum(file.added for file in counted), sum(file.deleted for file in counted))
    return ChangeSum(len(counted), *lines, len(known) - len(counted))
