"""Which run's worktree a commit was made in: of several runs that have written a line, that one has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, reduce

from maverick_tui.git.changing import Git, GitError
from maverick_tui.review.kinds import Authors
from maverick_tui.review.traced import Told
from maverick_tui.worktrees import records

_SAID = re.compile(rb"^[ \t]*Maverick's run ([0-9a-z-]{4,64})\.\s*$", re.MULTILINE)
"""What the message of a commit says that is made of all that a run has left; one of several has each of theirs."""
_SLACK = 1.0
"""Seconds: git knows of no parts of one."""


class Makers:
    """Chooses among those who have written a line by what snapshots know, and names nobody else."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._said = cache(self._read)
        self._has_made = cache(self._is_of)

    def chosen(self, known: Sequence[Told], commit: str, at: float) -> Told:
        """Who has written a line that came with this commit, made at that time: by it, or else whoever is told first.

        What two runs write alike has the same bytes, and so has what is written again after it was deleted.
        """
        first = reduce(better, known)
        if len({run_id for told in known for run_id in _runs(told.authors)}) < 2:
            return first
        # Whoever wrote it later has not written what was committed: the commit may have come to them by a merge.
        before = [told for told in known if told.at <= at + _SLACK]
        runs = {run_id for told in before for run_id in _runs(told.authors)}
        makers = {run_id for run_id in runs if self._has_made(run_id, commit)}
        if len(makers) != 1:
            makers = (makers or runs) & self._said(commit) or makers
        for told in before:
            if not makers.isdisjoint(_runs(told.authors)):
                authors = sorted(told.authors, key=lambda author: author.run_id not in makers)
                return told._replace(authors=tuple(authors))
        return first

    def _read(self, commit: str) -> frozenset[str]:
        """The runs that its message names. Anybody may have written that, so it proves nothing by itself."""
        try:
            message = self._git.run("cat-file", "commit", commit).partition(b"\n\n")[2]
        except GitError:
            return frozenset()
        return frozenset(name.decode() for name in _SAID.findall(message))

    def _is_of(self, run_id: str, commit: str) -> bool:
        """Whether it came to the branch of a run's worktree after that was made, by what we know of it ourselves."""
        worktree = records.worktree_of(run_id)
        if worktree is None:
            return False
        tip = self._git.commit(f"refs/heads/{worktree.branch}") or worktree.tip
        return self._is_in(commit, tip) and not self._is_in(commit, worktree.base)

    def _is_in(self, commit: str, tip: str) -> bool:
        return bool(tip) and self._git.has("merge-base", "--is-ancestor", commit, tip)


def better(known: Told, new: Told) -> Told:
    """What says more: a run rather than a person, and a person rather than nobody."""
    is_better = new.is_of_a_run if known.authors else bool(new.authors)
    return new if is_better and not known.is_of_a_run else known


def _runs(authors: Authors) -> set[str]:
    return {author.run_id for author in authors if author.run_id}
