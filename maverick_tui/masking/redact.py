"""The one masker of everything that is shown, logged or stored.

A secret is known by its name (names.py), by its shape (shapes.py), or because somebody who has one said so (`conceal`).
A text is masked before it is cut: a half of a secret would not be known again.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any
from urllib.parse import quote

from maverick_tui.masking.names import holds_secret, is_telling
from maverick_tui.masking.pairs import paired
from maverick_tui.masking.private_keys import Span, always_in_base64, key_lines, line_spans
from maverick_tui.masking.readings import seen, unescaped, without_half_escape
from maverick_tui.masking.settings import secret_variables
from maverick_tui.masking.shapes import open_from, shaped

MASK = "[secret]"
LEAST = 8
"""Characters of a value that is looked for; what is shorter is part of many words."""
_LONGEST = 8_000
"""Characters of the longest secret that is known by its shape: a private key of 8,192 bits has 6,400."""
MOST_LEVELS = 10
"""How often a text may be JSON in JSON. A backslash can be spelled such that each level takes off only one of any
number; what ordinary texts hold is JSON a few times, and each doubles its backslashes.
"""

_NAME = re.compile(r"[\w.-]+")
"""Of a field or a variable; what has blanks is a title."""

_OPTION = re.compile(r"--[\w-]+")
_PERCENT = re.compile(r"%[0-9A-F]{2}")

_concealed: dict[str, str] = {}
"""The values that were concealed, by each of their forms."""


def conceal(values: Iterable[str]) -> None:
    """Mask these from now on, wherever they turn up in this process: they are not in its own environment."""
    _concealed.update((form, value) for value in values for form in forms(value))


def redact(text: str) -> str:
    """Mask what looks like a secret, what a variable named like one holds, and what was concealed."""
    return masked(text, known_values())


def beginning(text: str, most: int) -> str:
    """At most so many characters of a text that somebody masks later: of a longer one, masked before it is cut.

    Of a very long one only the beginning is looked at, since that may take a second, but so much that no secret which
    begins in what is kept can end behind it.
    """
    if len(text) <= most:
        return text
    values = known_values()
    longest = max((_LONGEST, *map(len, values)))
    end = most + longest  # what is masked becomes shorter, so that more is needed than is kept
    spans = secret_spans(text[: end + longest], values)
    return _cut_out(text[:end], [(start, min(stop, end)) for start, stop in spans if start < end])[:most]


def redact_lines(text: str) -> list[str]:
    """The lines of a text without their ends, each masked as far as a secret reaches into it: a key has several."""
    return _cut_out_of(text.removesuffix("\n").split("\n"), secret_spans(text, known_values()))


def _cut_out_of(lines: Sequence[str], spans: Iterable[Span]) -> list[str]:
    """Lines with masks for these places in their text, each as far as it reaches into the line."""
    left, found, at = deque(sorted(spans)), list[str](), 0
    for line in lines:
        end = at + len(line)
        while left and left[0][1] <= at:
            left.popleft()
        here = takewhile(lambda span, end=end: span[0] < end, left)  # type: ignore[misc]
        found.append(_cut_out(line, [(max(start, at) - at, min(stop, end) - at) for start, stop in here if stop > at]))
        at = end + 1
    return found


def known_values() -> set[str]:
    """What is masked wherever it turns up, in all its forms: what was concealed, and variables named like secrets."""
    return {*_concealed, *(form for value in secret_variables(os.environ) for form in forms(value))}


def secrets() -> set[str]:
    """The same as it was given, for a process of the same user that is to conceal it, too."""
    return {*_concealed.values(), *(value for value in secret_variables(os.environ) if len(value) >= LEAST)}


def known_in(data: Any) -> set[str]:
    """Which known values stand in data as JSON has it, as they stand there: whoever is given it may not know them."""
    values = known_values()
    return {value for text in _texts(data) for value in values if value in text}


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list | tuple):
        inner = data.values() if isinstance(data, Mapping) else data
        yield from (text for item in inner for text in _texts(item))


def times_concealed() -> int:
    """A number that is another one once something has been concealed since."""
    return len(_concealed)


def _stand_in(name: str, value: Any) -> Any:
    return MASK if holds_secret(name, value) else None


def redact_data(
    value: Any, text: Callable[[str], str] = redact, stand_in: Callable[[str, Any], Any] = _stand_in
) -> Any:
    """A copy of data as JSON has it: each text in it masked, and all that stands under the name of a secret.

    Not of the JSON itself: there, a secret with a quote would not be found. The lines of a key are masked wherever they
    are in the data, also where they stand by themselves: a patch has each as a text of its own, and perhaps only some.
    `stand_in` says what is put in the place of a field, by its name and value; None leaves it.
    """
    return _redacted(value, _without_keys_of(value, text), stand_in)


def redact_fields(told: Mapping[str, Any], text: Callable[[str], str] = redact) -> dict[str, Any]:
    """The same for fields whose names are ours, so that none of them tells of a secret."""
    text = _without_keys_of(told, text)
    return {name: _redacted(value, text, _stand_in) for name, value in told.items()}


def without_keys_of(source: Any, value: Any) -> Any:
    """A copy of data without the lines of the keys that are in another, which nobody has who masks it later."""
    text = _without_keys_of(source, str)
    return value if text is str else _redacted(value, text, lambda *_: None)


def _redacted(value: Any, text: Callable[[str], str], stand_in: Callable[[str, Any], Any]) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        whose = value.get("name", value.get("key"))
        is_paired = isinstance(whose, str) and _NAME.fullmatch(whose) and is_telling(whose)
        named = (
            (name, item, stand_in(whose if name == "value" and is_paired else str(name), item))
            for name, item in value.items()
        )
        return {
            _redacted(name, text, stand_in): _redacted(item, text, stand_in) if new is None else new
            for name, item, new in named
        }
    if not isinstance(value, list | tuple):
        return value
    items, option = list[Any](), ""
    for item in _without_pairs(value):
        new = stand_in(option, item)
        items.append(_redacted(item, text, stand_in) if new is None else new)
        option = item if isinstance(item, str) and _OPTION.fullmatch(item) and is_telling(item) else ""
    return tuple(items) if isinstance(value, tuple) else items


def _without_pairs(items: Sequence[Any]) -> Sequence[Any]:
    """The same without values whose names are in another one of them: they may be the lines of a text."""
    lines = [item for item in items if isinstance(item, str)]
    spans = [*paired("\n".join(lines))] if len(lines) == len(items) > 1 else []
    return _cut_out_of(lines, spans) if spans else items


def _without_keys_of(data: Any, text: Callable[[str], str]) -> Callable[[str], str]:
    """The same way to mask a text, and the lines of the keys in this data besides."""
    lines = {line for one in _whole_texts(data) for line in key_lines(_seen(one))}
    if not lines:
        return text

    def mask(one: str) -> str:
        known = text(one)  # first: a key that is whole has one mask
        spans = _in_all_readings(known, lambda shown: line_spans(shown, lines))
        return _cut_out(known, spans) if spans else known

    return mask


def _seen(text: str) -> str:
    return plain.text if (plain := seen(text)) else text


def _whole_texts(data: Any) -> Iterator[str]:
    """The texts in data as they can be read: what is in a list may be the lines of one."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        yield from (text for item in data.values() for text in _whole_texts(item))
    elif isinstance(data, list | tuple):
        yield "\n".join(_texts(data))


def masked(text: str, values: Iterable[str] = ()) -> str:
    """The text without these values and without what looks like a secret, however it can be read."""
    spans = secret_spans(text, values)
    return _cut_out(text, spans) if spans else text


def secret_spans(text: str, values: Iterable[str] = ()) -> list[Span]:
    """Where these values stand in the text, and what looks like a secret."""
    known = [value for value in values if value]
    return _in_all_readings(text, lambda shown: _spans(shown, known))


def held_from(text: str, levels: int = MOST_LEVELS) -> int:
    """Where something has begun at the end of the text that may become a secret, however it can be read; its length if
    nothing has.
    """
    at = open_from(text)
    if (whole := without_half_escape(text)) != text and (found := open_from(whole)) < len(whole):
        at = min(at, found)
    if (plain := seen(text)) and (found := open_from(plain.text)) < len(plain.text):
        at = min(at, plain.origin(found))
    for inner in unescaped(text):
        if inner.end < len(text) or not inner.text:
            continue
        found = held_from(inner.text, levels - 1) if levels else 0
        if found < len(inner.text):
            at = min(at, inner.origin(found))
    return at


def without(text: str, values: Iterable[str]) -> str:
    """The text with these masked; one of them may be a part of another."""
    return _cut_out(text, [*_places(text, values)])


def _in_all_readings(text: str, find: Callable[[str], Iterable[Span]], levels: int = MOST_LEVELS) -> list[Span]:
    """What is found in the text as it is, and as it can be read; all of what is JSON in JSON more often than that."""
    spans = [*find(text)]
    if plain := seen(text):
        spans += (plain.span(*span) for span in find(plain.text))
    for inner in unescaped(text):
        found = _in_all_readings(inner.text, find, levels - 1) if levels else [(0, len(inner.text))]
        spans += (inner.span(*span) for span in found if inner.text)
    return spans


def _spans(text: str, values: Iterable[str]) -> Iterator[Span]:
    yield from _places(text, values)
    yield from shaped(text)


def _places(text: str, values: Iterable[str]) -> Iterator[Span]:
    for value in values:
        at = text.find(value) if value else -1
        while at >= 0:
            yield at, at + len(value)
            at = text.find(value, at + len(value))


def _cut_out(text: str, spans: list[Span]) -> str:
    """The text with a mask for each of these; what overlaps is one."""
    kept: list[str] = []
    at = -1
    for start, end in sorted(spans):
        if start > at:
            kept += (text[max(at, 0) : start], MASK)
        at = max(at, end)
    return "".join((*kept, text[max(at, 0) :]))


@lru_cache(maxsize=200)
def forms(value: str) -> frozenset[str]:
    """The value and its lines (a key of many is shown line by line, too), each as it is, in JSON, URLs and base64."""
    parts = [part for part in (value, *value.splitlines()) if len(part) >= LEAST]
    return frozenset(form for part in parts for form in (part, json.dumps(part)[1:-1], *_quoted(part), *_base64(part)))


def _quoted(value: str) -> Iterator[str]:
    yield (quoted := quote(value, "", errors="surrogatepass"))
    yield _PERCENT.sub(lambda sign: sign[0].lower(), quoted)


def _base64(value: str) -> Iterator[str]:
    for inner in always_in_base64(value.encode("utf-8", "surrogatepass")):
        yield from (inner, inner.replace("+", "-").replace("/", "_"))
