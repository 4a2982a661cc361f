"""A diff made ready to be drawn, in a thread: its lines, clean and counted, which of them belong together, colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.inert import cut_at
from maverick_tui.markup.hunks import compared
from maverick_tui.masking.redact import MASK, redact
from maverick_tui.ui.rendering.wrap import clean, clean_lines

if TYPE_CHECKING:
    from maverick_tui.review.kinds import ChangedFile, ChangedHunk

LONGEST = 2_000
"""Characters of the longest line that is shown whole."""
RETURN = "␍"
"""Stands at the end of a line that ends as those of Windows do."""
_LONGEST_LEXED = 1_000_000
"""Bytes: of what is longer not even the lines are counted."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 400
_MOST_PAIRS = 20_000  # of equal words; some hundredths of a second for one line
_MOST_COMPARED = 400
"""Pairs of lines that are held against each other where there are more of the one than of the other."""
_ALIKE = 0.4
"""How much of two lines has to be the same for the rest to be told apart."""

Runs = Sequence[tuple[str, str]]
"""Pieces of a line, each with what it is in its language."""


class DiffLine(NamedTuple):
    """A line of a diff. A number is 0 on the side that does not have it."""

    sign: str
    old: int
    new: int
    text: str
    hunk: int
    at: int
    """Its place in its hunk."""


@dataclass(slots=True)
class DiffText:
    """The diff of one file."""

    file: ChangedFile
    hunks: Sequence[ChangedHunk] = ()
    lines: Sequence[DiffLine] = ()
    mates: dict[int, int] = field(default_factory=dict)
    """Which line has become which, both ways, by their places in `lines`."""
    notes: Sequence[str] = ()
    """What is to be said of the file."""
    committed: frozenset[int] = frozenset()
    """Which of the hunks are committed by now."""
    old_colours: Sequence[Runs] = ()
    new_colours: Sequence[Runs] = ()
    _words: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    @property
    def digits(self) -> int:
        """How many the largest number of a line has."""
        ends = (max(one.hunk.old_start, one.hunk.new_start) + len(one.hunk.lines) for one in self.hunks[-1:])
        return len(str(max(ends, default=0)))

    def words(self, at: int) -> list[tuple[int, int]]:
        """From which character to which a line differs from the one that it was, or has become."""
        if at not in self._words:
            mate = self.mates.get(at)
            if mate is None:
                self._words[at] = []
            else:
                old, new = sorted((at, mate))
                self._words[old], self._words[new] = _differing(self.lines[old].text, self.lines[new].text)
        return self._words[at]

    def runs(self, at: int) -> Runs:
        """The pieces of a line; all of it is one where no colours are known, or it is not shown as it stands there."""
        line = self.lines[at]
        colours, number = (self.old_colours, line.old) if line.sign == "-" else (self.new_colours, line.new)
        if 0 < number <= len(colours):
            runs = colours[number - 1]
            text = "".join(part for part, _ in runs)
            if text == line.text:
                return runs
            if f"{text}{RETURN}" == line.text:
                return [*runs, (RETURN, "comment")]
        return [(line.text, "")]


def prepared(file: ChangedFile, hunks: Sequence[ChangedHunk], notes: Sequence[str]) -> DiffText:
    """The diff of a file, without colours, which take longer."""
    lines = list(_lines(hunks))
    if hunks and hunks[-1].hunk.is_cut:
        more = file.added + file.deleted - sum(line.sign in "+-" for line in lines)
        text = f"… {more:,} more {'line has' if more == 1 else 'lines have'} changed" if more else "… it goes on"
        lines.append(DiffLine("\\", 0, 0, text, len(hunks) - 1, len(hunks[-1].hunk.lines)))
    return DiffText(file, tuple(hunks), lines, _mates(lines), notes)


def coloured(diff: DiffText, before: bytes, after: bytes) -> tuple[list[Runs], list[Runs]]:
    """The colours of both sides of a diff, for all lines of the file; nothing of what would take too long."""
    was = diff.file.was or diff.file.path
    return _lexed(before, was), _lexed(after, diff.file.path)


def _lines(hunks: Sequence[ChangedHunk]) -> Iterator[DiffLine]:
    for number, changed in enumerate(hunks):
        old, new = changed.hunk.old_start, changed.hunk.new_start
        signs = [line[:1] for line in changed.hunk.lines]
        texts = _without_secrets([line[1:] for line in changed.hunk.lines])
        for at, (sign, text) in enumerate(zip(signs, texts, strict=True)):
            if sign == "\\":
                yield DiffLine(sign, 0, 0, clean(f"{sign}{text}"), number, at)
                continue
            yield DiffLine(sign, old if sign != "+" else 0, new if sign != "-" else 0, _shown(text), number, at)
            old, new = old + (sign != "+"), new + (sign != "-")


def _shown(text: str) -> str:
    is_windows = text.endswith("\r")
    text = clean(text.removesuffix("\r"))
    if len(text) > LONGEST:
        end = cut_at(text, LONGEST)
        text = f"{text[:end]}… {len(text) - end:,} more characters"
    return f"{text}{RETURN}" if is_windows else text


def _without_secrets(lines: Sequence[str]) -> Sequence[str]:
    """The lines, with a mask for what is a secret; one may go over several of them."""
    joined = "\n".join(lines)
    if (masked := redact(joined)) == joined:
        return lines
    shown = masked.split("\n")
    if len(shown) == len(lines):
        return shown
    known = set(shown)
    return [line if line in known else MASK for line in lines]


# -- which line has become which ---------------------------------------------------------------------------------------


def _mates(lines: Sequence[DiffLine]) -> dict[int, int]:
    found: dict[int, int] = {}
    for gone, come in blocks(lines):
        for old, new in _paired(lines, gone, come):
            found[old], found[new] = new, old
    return found


def blocks(lines: Sequence[DiffLine]) -> Iterator[tuple[list[int], list[int]]]:
    """Lines that have gone, and those that have come in their place."""
    gone: list[int] = []
    come: list[int] = []
    for at, line in enumerate(lines):
        if (line.sign == "-" and come) or line.sign == " ":
            if gone or come:
                yield gone, come
            gone, come = [], []
        if line.sign == "-":
            gone.append(at)
        elif line.sign == "+":
            come.append(at)
    if gone or come:
        yield gone, come


def _paired(lines: Sequence[DiffLine], gone: list[int], come: list[int]) -> Iterator[tuple[int, int]]:
    if len(gone) == len(come) or len(gone) * len(come) > _MOST_COMPARED:
        yield from zip(gone, come, strict=False)
        return
    words = {at: set(_WORD.findall(lines[at].text)) for at in (*gone, *come)}
    first = 0
    for old in gone:
        alike = [(_likeness(words[old], words[new]), -place) for place, new in enumerate(come[first:], first)]
        likeness, place = max(alike, default=(0.0, 0))
        if likeness > _ALIKE:
            yield old, come[-place]
            first = -place + 1


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _differing(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What differs within two lines, on each side; nothing where hardly anything is the same."""
    a, b = _WORD.findall(old), _WORD.findall(new)
    if not a or not b or max(len(a), len(b)) > _MOST_WORDS:
        return [], []
    pieces = compared(a, b, _MOST_PAIRS)
    same = sum(len("".join(a[i:j]).strip()) for tag, i, j, _, _ in pieces if tag == "equal")
    if same < _ALIKE * max(len(old.strip()), len(new.strip())):
        return [], []
    changed = [piece for piece in pieces if piece[0] != "equal"]
    return (
        _places(a, [(i, j) for _, i, j, _, _ in changed]),
        _places(b, [(i, j) for _, _, _, i, j in changed]),
    )


def _places(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """From which character to which; what only a blank parts is one."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if first == last:
            continue
        if found and "".join(words)[found[-1][1] : ends[first]].isspace():
            found[-1] = (found[-1][0], ends[last])
        else:
            found.append((ends[first], ends[last]))
    return found


# -- colours -----------------------------------------------------------------------------------------------------------


def _lexed(data: bytes, path: str) -> list[Runs]:
    from maverick_tui.markup.code import role_of
    from maverick_tui.markup.lexing import lexed

    lines = clean_lines(data.decode(errors="replace")) if len(data) <= _LONGEST_LEXED else []
    return [[(part, role_of(kind)) for part, kind in runs] for runs in lexed(lines, path=path)]
