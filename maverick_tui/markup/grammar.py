"""The Markdown that is understood: CommonMark, tables and strikethrough, without what reaches back to text above."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

DEEPEST = 60
"""Levels of nested containers; an item of a list is two of them."""
_DEEPEST_INLINE = 20
_MOST_BRACKETS = 200  # each that is not closed costs a search of everything inside it
_MOST_COLUMNS = 50
"""A wider table is shown as it is written: each of its rows, however short, has that many cells."""


@cache
def _parser(deepest: int) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import table

    class Parser(MarkdownIt):
        def normalizeLinkText(self, link: str) -> str:
            return link  # as it was written, so that it can be copied

    def late_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        under = state.src[state.bMarks[start + 1] : state.eMarks[start + 1]] if start + 1 < end else ""
        return under.strip().strip("|").count("|") < _MOST_COLUMNS and table(state, start, end, silent)

    # Without HTML, which is shown as it is written, and without link definitions: they would reach back to text that
    # has long been drawn, and are shown as they are written, too.
    parser = Parser("commonmark", {"html": False, "maxNesting": deepest})
    parser.enable("strikethrough").disable(["reference", "html_block", "html_inline"])
    # A table after a fence, so that a line which opens a fence always does.
    parser.block.ruler.after("fence", "late_table", late_table, {"alt": ["paragraph", "reference"]})
    return parser


def blocks(source: str) -> list[Token]:
    """The block structure of a text; what is inside a block is not parsed yet."""
    parser = _parser(DEEPEST)
    tokens: list[Token] = []
    parser.block.parse(source, parser, {}, tokens)
    return tokens


def inline(content: str) -> list[Token]:
    """What is inside a block: text, emphasis, code, links."""
    from markdown_it.token import Token

    if content.count("[") > _MOST_BRACKETS:
        return [Token("text", "", 0, content=content)]
    parser = _parser(_DEEPEST_INLINE)
    tokens: list[Token] = []
    parser.inline.parse(content, parser, {}, tokens)
    return tokens


def parsed(source: str) -> list[Token]:
    """All of a text: its blocks, and what is inside of them. Nothing of it is lost as long as `is_shallow`."""
    tokens = blocks(source)
    for token in tokens:
        if token.type == "inline":
            token.children = inline(token.content)
    return tokens


def is_shallow(tokens: Iterable[Token]) -> bool:
    """Whether all of a text is in its tokens: what is nested too deep is not."""
    return all(token.level < DEEPEST - 1 for token in tokens)


def link(target: str) -> str | None:
    """The address that a link's target stands for, or None if it is of a kind that must not be a link."""
    parser = _parser(_DEEPEST_INLINE)
    address = parser.normalizeLink(target)
    return address if parser.validateLink(address) else None
