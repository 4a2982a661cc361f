"""Private keys in a text, whole or cut short, and however their lines are shown: with numbers, behind the name of a
file, quoted, in a diff, escaped.

The line that begins a key is no secret, and many a text only speaks of it. So what follows is read line by line, as
long as the lines look like those of a key; a key without its first line is known by its last.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

Span = tuple[int, int]


def always_in_base64(data: bytes) -> Iterator[str]:
    """What is the same of it in base64, by how many bytes are before it: the first and last character may differ."""
    for before in range(3):
        yield b64encode(bytes(before) + data).decode()[before + (before > 0) : (before + len(data)) * 8 // 6]


_ARMOUR = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_OPENSSH = "b3BlbnNzaC1rZXktdjE"
_PUTTY = "Private-Lines:"
_CODED_HEADS = tuple(always_in_base64(b"-----BEGIN "))
_CODED = "|".join(
    coded
    for kind in (b"", b"RSA ", b"EC ", b"DSA ", b"OPENSSH ", b"ENCRYPTED ", b"PGP ")
    for coded in always_in_base64(b"-----BEGIN " + kind + b"PRIVATE KEY")
)
"""A whole key in base64, as `tls.key` of a Secret of Kubernetes has it."""
HEADS = ("-----BEGIN ", "-----END ", _OPENSSH, _PUTTY, *_CODED_HEADS)
"""One of them is in every private key."""

_BASE64 = r"[A-Za-z0-9+/=]"
_BEGINS = re.compile(
    rf"(?P<armour>-----BEGIN {_ARMOUR})|{_PUTTY} *+\d++|(?=(?:{_OPENSSH}{_BASE64}{{16}}|{_CODED}){_BASE64}{{4}})"
)
_HALF_BEGUN = re.compile(
    rf"(?:-----BEGIN [A-Z0-9 ]{{0,60}}-{{0,4}}|{_OPENSSH}{_BASE64}{{0,19}}|{_PUTTY} *\d*"
    rf"|(?:{'|'.join(_CODED_HEADS)}){_BASE64}{{0,33}})\Z"
)
_LONGEST_HALF = 100
_ENDS = re.compile(rf"-----END {_ARMOUR}")
_HALF_ENDED = re.compile(r"-----END [A-Z0-9 ]{0,60}-{0,4}\Z")
# Escaped, it may stand before the end of a string in code, which is one of a line, too.
_LINE_END = re.compile(r"\r?\n|\r|(?<!\\)\\++(?:r\\++n|[nr])(?:[\"'][^\w\r\n]{0,9}+\r?\n)?|(?=-----(?:BEGIN|END) )")

_LONGEST_NAME = 200
"""Characters that may stand before a line of a key."""
_RUN = rf"(?:{_BASE64}++|\\++(?:/|u00[0-9A-Fa-f]{{2}}))++"  # JSON may have signs escaped
_KEY = (  # several on a line, where blanks have become of the ends of lines; the last may be short
    rf"(?P<key>(?={_BASE64}{{20}}){_RUN}(?:[ ]++{_BASE64}{{20,}}+)*+(?:[ ]++{_BASE64}++(?=\W*\Z))?|{_RUN})"
)
_NO_NAME = r"(?:[^\w+/=]++|\d++[^\w+/=]++|[+/=]++[^\w+/=]++)*+"
"""What may stand before any line: numbers, quotes, signs."""
_HEADER = re.compile(
    rf".{{0,{_LONGEST_NAME}}}?(?<![^\W\d_])"
    r"(?:Proc-Type|DEK-Info|Key-Info|Content-Domain|Version|Comment|MessageID|Hash|Charset)[ ]?:"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_WORDS = re.compile(r"(?:[/+=]?+(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+(?![a-z]))\d{0,2}+)*+\d{0,4}|[0-9a-f]{32,}|[0-9A-F]{32,}")
"""Words in one, as names are made of them, and hashes."""
_LONG_RUN = re.compile(rf"{_BASE64}{{32,}}+")
_LONG_LAST_RUN = re.compile(rf"{_BASE64}{{32,}}+(?=\W*\Z)")
_LEAST, _LEAST_BY_ITSELF = 8, 32
"""Characters of a line of a key behind its beginning, the last one aside, and where no beginning is known."""
_MOST_EMPTY, _MOST_OTHER = 8, 2
"""Lines in a row that may be empty, and those in it that may be shown in a way that is not known."""
_LONGEST_HEADLESS = 12_800
"""Characters of a key that are known by its last line."""
_RUN_APART = r"[A-Za-z0-9]++(?:(?:\\*+[+/])++[A-Za-z0-9]++)*+"
"""A line of a key without the signs at its ends, which may as well be those of a diff."""
_APART = re.compile(_RUN_APART)
_ALONE = re.compile(
    rf"^(?:[^A-Za-z0-9\n]++|\d++(?=[^A-Za-z0-9+/\n]))*+(?P<run>{_RUN_APART})(?:\\++[nr])?+[^A-Za-z0-9\n]*+$",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\++(?:/|u00([0-9A-Fa-f]{2}))")
_NEAR = 4
"""Lines before the end of a text among which there is one of a key, if its lines go on there."""


def key_spans(text: str) -> Iterator[Span]:
    """Where private keys are in the text."""
    yield from ((block.start, block.end) for block in _blocks(text) if block.end >= 0)
    yield from _headless(text)


def key_open_from(text: str) -> int:
    """Where a private key may have begun that goes on behind the end of the text; its length if there is none."""
    if any(head in text for head in HEADS):
        if (begun := next((block.begin for block in _blocks(text) if block.is_open), None)) is not None:
            return begun
        if (half := _HALF_BEGUN.search(text, max(0, len(text) - _LONGEST_HALF))) is not None:
            return min(half.start(), _headless_open_from(text))
    return _headless_open_from(text)


def key_lines(text: str) -> Iterator[str]:
    """The lines of the private keys in the text, without what stands around them: so they may stand elsewhere, too."""
    if not any(head in text for head in HEADS):
        return
    for start, end in key_spans(text):
        ways = _before(text, start)
        is_whole = _ENDS.search(text, max(start, end - _LONGEST_HALF), end) is not None
        for at, stop in _lines(text, start, end):
            kind, first, last, _ = _judged(text[at:stop], ways)
            line = text[at + first : at + last]
            # A word behind a key that is cut short is none of its lines, though it is masked there.
            if kind is _Kind.KEY or (kind is _Kind.SHORT and (is_whole or not _WORD.fullmatch(line))):
                yield from filter(None, (part.strip("+/=") for part in _unescaped(line).split()))


def _unescaped(line: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "/", line)


def line_spans(text: str, lines: Collection[str]) -> Iterator[Span]:
    """Where these lines of keys are in the text; what may be a word only where it is a line there as well."""
    for found in _APART.finditer(text):
        start = found.start() + text.startswith(("\\n", "\\r"), max(0, found.start() - 1))
        line = text[start : found.end()].replace("\\", "")
        if len(line) >= _LEAST and line in lines and not _WORDS.fullmatch(line):
            yield start, found.end()
    for found in _ALONE.finditer(text):
        if found["run"].replace("\\", "") in lines:
            yield found.span("run")


def last_lines(text: str, most: int) -> str:
    """The first lines of a key, as far as they have so many characters, and its last ones; else only its beginning."""
    first = max((stop.end() for stop in _LINE_END.finditer(text, 0, most) if stop[0]), default=0)
    if not first:
        return text[:most]
    last = max(first, len(text) - 2 * _LONGEST_NAME)
    end = _lines(text, last, len(text))[0][1]
    return text[:first] + text[end if end < len(text) else last :]


class _Kind(Enum):
    KEY = auto()
    SHORT = auto()
    """May be the last line of a key, or a word."""
    EMPTY = auto()
    HEADER = auto()
    OTHER = auto()


class _Line(NamedTuple):
    kind: _Kind
    start: int = 0
    end: int = 0
    """Where in the line the key is."""
    is_known: bool = True
    """Whether it is shown as others are."""


class _Block(NamedTuple):
    begin: int
    start: int
    end: int
    """Where the key is; -1 if there is none."""
    is_open: bool


def _blocks(text: str) -> Iterator[_Block]:
    """What stands behind each beginning of a key."""
    at, begins = 0, [*_BEGINS.finditer(text)]
    ends = [*(found.start() for found in begins[2:]), len(text), len(text)]
    for found, until in zip(begins, ends, strict=False):
        if found.start() < at:
            continue
        start, end, is_open = _read(text, found.end(), until, _before(text, found.start()))
        yield _Block(found.start(), found.start() if found["armour"] else start, end, is_open)
        at = max(found.end(), end)


def _read(text: str, at: int, until: int, ways: tuple[_Way, ...]) -> tuple[int, int, bool]:
    """Where the key is from here on, and whether it may go on behind the end of the text.

    No further than to the beginning after the next, or each would be read by all that are before it. The next one may
    belong to it: how a key of OpenSSH begins stands behind its armour.
    """
    start = end = short = -1
    empty = other = 0
    has_header, last = False, _Kind.EMPTY
    while True:
        stop = _LINE_END.search(text, at, until)
        line = text[at : stop.start() if stop else until]
        kind, first, length, is_known = _judged(line, ways)
        if not is_known:
            ways = _before(text, at + first)  # the next ones are shown like this one
        if kind is _Kind.KEY and other and length - first < _LEAST_BY_ITSELF:
            kind = _Kind.OTHER
        is_last = kind is _Kind.SHORT and last is _Kind.KEY and text[end - 1] != "="  # behind which none follows
        if kind is _Kind.KEY or is_last:
            start, end = at + first if start < 0 else start, at + length
            empty = other = 0
        elif kind is _Kind.SHORT:
            short = at + first if short < 0 else short
            if stop is None and until == len(text) and not _WORD.fullmatch(line[first:length]):  # it was cut off
                start, end = short if start < 0 else start, at + length
        empty = empty + 1 if kind is _Kind.EMPTY else 0
        other += kind is _Kind.OTHER
        has_header |= kind is _Kind.HEADER
        if stop is None:
            is_open = kind is not _Kind.OTHER or len(line) <= _LONGEST_NAME
            return start, end, is_open and until == len(text)
        if stop.start() == stop.end():
            ending = _ENDS.match(text, stop.end())
            if ending and (end >= 0 or short >= 0):
                start, end = start if start >= 0 else short, ending.end()
            return start, end, _HALF_ENDED.match(text, stop.end()) is not None
        if empty > _MOST_EMPTY or other > (_MOST_OTHER if end >= 0 or has_header else 0):
            return start, end, False
        at, last = stop.end(), kind


def _headless(text: str) -> Iterator[Span]:
    """Lines of keys before the line that ends each."""
    at = 0
    for ending in _ENDS.finditer(text):
        lines = _lines(text, max(at, ending.start() - _LONGEST_HEADLESS), ending.start())
        start = _start_of(text, lines, _before(text, ending.start()))
        if start is not None:
            yield start, ending.end()
        at = ending.end()


def _headless_open_from(text: str) -> int:
    begin = max(0, len(text) - _LONGEST_HEADLESS)
    if _LONG_RUN.search(text, begin) is None:
        return len(text)
    lines = _lines(text, begin, len(text))
    near = ((at, _LONG_LAST_RUN.search(text[at:end])) for at, end in reversed(lines[-_NEAR:]))
    known = next(((at, found) for at, found in near if found is not None), None)
    at, end = lines[-1]
    if known is None or (end - at > _LONGEST_NAME and known[0] != at):
        return len(text)
    ways = _before(text, known[0] + known[1].start())
    if known[0] != at:
        lines[-1] = (end, end)  # whatever it is, it is not known yet
    start = _start_of(text, lines, ways)
    return len(text) if start is None else start


def _start_of(text: str, lines: list[Span], ways: tuple[_Way, ...]) -> int | None:
    """Where a key begins that goes on to the end of these lines."""
    start = None
    empty = short = 0
    for at, end in reversed(lines):
        kind, first, length, _ = _judged(text[at:end], ways)
        if kind is _Kind.KEY and length - first >= _LEAST_BY_ITSELF:
            start, empty = at + first, 0
        elif kind in (_Kind.KEY, _Kind.SHORT) and start is None:
            short += 1
        elif kind in (_Kind.EMPTY, _Kind.HEADER):
            empty += 1
        else:
            break
        if empty > _MOST_EMPTY or short > 1:
            break
    return start


def _lines(text: str, at: int, end: int) -> list[Span]:
    found = list[Span]()
    for stop in _LINE_END.finditer(text, at, end):
        found.append((at, stop.start()))
        at = stop.end()
    return [*found, (at, end)]


class _Way(NamedTuple):
    """One way in which lines are shown."""

    key: re.Pattern[str]
    empty: re.Pattern[str]


def _way(before: str) -> _Way:
    return _Way(re.compile(rf"{before}{_KEY}(?P<last>\W*+\Z)?"), re.compile(rf"{before}[\W\d_]*+\Z"))


_PLAIN_WAY = _way(_NO_NAME)


def _before(text: str, at: int) -> tuple[_Way, ...]:
    """How lines are shown where this stands before one of them; whatever its numbers and signs are, others differ."""
    begin = max(0, at - _LONGEST_NAME)
    begin = _lines(text, begin, at)[-1][0]
    names = tuple(_LETTERS.findall(text[begin:at]))
    return (_PLAIN_WAY, _named_way(names, begin == max(0, at - _LONGEST_NAME))) if names else (_PLAIN_WAY,)


@lru_cache(maxsize=50)
def _named_way(names: tuple[str, ...], may_be_cut: bool) -> _Way:
    lead = rf".{{0,{_LONGEST_NAME}}}?" if may_be_cut else r"[\W\d_]*"
    return _way(lead + r"[\W\d_]+".join(map(re.escape, names)) + r"(?![^\W\d_])" + _NO_NAME)


def _judged(line: str, ways: tuple[_Way, ...]) -> _Line:
    for way in ways:
        found = way.key.match(line)
        if found is not None:
            is_word = len(found["key"]) < _LEAST or _WORDS.fullmatch(found["key"])
            if found["last"] is not None:
                return _Line(_Kind.SHORT if is_word else _Kind.KEY, *found.span("key"))
            if not is_word and line[found.end()] in "\"'`\\":
                return _Line(_Kind.KEY, *found.span("key"))
    if any(way.empty.match(line) for way in ways):
        return _Line(_Kind.EMPTY)
    if _HEADER.match(line):
        return _Line(_Kind.HEADER)
    runs = [run for run in _LONG_RUN.finditer(line) if run.start() <= _LONGEST_NAME and _is_random(run[0])]
    return _Line(_Kind.KEY, runs[0].start(), runs[-1].end(), is_known=False) if runs else _Line(_Kind.OTHER)


def _is_random(run: str) -> bool:
    """Whether it has letters of both cases and digits, and is no path."""
    return any(
        len(part) >= _LEAST_BY_ITSELF // 2 and part.lower() != part != part.upper() and any(map(str.isdigit, part))
        for part in run.split("/")
    )
