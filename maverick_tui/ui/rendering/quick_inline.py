"""Reads the inline Markdown that one regular expression can be sure of: most of it.

Everything else is for the real parser, which takes several times as long. A test compares the two.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

Piece: TypeAlias = tuple[str, str, str]
"""What it is (`text`, `code`, `strong`, `em`, `link`, `break`), its text, and where a link leads."""

# Quantifiers are possessive, so that no text takes more than one pass.
_PLAIN = r"[^\\`*_~\[\]!<&\n]"
_INNER_UNDERSCORE = r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])"
_CODE = r"(?<!`)`(?!`)[^`\n]++`(?!`)"
_INSIDE = rf"(?:{_PLAIN}++|{_INNER_UNDERSCORE}|{_CODE})++"


def _emphasis(marker: str, name: str) -> str:
    """Emphasis that opens before, and closes after, a letter or digit, or else next to a blank or the text's end."""
    opens = rf"(?:(?=[A-Za-z0-9])|(?:(?<=[ \n]{marker})|(?<=\A{marker}))(?=[^\s*]))"
    closes = rf"(?:(?<=[A-Za-z0-9])|(?<=[^\s*])(?={marker}(?:[ \n]|\Z)))"
    return rf"(?<!\*){marker}{opens}(?P<{name}>{_INSIDE}){closes}{marker}(?!\*)"


@cache
def _piece() -> re.Pattern[str]:
    strong, em = _emphasis(r"\*\*", "strong"), _emphasis(r"\*", "em")
    return re.compile(
        rf"""
        (?P<text>(?:{_PLAIN}++|{_INNER_UNDERSCORE}|!(?!\[)|&(?=[ ])|<(?=[ =])|(?<!~)~(?!~)|\[{_PLAIN}*+\](?![(\[]))++)
        |(?P<code>{_CODE})
        |{strong}
        |{em}
        |\[(?P<link>(?:{_PLAIN}++|{_CODE})++)\]\((?P<target>[A-Za-z0-9/.\#][A-Za-z0-9:/.\#?=%+,;@$_-]*+)\)
        |(?<![ ])(?P<break>\n)[ \t]*+
        """,
        re.VERBOSE,
    )


_CODE_AROUND_TEXT = re.compile(r"(`[^`]+`)")


def read(content: str) -> list[Piece] | None:
    """The pieces of a block's inside, or None if it takes a parser."""
    pieces: list[Piece] = []
    match = _piece().match
    at = 0
    while at < len(content):
        found = match(content, at)
        if found is None:
            return None
        kind = found.lastgroup
        if kind == "target":
            pieces.append(("link", found["link"], found["target"]))
        elif kind is not None:
            pieces.append((kind, found[kind], ""))
        at = found.end()
    return pieces


def parts(text: str) -> list[tuple[bool, str]]:
    """Text that may have code in it: whether each part is code, and the part."""
    if "`" not in text:
        return [(False, text)]
    found = _CODE_AROUND_TEXT.split(text)
    return [(bool(index % 2), inside(part) if index % 2 else part) for index, part in enumerate(found) if part]


def inside(code: str) -> str:
    """Code without its backticks, and without the blanks that only keep them apart from others."""
    code = code[1:-1]
    return code[1:-1] if code[0] == " " == code[-1] and code.strip(" ") else code
