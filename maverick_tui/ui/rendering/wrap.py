"""Breaks styled text into lines of a width in cells: between words, or at the cell for code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style

from maverick_tui.inert import inert

TAB = 4

Styled: TypeAlias = tuple[str, Style]
"""A piece of text of one style."""


class WrappedLine(NamedTuple):
    """One line of a width: what is on it, its cells, and what was taken away where it was parted from the one before.

    The glue is None where a line begins, and spaces or nothing where it continues.
    """

    segments: list[Segment]
    cells: int
    glue: str | None


_Cut: TypeAlias = tuple[int, int, int]
"""Where a line begins and ends, and where the next one begins."""

# Everything that is not known to be one cell wide. The known ranges hold what Western prose, code and our own
# glyphs are made of; a test compares them with Rich's table.
_ODD = (
    "[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u0590\u1e00-\u200a\u2010-\u2027\u202f-\u205f\u2070-\u20cf"
    "\u20f1-\u2319\u232b-\u23e8\u23f4-\u25fc\u270c-\u2727\u2758-\u2794\u27c0-\u2b1a\ue000-\uf8ff]"
)
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
# Rich counts whatever follows a zero-width joiner as nothing, which is right between emoji and nowhere else.
_STRAY_JOINER = re.compile(f"(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])")
_HALF_A_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_LAST_FLAGS = re.compile(f"{_HALF_A_FLAG.pattern}+$")
# No line of Chinese or Japanese begins with one of these.
_NOT_FIRST = frozenset(
    "\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff09\uff3d\uff5d」』】〉》\u3015…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々,.!?:;)]}"
)

_START = re.compile(r" *(?:(?:[-*+]|\d{1,3}[.)]) +)?")
_FENCES = ("```", "~~~")
_NEVER_JOINED = "#|>"
_BROKEN_AT = 72
"""Lines that are shorter than this have been ended on purpose."""


def clean(text: str) -> str:
    """A piece of one line that is safe to draw and whose width is known: no control character, no tab, no newline."""
    if text.isascii() and text.isprintable():
        return text
    return _clean(text.expandtabs(TAB).replace("\n", " "))


def clean_lines(text: str) -> list[str]:
    """The lines of a text, each of them safe to draw."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    is_plain = text.isascii()
    return [line if is_plain and line.isprintable() else _clean(line.expandtabs(TAB)) for line in text.split("\n")]


def _clean(text: str) -> str:
    text = inert(text)
    return _STRAY_JOINER.sub("", text) if "\u200d" in text else text


def is_simple(text: str) -> bool:
    """Whether every character of a clean text takes one cell."""
    return text.isascii() or _odd().search(text) is None


@cache
def _odd() -> re.Pattern[str]:
    return re.compile(_ODD)


def cells_of(text: str) -> int:
    """The cells that a clean text takes."""
    return len(text) if is_simple(text) else cell_len(text)


def wrap(runs: Sequence[Styled], width: int) -> list[WrappedLine]:
    """Lines broken between words; a word that is too long is broken where the line ends."""
    return _lines(runs, width, width, by_word=True)


def fold(runs: Sequence[Styled], width: int, hang: int = 0) -> list[WrappedLine]:
    """Lines broken where they are full, or at the last blank if that is near; no blank is lost.

    For code: lines that go on are narrower by `hang`, so that they can be indented.
    """
    return _lines(runs, width, max(2, width - hang), by_word=False)


def folds(text: str, width: int, hang: int = 0) -> int:
    """How many lines `fold` makes of a text on one line, for those who only count them."""
    if not is_simple(text):
        return len(fold([(text, Style.null())], width, hang))
    return 1 if len(text) <= width else sum(1 for _ in _full_cuts(text, width, max(2, width - hang)))


def hang_of(text: str, width: int) -> int:
    """How far a line of code is indented where it goes on: a little more than where it begins."""
    return min(len(text) - len(text.lstrip(" ")) + 2, width // 3)


def wrap_words(text: str, width: int) -> list[str]:
    """The lines of an inert text without styles."""
    lines = wrap([(text, Style.null())], max(width, 1))
    return ["".join(part.text for part in line.segments) for line in lines]


def _lines(runs: Sequence[Styled], width: int, later: int, *, by_word: bool) -> list[WrappedLine]:
    out: list[WrappedLine] = []
    for line in _split(runs):
        text = line[0][0] if len(line) == 1 else "".join([run[0] for run in line])
        if is_simple(text):
            if len(text) <= width:
                out.append(WrappedLine([Segment(part, style) for part, style in line], len(text), None))
                continue
            cuts = _word_cuts(text, width) if by_word else _full_cuts(text, width, later)
            simple = True
        else:
            cuts, simple = _odd_cuts(line, width, later, by_word=by_word), False
        out.extend(_sliced(line, text, cuts, simple=simple))
    return out


def _split(runs: Sequence[Styled]) -> Iterable[Sequence[Styled]]:
    """The runs of each line of a text with newlines in it; empty runs are left out."""
    if all(text and "\n" not in text for text, _ in runs):
        return (runs,)
    lines: list[list[Styled]] = [[]]
    for text, style in runs:
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, style))
        lines.extend([(other, style)] if other else [] for other in others)
    return lines


def _word_cuts(text: str, width: int) -> Iterator[_Cut]:
    at, size = 0, len(text)
    while size - at > width:
        cut = text.rfind(" ", at, at + width + 1)
        end = cut
        while end > at and text[end - 1] == " ":
            end -= 1
        if end <= at:  # one long word, or nothing but its indentation before it
            yield at, at + width, at + width
            at += width
            continue
        following = cut + 1
        while following < size and text[following] == " ":
            following += 1
        if following >= size:
            break
        yield at, end, following
        at = following
    yield at, min(size, at + width), size


def _full_cuts(text: str, width: int, later: int) -> Iterator[_Cut]:
    at, size = 0, len(text)
    while size - at > width:
        end = text.rfind(" ", at + width * 2 // 3, at + width) + 1 or at + width
        yield at, end, end
        at, width = end, later
    yield at, size, size


def _odd_cuts(runs: Sequence[Styled], width: int, later: int, *, by_word: bool) -> Iterator[_Cut]:
    """Cuts of a text with wide, combined or invisible characters, never inside what is drawn as one."""
    text = "".join([run[0] for run in runs])
    spans: list[tuple[int, int, int]] = []
    base = 0
    for part, _ in runs:
        # Each run by itself: Textual measures segment by segment, and so the sum is right.
        spans.extend((base + start, base + end, cells) for start, end, cells in _with_whole_flags(part))
        base += len(part)
    at = used = 0
    first, best = 0, -1  # spans: the line's first, and the one before which it may be broken
    index = 0
    while index < len(spans):
        start, after, cells = spans[index]
        character = text[start:after]  # a blank with an accent on it is no blank
        if by_word and index > first:
            before = text[slice(*spans[index - 1][:2])]
            if character != " " and (
                before == " " or ((cells == 2 or spans[index - 1][2] == 2) and character[0] not in _NOT_FIRST)
            ):
                best = index
        if used + cells > width and index > first and not (by_word and character == " "):
            cut = best if best > first and text[at : spans[best][0]].strip(" ") else index
            following = spans[cut][0]
            end = following
            while by_word and end > at and text[end - 1] == " ":
                end -= 1
            yield at, end, following
            at, first, best, used, index = following, cut, -1, 0, cut
            width = later
            continue
        used += cells
        index += 1
    end = len(text)
    if used > width:  # only blanks at the end are too many
        end = at + len(text[at:].rstrip(" "))
    yield at, end, len(text)


def _with_whole_flags(text: str) -> Iterator[_Cut]:
    """Where each character begins and ends as it is drawn, and its cells; Rich takes the two halves of a flag apart."""
    half: _Cut | None = None
    for span in split_graphemes(text)[0]:
        is_half = _HALF_A_FLAG.fullmatch(text, *span[:2]) is not None
        if half is not None:
            if is_half:
                yield half[0], span[1], half[2] + span[2]
                half = None
                continue
            yield half
            half = None
        if is_half:
            half = span
        else:
            yield span
    if half is not None:
        yield half


def _sliced(runs: Sequence[Styled], text: str, cuts: Iterable[_Cut], *, simple: bool) -> Iterator[WrappedLine]:
    """The segments of each cut."""
    glue: str | None = None
    index, begin = 0, 0  # the run that a cut begins in, and where that run begins
    for start, end, following in cuts:
        segments: list[Segment] = []
        at = start
        while at < end:
            part, style = runs[index]
            if at >= begin + len(part):
                begin += len(part)
                index += 1
                continue
            piece = part[at - begin : end - begin]
            segments.append(Segment(piece, style))
            at += len(piece)
        cells = end - start if simple else sum([cell_len(segment.text) for segment in segments])
        yield WrappedLine(segments, cells, glue)
        glue = text[end:following]


# -- text without styles: documents that were wrapped by hand, and what has to fit one line ----------------------------


def wrap_document(text: str, width: int) -> Iterator[tuple[str, str]]:
    """Indent and text of each line of a document; what is wrapped hangs below where its line begins."""
    for line in _paragraphs(text.expandtabs(TAB).split("\n")):
        start = _start(line)
        start = start if len(start) < width // 2 else ""
        for index, part in enumerate(wrap_words(line[len(start) :], width - len(start))):
            yield (" " * len(start) if index else start), part


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The lines; paragraphs that were broken because they were too long are whole again."""
    paragraph: str | None = None
    last, is_fenced = 0, False
    for line in lines:
        is_fence = line.lstrip().startswith(_FENCES)
        if paragraph is not None and not (is_fence or is_fenced) and _continues(line, paragraph, last):
            paragraph = f"{paragraph} {line.strip()}"
        else:
            if paragraph is not None:
                yield paragraph
            paragraph = line
        last = len(line)
        is_fenced ^= is_fence
    if paragraph is not None:
        yield paragraph


def _continues(line: str, paragraph: str, last: int) -> bool:
    """Whether the line continues the one before, of length `last`, which was broken for want of room."""
    words = line.split(maxsplit=1)
    if not words or not paragraph.strip() or last + 1 + len(words[0]) <= _BROKEN_AT:
        return False
    indent, text = _start(line), line.lstrip()
    return indent.isspace() == bool(indent) and len(indent) == len(_start(paragraph)) and text[0] not in _NEVER_JOINED


def _start(line: str) -> str:
    """The indent, and what marks an item of a list."""
    found = _START.match(line)
    return found[0] if found else ""


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    beginning = set_cell_size(text, width - 1)
    halves = _LAST_FLAGS.search(beginning)
    if halves is not None and len(halves[0]) % 2 and _HALF_A_FLAG.match(text, len(beginning)):
        beginning = beginning[:-1]
    return beginning.rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text cut or filled to exactly this width."""
    return set_cell_size(cut(text, width), max(width, 0))
