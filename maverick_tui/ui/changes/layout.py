"""Which rows a diff has, in one column or two: for a width, without drawing any of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from maverick_tui.ui.changes.diff_text import DiffText, blocks
from maverick_tui.ui.rendering.wrap import folds, hang_of, wrap_words

MOST_AUTHORS = 4
"""Rows of a heading."""
EDGE = 2
"""Columns before the number of a line: where one is, and whose it is."""
COMMENT_EDGE = 4

Kind = Literal["note", "gap", "heading", "line", "pair", "comment"]
CHOSEN: tuple[Kind, ...] = ("heading", "line", "pair", "comment")
"""What keys can act on."""


class Placed(NamedTuple):
    """A row. `at` is the place of its note, hunk, line or comment, `part` says which row of that it is."""

    kind: Kind
    at: int
    part: int = 0
    other: int = -1
    """Of two lines beside each other the one at the right; -1 if there is none, as `at` may be."""


class Columns(NamedTuple):
    """Where things stand in a row."""

    digits: int
    room: int
    """Columns of text, on each side if there are two."""


def columns(diff: DiffText, width: int, *, is_split: bool) -> Columns:
    """The columns of a diff; numbers give way to text where there is hardly any room."""
    digits = diff.digits
    whole = (width - EDGE - 1) // 2 if is_split else width - EDGE
    lead = digits + 1 + 2
    if lead > whole // 3:
        digits, lead = 0, 2
    return Columns(digits, max(2, whole - lead))


def heading_rows(diff: DiffText, hunk: int) -> int:
    """How many rows say whose a hunk is."""
    return min(max(len(diff.hunks[hunk].authors), 1), MOST_AUTHORS)


def comment_lines(text: str, width: int) -> list[str]:
    """A comment as it stands below its line."""
    return wrap_words(text, max(width - COMMENT_EDGE, 10))


def placed(
    diff: DiffText, width: int, comments: Mapping[int, Sequence[tuple[int, str]]], *, is_split: bool
) -> list[Placed]:
    """All rows of a diff. `comments` are those below each line, as places and texts; those at -1 have lost theirs."""
    rows = [Placed("note", at) for at in range(len(diff.notes))]
    rows += _comments(comments.get(-1, ()), width)
    room = columns(diff, width, is_split=is_split).room
    hunk = -1
    for row in _beside(diff) if is_split else (Placed("line", at) for at in range(len(diff.lines))):
        first = row.at if row.at >= 0 else row.other
        if diff.lines[first].hunk != hunk:
            hunk = diff.lines[first].hunk
            rows += [Placed("gap", hunk)] if rows else []
            rows += (Placed("heading", hunk, part) for part in range(heading_rows(diff, hunk)))
        sides = [at for at in (row.at, row.other) if at >= 0]
        rows.append(row)
        parts = max(_parts(diff.lines[at].text, room) for at in sides)
        if parts > 1:
            rows += (row._replace(part=part) for part in range(1, parts))
        for at in dict.fromkeys(sides):
            if at in comments:
                rows += _comments(comments[at], width)
    return rows


def _comments(comments: Sequence[tuple[int, str]], width: int) -> Iterator[Placed]:
    for at, text in comments:
        yield from (Placed("comment", at, part) for part in range(len(comment_lines(text, width))))


def _parts(text: str, room: int) -> int:
    return 1 if len(text) <= room // 2 else folds(text, room, hang_of(text, room))  # no character has three cells


def _beside(diff: DiffText) -> Iterator[Placed]:
    """Two lines on each row: what was there and what is."""
    lines = diff.lines
    changed = blocks(lines)
    following = next(changed, None)
    done: set[int] = set()
    for at, line in enumerate(lines):
        if at in done:
            continue
        if line.sign not in "+-":
            yield Placed("pair", at, other=at)
            continue
        assert following is not None
        gone, come = following
        following = next(changed, None)
        done.update(gone, come)
        yield from _block(diff, gone, come)


def _block(diff: DiffText, gone: Sequence[int], come: Sequence[int]) -> Iterator[Placed]:
    """The rows of lines that have gone and come; those that belong together are beside each other."""
    left, right = list(gone), list(come)
    pairs = [(at, diff.mates[at]) for at in gone if at in diff.mates]
    for old, new in [*pairs, (-1, -1)]:
        alone_left = left[: left.index(old)] if old >= 0 else left
        alone_right = right[: right.index(new)] if new >= 0 else right
        for place in range(max(len(alone_left), len(alone_right))):
            one = alone_left[place] if place < len(alone_left) else -1
            other = alone_right[place] if place < len(alone_right) else -1
            yield Placed("pair", one, other=other)
        if old >= 0:
            yield Placed("pair", old, other=new)
            del left[: left.index(old) + 1]
            del right[: right.index(new) + 1]
