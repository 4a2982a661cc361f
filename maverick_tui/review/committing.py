"""Commits what a person has chosen of a run's changes: by git itself, as if they had done it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from maverick_tui.review.kinds import ChangedHunk


class Chosen(NamedTuple):
    """A file as it is now, or only some hunks of it. A renamed file is two: its path, and its path before."""

    path: str
    hunks: tuple[ChangedHunk, ...] | None = None


class Committed(NamedTuple):
    """The name of the new commit, and what git and the hooks have said (inert)."""

    commit: str
    said: str
    note: str = ""
    """What the person has to know besides: the list of what is staged could not be brought up to date, say."""


def commit(root: Path, chosen: Sequence[Chosen], message: str) -> Committed:
    """Commit these files and hunks, and nothing else; what else is staged or not stays so.

    This runs the repository's hooks, its filters and the person's signer, as `git commit` does by hand, trusted or not:
    so it is only ever called because a person has asked for this very commit. ConfigError if nothing was committed;
    then nothing is changed.
    """
    raise NotImplementedError
