"""The hunks of a file that has changed, with whose each line is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from maverick_tui.markup.hunks import Hunk
from maverick_tui.review.authors import Names
from maverick_tui.review.kinds import Author, Authors, ChangedHunk
from maverick_tui.snapshots.attribution import Attribution
from maverick_tui.snapshots.changes import FileChange, Lines, hunks
from maverick_tui.snapshots.shadow import Shadow


def changed_hunks(
    shadow: Shadow, change: FileChange, attribution: Attribution, names: Names, context: int, most: int | None
) -> list[ChangedHunk]:
    """The hunks of a file, up to so many lines; the last one may be cut."""
    found: list[ChangedHunk] = []
    authors = cache(names.authors)  # of each line, and there are few
    for hunk in hunks(shadow, change, context, most):
        by_line = attribution.hunk_lines(hunk, change.path, change.was)
        line_authors = tuple(map(authors, by_line))
        whose = names.authors(
            writer for writers in attribution.hunk(hunk, change.path, change.was) for writer in writers
        )
        found.append(ChangedHunk(hunk, tuple(lines for lines, _ in groups(hunk)), whose, line_authors))
    return found


def groups(hunk: Hunk) -> Iterator[tuple[Lines, range]]:
    """Lines of a hunk that have changed and follow each other; also which of `hunk.lines` they are."""
    signs = [line[:1] for line in hunk.lines]
    # Where there are no lines on a side, git names the line before.
    old = hunk.old_start - any(sign in " -" for sign in signs)
    new = hunk.new_start - any(sign in " +" for sign in signs)
    begin, deleted, added = 0, 0, 0
    for at, sign in enumerate([*signs, " "]):
        if sign in "+-":
            if not deleted + added:
                begin = at
            deleted += sign == "-"
            added += sign == "+"
        elif sign == " ":
            if deleted + added:
                yield Lines(old, deleted, new, added), range(begin, at)
            old, new, deleted, added = old + deleted + 1, new + added + 1, 0, 0


def parts(chosen: Iterable[ChangedHunk]) -> set[tuple[Lines, tuple[str, ...]]]:
    """What has changed in these hunks, by place and text, whatever stands around it."""
    return {(lines, one.hunk.lines[places.start : places.stop]) for one in chosen for lines, places in groups(one.hunk)}


def own_lines(chosen: Sequence[ChangedHunk]) -> tuple[list[Lines], list[str]]:
    """Of these hunks the lines that are the run's alone, and which others there are."""
    own: list[Lines] = []
    others: list[str] = []
    for hunk in chosen:
        for lines, places in groups(hunk.hunk):
            authors = {one for at in places for one in hunk.line_authors[at]} or set(hunk.authors)
            if _is_own(tuple(authors)):
                own.append(lines)
            else:
                others.append(str(lines.new + 1) if lines.added < 2 else f"{lines.new + 1}-{lines.new + lines.added}")
    return own, others


def _is_own(authors: Authors) -> bool:
    return bool(authors) and all(map(_is_call, authors))


def _is_call(author: Author) -> bool:
    return author.kind == "call"
