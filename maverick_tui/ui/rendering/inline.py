"""Inline Markdown as runs of styled text: read by a regular expression where that is sure, else by the parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from rich.style import Style

from maverick_tui.markup import grammar
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.wrap import Styled, clean

if TYPE_CHECKING:
    from markdown_it.token import Token

Piece: TypeAlias = tuple[str, str, str]
"""What it is (`text`, `code`, `strong`, `em`, `link`, `break`), its text, and where a link leads."""

# Quantifiers are possessive, so that no text takes more than one pass.
_PLAIN = r"[^\\`*_~\[\]!<&\n]"
_INNER_UNDERSCORE = r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])"
_CODE = r"(?<!`)`(?!`)[^`\n]++`(?!`)"
_INSIDE = rf"(?:{_PLAIN}++|{_INNER_UNDERSCORE}|{_CODE})++"
_CODE_AROUND_TEXT = re.compile(r"(`[^`]+`)")


class Inline:
    """Turns inline Markdown into runs; combined styles are made once."""

    def __init__(self, palette: Palette) -> None:
        self._overlays = palette.overlays
        self._mixed: dict[tuple[Style, str], Style] = {}

    def mix(self, style: Style, name: str) -> Style:
        """A style with an overlay of the palette on it."""
        key = (style, name)
        mixed = self._mixed.get(key)
        if mixed is None:
            mixed = self._mixed[key] = style + self._overlays[name]
        return mixed

    def runs(self, content: str, style: Style) -> list[Styled]:
        """The runs of a block's inside; a newline in them begins a new line."""
        pieces = read_quickly(content)
        if pieces is not None and (runs := self._quick(pieces, style)) is not None:
            return runs
        return self._parsed(grammar.inline(content), style)

    def _quick(self, pieces: Sequence[Piece], style: Style) -> list[Styled] | None:
        runs: list[Styled] = []
        for kind, text, target in pieces:
            if kind == "text":
                runs.append((clean(text), style))
            elif kind == "code":
                runs.append((clean(_inside(text)), self.mix(style, "code")))
            elif kind == "break":
                runs.append(("\n", style))
            else:
                over = self.mix(style, kind)
                first = len(runs)
                for is_code, part in _parts(text):
                    runs.append((clean(part), self.mix(over, "code") if is_code else over))
                if target:
                    if (href := grammar.link(target)) is None:
                        return None
                    self._add_target(runs, first, href, style)
        return runs

    def _parsed(self, tokens: Sequence[Token], style: Style) -> list[Styled]:
        runs: list[Styled] = []
        styles = [style]
        links: list[tuple[int, str]] = []
        for token in tokens:
            kind = token.type
            if kind in ("text", "text_special"):
                if token.content:
                    runs.append((clean(token.content), styles[-1]))
            elif kind in ("softbreak", "hardbreak"):
                runs.append(("\n", styles[-1]))
            elif kind == "code_inline":
                runs.append((clean(token.content), self.mix(styles[-1], "code")))
            elif kind == "image":
                runs.append((f"[image: {clean(token.content)}]", styles[-1]))
                runs.append((_behind(str(token.attrs.get("src", ""))), self.mix(styles[-1], "dim")))
            elif kind == "link_open":
                links.append((len(runs), str(token.attrs.get("href", ""))))
                styles.append(self.mix(styles[-1], "link"))
            elif kind == "link_close":
                styles.pop()
                self._add_target(runs, *links.pop(), styles[-1])
            elif token.nesting == 1:
                styles.append(self.mix(styles[-1], token.tag))
            elif token.nesting == -1:
                styles.pop()
            else:
                runs.append((clean(token.content), styles[-1]))
        return runs

    def _add_target(self, runs: list[Styled], first: int, target: str, style: Style) -> None:
        """Say where a link leads, unless its text says so itself."""
        text = "".join([text for text, _ in runs[first:]])
        # A target's host is ASCII, so one that only looks like the text is not the same.
        if target not in (text, f"mailto:{text}") and unquote(target) != unquote(text):
            runs.append((_behind(target), self.mix(style, "dim")))


def _behind(target: str) -> str:
    # A path is shown as it is written; an address keeps its escapes, because they are part of it.
    return f" ({clean(target if '://' in target else unquote(target))})"


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


def read_quickly(content: str) -> list[Piece] | None:
    """The pieces of a block's inside if a regular expression can be sure of them, or None if it takes the parser.

    Most of it can be read so; the parser takes several times as long. A test compares the two.
    """
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


def _parts(text: str) -> list[tuple[bool, str]]:
    """Text that may have code in it: whether each part is code, and the part."""
    if "`" not in text:
        return [(False, text)]
    found = _CODE_AROUND_TEXT.split(text)
    return [(bool(index % 2), _inside(part) if index % 2 else part) for index, part in enumerate(found) if part]


def _inside(code: str) -> str:
    """Code without its backticks, and without the blanks that only keep them apart from others."""
    code = code[1:-1]
    return code[1:-1] if code[0] == " " == code[-1] and code.strip(" ") else code
