"""Values of fields in JSON that comes in pieces, as a tool's arguments do: what is masked for its name once it is whole
(`redact_data`) is masked before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from maverick_tui.masking.names import holds_secret
from maverick_tui.masking.private_keys import Span

# A quote within a string has a backslash before it, and what ends a string has no colon behind a second quote.
_NAME = re.compile(r'(?<!\\)"(?P<name>[\w .-]{1,100})"\s*+:\s*+(?=\S)')
_STRING = re.compile(r'"(?P<inner>(?:[^"\\]|\\.)*+)', re.DOTALL)
_NUMBER = re.compile(r"[\d.eE+-]++")
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def fields(text: str) -> Iterator[Span]:
    """Where values are whose names tell of a secret; one that is not whole yet reaches to the end of the text."""
    at = 0
    while (field := _NAME.search(text, at)) is not None:
        start, end, is_secret = _value(text, field["name"], field.end())
        if is_secret and start < end:
            yield start, end
        at = max(end, field.end()) if is_secret else field.end()


def field_open_from(text: str) -> int:
    """Where such a value begins that may go on behind the end of the text; its length if none does."""
    return next((start for start, end in fields(text) if end == len(text)), len(text))


def _value(text: str, name: str, at: int) -> tuple[int, int, bool]:
    """Where it is, and whether it is secret."""
    if string := _STRING.match(text, at):
        is_whole = text.startswith('"', string.end())
        return at + 1, string.end() if is_whole else len(text), holds_secret(name, string["inner"])
    if number := _NUMBER.match(text, at):
        return at, number.end(), number[0].strip("0.-") != "" and holds_secret(name, 1)
    if text[at] not in "[{" or not holds_secret(name, [1]):
        return at, at, False
    depth = 0
    for sign in _SIGN.finditer(text, at):
        depth += (sign[0] in "[{") - (sign[0] in "]}")
        if not depth:
            return at, sign.end(), re.fullmatch(r"[\[{]\s*[\]}]", text[at : sign.end()]) is None
    return at, len(text), True
