"""Reads what a run has changed, in threads and one question after the other; what is read is ready to be drawn."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from maverick_tui.review.sums import ChangeSum, sum_of
from maverick_tui.threads import in_thread
from maverick_tui.ui.changes.diff_text import DiffText, Runs, coloured, prepared
from maverick_tui.ui.changes.words import notes_of
from maverick_tui.worktrees.caches import in_caches

if TYPE_CHECKING:
    from pathlib import Path

    from maverick_tui.review.kinds import ChangedFile, Scope, TurnChanges
    from maverick_tui.review.run_review import RunReview

T = TypeVar("T")


class Wanted(NamedTuple):
    """What is looked at: a part of the run, a file, and whether what others have changed is wanted, too."""

    scope: Scope
    path: str = ""
    with_others: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to be seen of that."""

    wanted: Wanted
    untracked: str
    has_snapshots: bool
    turns: Sequence[TurnChanges]
    files: Sequence[ChangedFile]
    sum: ChangeSum
    diff: DiffText | None
    """The diff of the file that is wanted, or of the first one."""
    taken_back: frozenset[str]
    """What is still taken back: snapshots that were taken afterwards."""


class Reviewing:
    """Asks a review in threads. A question that nobody waits for any more is still answered before the next one."""

    def __init__(self, make: Callable[[], RunReview]) -> None:
        """`make` opens the review when it is asked for the first time."""
        self._make = make
        self._review: RunReview | None = None
        self._one_at_a_time = threading.Lock()

    async def ask(self, question: Callable[[RunReview], T]) -> T:
        """The answer to a question."""
        return await in_thread(self._answer, question)

    def _answer(self, question: Callable[[RunReview], T]) -> T:
        with self._one_at_a_time:
            if self._review is None:
                self._review = self._make()
            return question(self._review)


def look(review: RunReview, wanted: Wanted, *, is_fresh: bool) -> Seen:
    """All that is shown, in one go; if it need not be fresh, what has changed since the last snapshot is missing."""
    review.refresh()
    has_snapshots = review.root.is_absolute()
    files = review.files(wanted.scope, with_others=wanted.with_others, is_fresh=is_fresh) if has_snapshots else []
    caches = in_caches(review.root, [file.path for file in files])
    files.sort(key=lambda file: file.path in caches)  # what tools make anew is read last, if at all
    chosen = next((file for file in files if wanted.path in (file.path, file.was)), files[0] if files else None)
    diff = read_diff(review, wanted.scope, chosen) if chosen is not None else None
    taken_back = review.taken_back if has_snapshots else frozenset[str]()
    return Seen(
        wanted, review.untracked, has_snapshots, list(review.turns), files, sum_of(review.root, files), diff, taken_back
    )


def standing(review: RunReview) -> ChangeSum:
    """How much stands of all that the run has changed, by the last snapshot or whatever was taken back since."""
    review.refresh()
    return sum_of(review.root, review.files(is_fresh=False))


def read_diff(review: RunReview, scope: Scope, file: ChangedFile) -> DiffText:
    """The diff of one file."""
    hunks = review.hunks(scope, file.path)
    texts = review.texts(scope, file.path) if not hunks else None
    return prepared(file, hunks, notes_of(file, hunks, texts))


async def read_colours(reviewing: Reviewing, scope: Scope, diff: DiffText) -> tuple[list[Runs], list[Runs]]:
    """The colours of a diff, which nobody waits for; neither does the next question."""
    texts = await reviewing.ask(lambda review: review.texts(scope, diff.file.path))
    from maverick_tui.markup.lexing import lexed_at

    with lexed_at(asyncio.get_running_loop()):
        return await in_thread(coloured, diff, *texts)


class Committed(NamedTuple):
    """What is committed by now: files by their paths, and hunks of one by their places."""

    files: frozenset[str]
    hunks: frozenset[int]


async def read_committed(reviewing: Reviewing, seen: Seen, diff: DiffText) -> Committed:
    """That of what is seen; git may take its time, and the next question does not wait for it."""
    scope, path = seen.wanted.scope, diff.file.path
    root = await reviewing.ask(lambda review: review.root)
    files = await in_thread(_committed_files, root, seen.files)
    if path in files and scope.kind in ("start", "since"):  # all that is shown is there now
        return Committed(files, frozenset(range(len(diff.hunks))))
    return Committed(files, await reviewing.ask(lambda review: _committed_hunks(review, scope, diff)))


def _committed_files(root: Path, files: Sequence[ChangedFile]) -> frozenset[str]:
    from maverick_tui.review.committed import committed_files

    return committed_files(root, files)


def _committed_hunks(review: RunReview, scope: Scope, diff: DiffText) -> frozenset[int]:
    from maverick_tui.review.committed import committed_hunks

    return committed_hunks(review, scope, diff.file.path, diff.hunks)
