"""What a shell takes out of a text before it has words: quotes, and the ends of lines that go on.

Where a quote begins is not asked: that takes all of the grammar, and a text that is looked at like this could not be
read by it. So a text has several spellings, and what any of them names may be meant.
"""

from __future__ import annotations

import re

_GOES_ON = "\\\n"
_QUOTES = re.compile(r"\$?[\"']|\\")
_CODED = re.compile(
    r"\\(?:x\{?(?P<hex>(?<=\{)[\da-fA-F]{1,8}|[\da-fA-F]{1,2})\}?|u(?P<short>[\da-fA-F]{1,4})|U(?P<long>[\da-fA-F]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|c@)"
)
"""A letter as its number, in `$'...'`."""
_CUT_OFF = re.compile(r"\0(?:[^'\\]|\\.)*", re.DOTALL)
"""There, what stands behind the letter with the number 0."""


def without_quotes(text: str) -> list[str]:
    """A text without its quotes, in each way in which a shell may read it."""
    found = [one.replace(_GOES_ON, "") for one in (text, _with_ends_of_comments(text))]
    found += [_CUT_OFF.sub("", _CODED.sub(_letter, one)) for one in found if "$'" in one]
    return list(dict.fromkeys(_QUOTES.sub("", one) for one in found))


def _with_ends_of_comments(text: str) -> str:
    """No comment goes on, whatever is at the end of its line."""
    return "\n".join(line.removesuffix("\\") if "#" in line else line for line in text.split("\n"))


def _letter(found: re.Match[str]) -> str:
    code = found["hex"] or found["short"] or found["long"]
    number = int(code, 16) if code else int(found["octal"] or "0", 8)
    is_letter = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_letter else ""
