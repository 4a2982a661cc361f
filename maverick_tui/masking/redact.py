"""Keeps secrets out of what we show, log or store: the one place that knows what a secret is.

A secret is known by its name (`is_secret`), by its shape (shapes.py), or because somebody who has one said so
(`conceal`). A text is masked before it is cut: a half of a secret would not be known again.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from urllib.parse import quote

from maverick_tui.masking.shapes import Span, shaped

MASK = "[secret]"
LEAST = 8
"""Characters of a value that is looked for; what is shorter is part of many words."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ALWAYS = frozenset(
    "token secret password passwd passphrase credential credentials authorization apikey dsn cookie".split()
)
_AT_THE_END = frozenset("key auth pass pwd pat".split())
_JOINED = ("token", "secret", "password", "passwd", "passphrase", "apikey")
_ABOUT = frozenset(
    "file path dir folder url uri id ids name names sock socket count limit type mode ttl timeout size length method "
    "provider version enabled helper source".split()
)
"""What a name ends in that tells something about a secret, and not the secret."""

# Sequences that colour, move or link, as they are and as `inert` shows them, then all that cannot be seen.
_HIDDEN = re.compile(
    r"(?:\x1b|\u241b|\\x1[bB]|\\u001[bB])"
    r"(?:\[[0-?]*[ -/]*[@-~]|[(-+].|\][^\x07\x1b\u2407\u241b\n]*(?:[\x07\u2407]|[\x1b\u241b]\\))"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u2400-\u2421\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffd\U000e0000-\U000e0fff]"
)

_MARKS = (*map(chr, (*range(9), *range(11, 32), 127)), "\\x1b", "\\x1B", "\\u001b", "\\u001B")
"""Without one of these nothing is hidden in ASCII."""

_concealed: set[str] = set()


@lru_cache(maxsize=2_000)
def is_secret(name: str) -> bool:
    """Whether something of this name (a variable, a header, an option, a field) holds a secret."""
    parts = [part.lower() for part in _PART.findall(name)]
    if not parts or parts == ["pwd"] or parts[-1] in _ABOUT:  # PWD is where a shell is
        return False
    return parts[-1] in _AT_THE_END or any(part in _ALWAYS or part.endswith(_JOINED) for part in parts)


def holds_secret(name: str, value: object) -> bool:
    """Whether a field with this name and value holds secrets, of any type; what is empty, or a yes or no, is none.

    A number under a plural tells how many there are: `max_tokens` holds none, `tokens` with a list does.
    """
    if not value or isinstance(value, bool):
        return False
    return is_secret(name) or (not isinstance(value, int | float) and name[-1:] in "sS" and is_secret(name[:-1]))


def conceal(values: Iterable[str]) -> None:
    """Mask these from now on, wherever they turn up in this process: they are not in its own environment."""
    _concealed.update(form for value in values for form in forms(value))


def redact(text: str) -> str:
    """Mask what looks like a secret, what a variable named like one holds, and what was concealed."""
    return masked(text, {*_concealed, *_environment()})


def masked(text: str, values: Iterable[str] = ()) -> str:
    """The text without these values and without what looks like a secret, also where colours or the like cut it."""
    known = [value for value in values if value]
    spans = [*_spans(text, known)]
    plain, origins = _seen(text)
    if plain != text:
        spans += [(_origin(origins, start), _origin(origins, end - 1) + 1) for start, end in _spans(plain, known)]
    return _cut_out(text, spans) if spans else text


def without(text: str, values: Iterable[str]) -> str:
    """The text with these masked; one of them may be a part of another."""
    return _cut_out(text, [*_places(text, values)])


def _spans(text: str, values: Iterable[str]) -> Iterator[Span]:
    yield from _places(text, values)
    yield from shaped(text, is_secret)


def _places(text: str, values: Iterable[str]) -> Iterator[Span]:
    for value in values:
        at = text.find(value) if value else -1
        while at >= 0:
            yield at, at + len(value)
            at = text.find(value, at + len(value))


def _seen(text: str) -> tuple[str, list[Span]]:
    """The text as it is read, and for each piece of it where that begins there, and where it began."""
    pieces: list[str] = []
    origins: list[Span] = []
    if text.isascii() and not any(mark in text for mark in _MARKS):
        return text, origins
    at = length = 0
    for start, end in ((found.start(), found.end()) for found in _HIDDEN.finditer(text)):
        if start > at:
            origins.append((length, at))
            pieces.append(text[at:start])
            length += start - at
        at = end
    if not at:
        return text, []
    origins.append((length, at))
    return "".join((*pieces, text[at:])), origins


def _origin(origins: list[Span], at: int) -> int:
    here, there = origins[bisect_right(origins, at, key=itemgetter(0)) - 1]
    return there + at - here


def _cut_out(text: str, spans: list[Span]) -> str:
    """The text with a mask for each of these; what overlaps is one."""
    kept: list[str] = []
    at = -1
    for start, end in sorted(spans):
        if start > at:
            kept += (text[max(at, 0) : start], MASK)
        at = max(at, end)
    return "".join((*kept, text[max(at, 0) :]))


def _environment() -> Iterator[str]:
    for name, value in os.environ.items():
        if is_secret(name):
            yield from forms(value)


@lru_cache(maxsize=200)
def forms(value: str) -> frozenset[str]:
    """The value and its lines (a key of many is shown line by line, too), each as it is, in JSON, URLs and base64."""
    parts = [part for part in (value, *value.splitlines()) if len(part) >= LEAST]
    return frozenset(
        form
        for part in parts
        for form in (part, json.dumps(part)[1:-1], quote(part, "", errors="surrogatepass"), *_base64(part))
    )


def _base64(value: str) -> Iterator[str]:
    """What is always the same of it in base64: the first and the last character depend on what stands around it."""
    data = value.encode("utf-8", "surrogatepass")
    for before in range(3):
        coded = b64encode(bytes(before) + data).decode()
        inner = coded[before + (before > 0) : (before + len(data)) * 8 // 6]
        yield from (inner, inner.replace("+", "-").replace("/", "_"))
