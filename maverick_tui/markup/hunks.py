"""Hunks: the lines that have changed, and a few around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

CONTEXT = 3
_MOST_COMPARED = 2_000  # lines on each side; beyond that the search takes seconds
_MOST_PAIRS = 3_000_000  # of equal lines that are looked at, some tenths of a second; lines that repeat make far more
_LINE_BREAK = "\n"
_SIGNS = frozenset({" ", "+", "-", "\\", ""})
JOINED = "\\ no line break behind it any more: what follows is joined to it"
PARTED = "\\ no line break behind it yet: one is put in"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines and some around them. Each line begins with ` `, `+` or `-`; `\\` begins a remark."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]
    is_cut: bool = False
    """Whether more lines have changed, of it or after it, than were asked for."""


def hunks_between(
    old: str, new: str, *, most_pairs: int = _MOST_PAIRS, show: Callable[[str], str] = lambda line: line
) -> list[Hunk]:
    """What has to change to turn the one text into the other; all of it, if that cannot be said with so few looks.

    Lines are compared as they are, and shown as that says: two that look alike need not be the same. A line break that
    only one of both texts ends with is a change, too, and remarked on: without it what follows is joined to the line.
    """
    before, after = old.split("\n"), new.split("\n")
    is_told = bool(old and new) and old.endswith("\n") != new.endswith("\n")
    for lines in (before, after):
        if lines[-1] == "":  # the empty piece after a last newline is no line
            lines.pop()
        elif is_told:
            lines[-1] += _LINE_BREAK  # which no line has: so they differ
    return list(_hunks(before, after, most_pairs, show))


def hunks_of_patch(patch: Iterable[Any]) -> list[Hunk]:
    """The hunks of a `structuredPatch`, as the result of an edit has it; what has another shape is left out.

    It may be told by another machine: a line that begins with no sign of a diff is one that stays.
    """
    hunks: list[Hunk] = []
    for part in patch:
        if not isinstance(part, dict):
            continue
        old, new, lines = part.get("oldStart"), part.get("newStart"), part.get("lines")
        if isinstance(old, int) and isinstance(new, int) and isinstance(lines, list):
            texts = (line for line in lines if isinstance(line, str))
            hunks.append(Hunk(old, new, tuple(line if line[:1] in _SIGNS else f" {line}" for line in texts)))
    return hunks


def _hunks(before: list[str], after: list[str], most_pairs: int, show: Callable[[str], str]) -> Iterator[Hunk]:
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return
    few_lines = max(len(old), len(new)) <= _MOST_COMPARED
    found = (compared(old, new, most_pairs) if few_lines else []) or [("replace", 0, len(old), 0, len(new))]
    changes = [(tag, head + a, head + b, head + c, head + d) for tag, a, b, c, d in found]
    pieces = [
        ("equal", 0, head, 0, head),
        *changes,
        ("equal", len(before) - tail, len(before), len(after) - tail, len(after)),
    ]
    for group in _grouped([piece for piece in pieces if piece[1] < piece[2] or piece[3] < piece[4]]):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [f" {show(line)}" for line in before[a:b]]
            else:
                lines += _signed("-", before[a:b], show)
                lines += _signed("+", after[c:d], show)
        yield Hunk(group[0][1] + 1, group[0][3] + 1, tuple(lines))


def _signed(sign: str, lines: Sequence[str], show: Callable[[str], str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{show(line.removesuffix(_LINE_BREAK))}"
        if line.endswith(_LINE_BREAK):
            yield JOINED if sign == "+" else PARTED


_Piece = tuple[str, int, int, int, int]


def compared(old: Sequence[str], new: Sequence[str], most_pairs: int) -> list[_Piece]:
    """What stays and what changes; nothing if that would take too long to find out: with what repeats, the cube."""
    if not old or not new:
        return []
    import difflib

    times = Counter(new)

    class Matcher(difflib.SequenceMatcher[str]):
        pairs = 0

        def find_longest_match(
            self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
        ) -> difflib.Match:
            self.pairs += sum(times[line] for line in old[alo:ahi])
            if self.pairs > most_pairs:
                raise _TooManyPairsError
            return super().find_longest_match(alo, ahi, blo, bhi)

    try:
        return list(Matcher(None, old, new, autojunk=False).get_opcodes())
    except _TooManyPairsError:
        return []


class _TooManyPairsError(Exception):
    """The search goes on for too long."""


def _grouped(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Changes that are near one another, with a little of what is equal around them."""
    group: list[_Piece] = []
    for index, (tag, a, b, c, d) in enumerate(pieces):
        if tag != "equal":
            group.append((tag, a, b, c, d))
            continue
        is_first, is_last = index == 0, index == len(pieces) - 1
        if is_first:
            skip = max(0, b - a - CONTEXT)
            group.append((tag, a + skip, b, c + skip, d))
        elif is_last:
            group.append((tag, a, min(b, a + CONTEXT), c, min(d, c + CONTEXT)))
        elif b - a > 2 * CONTEXT:
            group.append((tag, a, a + CONTEXT, c, c + CONTEXT))
            yield group
            group = [(tag, b - CONTEXT, b, d - CONTEXT, d)]
        else:
            group.append((tag, a, b, c, d))
    if any(piece[0] != "equal" for piece in group):
        yield group
