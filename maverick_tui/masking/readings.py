"""How a text can be read besides as it stands: without what a person does not see, and as JSON in it means it.

JSON is a string in other JSON as often as not: what a tool is given comes as JSON in pieces, a command in it holds more
of it, and so on. What is a secret in a text is one in each JSON of it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from maverick_tui.masking.private_keys import Span

# Sequences that colour, move or link, as they are, as `inert` shows them, and as code and JSON spell them; then all
# that cannot be seen. Between the ends of a link there is no beginning of its kind: a line full of them is read once.
_SPELLED = r"\\x1[bB]|\\u001[bB]"
_SPELLED_BELL = r"\\x07|\\u0007"
_HIDDEN = re.compile(
    rf"(?:[\x1b\u241b]|{_SPELLED})(?:\[[0-?]*+[ -/]*+[@-~]|[(-+].)"
    r"|[\x1b\u241b]\][^\x07\x1b\u2407\u241b\n]*+(?:[\x07\u2407]|[\x1b\u241b]\\)"
    rf"|(?:{_SPELLED})\](?:[^\x07\x1b\u2407\u241b\n\\]|(?!{_SPELLED}|{_SPELLED_BELL})\\)*+"
    rf"(?:[\x07\u2407]|{_SPELLED_BELL}|(?:[\x1b\u241b]|{_SPELLED})\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u2400-\u2421\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffd\U000e0000-\U000e0fff]"
)

_HIDDEN_IN_ASCII = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f]|{_SPELLED}")
"""Without one of these nothing is hidden in ASCII."""

_HEX = "[0-9a-fA-F]"
"""Of ASCII alone: with digits of other scripts it is no JSON."""
_ESCAPE = re.compile(
    rf'\\(?:["\\/bfnrt]|u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|(?:u{_HEX}{{0,3}})?\Z)'
)
"""A sign in a string of JSON, or what of one has come."""
_HALF_ESCAPE = re.compile(rf"\\(?:u{_HEX}{{0,3}})?\Z")
_SIGNS = {rf"\{escape}": sign for escape, sign in zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True)}
_AROUND = 8_000
"""Characters of a line that are read with an escape in it: no secret is longer."""
_NEAR = 400
"""Characters between escapes of different lines that are read together."""


class Reading(NamedTuple):
    """A text that stands in another one, perhaps in a part of it."""

    text: str
    origins: list[tuple[int, int, int]]
    """Of each piece where it begins here and there, and how many characters each of its own has there."""
    end: int
    """Where it ends there."""

    def origin(self, at: int) -> int:
        """Where a character stands there."""
        here, there, _ = self._piece(at)
        return there + at - here

    def span(self, start: int, end: int) -> Span:
        """Where a piece of it stands there."""
        here, there, width = self._piece(end - 1)
        return self.origin(start), there + end - 1 - here + width

    def _piece(self, at: int) -> tuple[int, int, int]:
        return self.origins[bisect_right(self.origins, at, key=itemgetter(0)) - 1]


def seen(text: str) -> Reading | None:
    """The text as a person reads it; none if that is all of it."""
    if text.isascii() and _HIDDEN_IN_ASCII.search(text) is None:
        return None
    pieces, origins, at, length = list[str](), list[tuple[int, int, int]](), 0, 0
    for start, end in (found.span() for found in _HIDDEN.finditer(text)):
        if start > at:
            origins.append((length, at, 1))
            pieces.append(text[at:start])
            length += start - at
        at = end
    if not at:
        return None
    return Reading("".join((*pieces, text[at:])), [*origins, (length, at, 1)], len(text))


def unescaped(text: str) -> Iterator[Reading]:
    """The parts of a text that JSON has escaped, as they were before that: lines, or of long ones what is around it."""
    part = list[re.Match[str]]()
    end = last = 0
    for escape in _ESCAPE.finditer(text) if "\\" in text else ():
        between = escape.start() - last
        if part and between > _NEAR and (between > 2 * _AROUND or "\n" in text[last : escape.start()]):
            yield (reading := _without_escapes(text, end, part))
            part, end = [], reading.end
        part.append(escape)
        last = escape.end()
    if part:
        yield _without_escapes(text, end, part)


def _without_escapes(text: str, begin: int, escapes: list[re.Match[str]]) -> Reading:
    first, last = escapes[0].start(), escapes[-1].end()
    begin = max(begin, first - _AROUND)
    at = max(begin, text.rfind("\n", begin, first) + 1)
    end = text.find("\n", last, last + _AROUND)
    end = end if end >= 0 else min(len(text), last + _AROUND)
    pieces, origins, length = list[str](), list[tuple[int, int, int]](), 0
    for start, stop, sign in ((*escape.span(), _sign(escape[0])) for escape in escapes):
        origins += ((length, at, 1), (length + start - at, start, stop - start))
        pieces += (_between(text[at:start]), sign)
        length += start - at + len(sign)
        at = stop
    return Reading("".join((*pieces, _between(text[at:end]))), [*origins, (length, at, 1)], end)


def _between(text: str) -> str:
    """Where a string begins and ends, a line does: what it says may be a text of lines."""
    return text.replace('"', "\n")


def without_half_escape(text: str) -> str:
    """The text without what has come of an escape at its end."""
    return _HALF_ESCAPE.sub("", text)


def _sign(escape: str) -> str:
    if (sign := _SIGNS.get(escape)) is not None:
        return sign
    return json.loads(f'"{escape}"') if len(escape) > len("\\uabc") else ""
