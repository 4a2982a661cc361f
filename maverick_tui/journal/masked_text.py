"""Masks text that comes in pieces: a secret may begin in one of them and end in another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, islice
from operator import itemgetter
from typing import NamedTuple

from maverick_tui.masking.fields import field_open_from, fields
from maverick_tui.masking.private_keys import Span, last_lines
from maverick_tui.masking.redact import MASK, held_from, secret_spans

_CONTEXT = 64
"""Characters of what came before that are looked at again: the name before a secret, and what is too short to hold."""
_MOST_HELD = 32_768
"""Characters that may be held back; what is longer is masked if it looks like a secret so far, and else let go."""
_AT_END = 300
"""Characters behind a secret that goes on: a line of a key that has only begun."""
_READ_EACH_TIME = 1_000
"""Characters that may be held back and are read again with each piece."""
_PART = 16
"""What is longer is read again once it has grown by such a part of it: or a long one would take the square of it."""
_TELLING = 4
"""So many characters of a known secret tell something about it."""

Piece = tuple[int, str]
"""A part of a text, by its number."""


class LetGo(NamedTuple):
    """What is known to be no secret, or is masked."""

    late: list[Piece]
    """Pieces of earlier that were not whole, and are now."""
    now: list[str]
    """The new pieces, as far as they are known."""
    whole: int
    """How many of the new ones are whole."""


class PiecewiseMask:
    """Masks the pieces of one text. What may be the beginning of a secret is held back until that is known."""

    def __init__(self, values: Callable[[], Collection[str]], *, is_json: bool = False) -> None:
        """`values` are secrets that are known. Of JSON the names of fields tell of more."""
        self._values = values
        self._is_json = is_json
        self._before = ""
        """The end of what is known."""
        self._held: list[Piece] = []
        self._done = (0, "")
        """Characters of the first of these that are known already, and what is shown of them."""
        self._read = self._unread = 0
        """Characters that are held: those that have been read, if they are many, and those that have come since."""

    def add(self, new: Sequence[Piece]) -> LetGo:
        """Take further pieces."""
        self._unread += sum(len(piece) for _, piece in new)
        if self._unread * _PART < self._read:
            self._held += new
            return LetGo([], [""] * len(new), 0)
        return self._let_go(new, is_end=False)

    def end(self) -> list[Piece]:
        """Nothing more comes: what was held back."""
        return self._let_go((), is_end=True).late

    def _let_go(self, new: Sequence[Piece], *, is_end: bool) -> LetGo:
        pieces, values, begin = [*self._held, *new], self._values(), len(self._before)
        done, so_far = self._done
        text = self._before + "".join(piece for _, piece in pieces)[done:]
        spans = secret_spans(text, values)
        value = len(text) if is_end else _begun(text, values)
        opened = len(text) if is_end else min(value, held_from(text))
        if self._is_json:
            spans += fields(text)
            opened = opened if is_end else min(opened, field_open_from(text))
        known = max(begin, opened if is_end else _before_secrets(spans, opened, len(text)))
        before = text[max(0, known - _CONTEXT) if known > begin else 0 : known]
        if len(text) - known > _MOST_HELD:
            known = len(text)
            before = text[-_CONTEXT:]
            spans.append((value, known))
            if (start := goes_on_from(text, spans, opened)) is not None:
                before = beginning_of(text, opened)
                spans.append((start, known))
        spans = _joined(spans)
        ends = [begin - done + length for length in accumulate(len(piece) for _, piece in pieces)]
        starts = [begin, *ends][: len(pieces)]
        shown = [_shown(text, spans, start, min(end, known), begin) for start, end in zip(starts, ends, strict=True)]
        if shown:
            shown[0] = so_far + shown[0]
        whole = sum(end <= known for end in ends)
        held, self._held, self._before = len(self._held), pieces[whole:], before
        self._done = (known - ends[whole] + len(pieces[whole][1]), shown[whole]) if self._held else (0, "")
        self._read = length if (length := len(text) - known) > _READ_EACH_TIME else 0
        self._unread = 0
        late = [(number, shown[at]) for at, (number, _) in enumerate(pieces[: min(whole, held)])]
        return LetGo(late, shown[held:], max(0, whole - held))


def _before_secrets(spans: Iterable[Span], at: int, length: int) -> int:
    """The same place, or where a secret begins that reaches beyond it, or may: half of one would not be known again."""
    for start, end in sorted(spans, reverse=True):
        if start < at and (end > at or at == end == length):
            at = start
    return at


def goes_on_from(text: str, spans: Iterable[Span], opened: int) -> int | None:
    """Where a secret begins that goes on behind the end of the text, of what has been open since `opened`."""
    found = (start for start, end in spans if end > len(text) - _AT_END and opened <= start <= opened + _CONTEXT)
    return min(found, default=None)


def beginning_of(text: str, opened: int) -> str:
    """As much of a secret as is needed to know that it goes on: how it begins, and of a key its last lines."""
    return text[max(0, opened - _CONTEXT) : opened] + last_lines(text[opened:], _CONTEXT)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in their order; those that overlap are one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _shown(text: str, spans: Sequence[Span], start: int, end: int, begin: int) -> str:
    """What is shown of a part of a text: a mask stands where a secret begins, or where what is left of one does."""
    if start >= end:
        return ""
    out: list[str] = []
    at = start
    for first, last in islice(spans, bisect_right(spans, start, key=itemgetter(1)), None):
        if first >= end:
            break
        out.append(text[at : max(first, at)])
        if first >= start or start == begin:
            out.append(MASK)
        at = min(last, end)
    return "".join((*out, text[at:end]))


def _begun(text: str, values: Iterable[str]) -> int:
    """Where one of these values may have begun at the end of the text; its length if none has."""
    found = len(text)
    for value in values:
        at = text.find(value[:_TELLING], max(0, len(text) - len(value) + 1))
        while at >= 0 and not value.startswith(text[at:]):
            at = text.find(value[:_TELLING], at + 1)
        found = min(found, at) if at >= 0 else found
    return found
