"""What of a run's changes is committed by now, so that a person sees what is left; nothing runs to find out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git
from maverick_tui.review.committing import named, repository_of, uncommitted, within
from maverick_tui.review.kinds import ChangedFile, ChangedHunk, Scope
from maverick_tui.snapshots.changes import Lines

if TYPE_CHECKING:
    from maverick_tui.review.run_review import RunReview

_MOST_GONE = 50
"""Files that are gone for each of which git is asked whether any commit has had it."""


def committed_files(root: Path, files: Sequence[ChangedFile]) -> frozenset[str]:
    """The paths of those of which nothing is left to commit; none where nothing can be committed."""
    paths = {file.path: [path for path in (file.path, file.was) if path] for file in files}
    try:
        left = uncommitted(root, [path for both in paths.values() for path in both])
        repository = repository_of(root)
        names = {path: within(repository, root, path) for path in paths}
        git = Git(repository.top)
        # What git ignores differs from no commit, either, and neither does what it was told to overlook.
        listed = git("ls-files", "-v", "-z", "--", *named(names.values())).split("\0")
        known = {line[2:] for line in listed if line.startswith("H ")}
        gone = [file.path for file in files if file.status == "deleted" and left.isdisjoint(paths[file.path])]
        gone = [path for path in gone[:_MOST_GONE] if git("rev-list", "-1", "HEAD", "--", *named([names[path]]))]
    except ConfigError:
        return frozenset()
    return frozenset(
        path for path, both in paths.items() if left.isdisjoint(both) and (path in gone or names[path] in known)
    )


def committed_hunks(review: RunReview, scope: Scope, path: str, hunks: Iterable[ChangedHunk]) -> frozenset[int]:
    """The places of those hunks of a file that stand in the last commit as they are shown."""
    try:
        repository = repository_of(review.root)
        name = within(repository, review.root, path)
        text = Git(repository.top).run("cat-file", "blob", f"HEAD:{name}")
        differing = review.lines_since(text, scope, path)
    except ConfigError:
        return frozenset()
    if differing is None:  # and the last commit has it still
        return frozenset()
    return frozenset(
        place
        for place, one in enumerate(hunks)
        if one.lines and not one.hunk.is_cut and not any(_meet(own, other) for own in one.lines for other in differing)
    )


def _meet(one: Lines, other: Lines) -> bool:
    """Whether lines of a file as it is are among both; where lines have only gone, those at its edges count, too."""
    edge = not one.added or not other.added
    return one.new < other.new + other.added + edge and other.new < one.new + one.added + edge
