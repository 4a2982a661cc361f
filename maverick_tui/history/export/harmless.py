"""Markdown that does nothing wherever it is opened: no HTML, no pictures from elsewhere, no links that run code."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

_SCHEMES = frozenset({"http", "https", "mailto"})
_DEEPEST = 100
_MOST_BRACKETS = 200  # each that is not closed costs a search of everything inside it
_SUSPECT = re.compile(r"<|!\[|\]\s*[(:\[]")
"""Without any of these there is neither HTML, nor a picture, nor a link that does not show where it leads."""
_ACTING = {"<": "&lt;", "![": "&#33;[", "](": "]&#40;", "]:": "]&#58;"}
# An entity is never read as the sign that it stands for, so that nothing before it can make it act again.
_ACTS = re.compile(r"<|!\[|\](?=[(:])[(:]")
_CODE = re.compile(
    r"(?ms)^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}\1[`~]*+[ \t]*+$|\Z)|(?<!`)(`++)[^\n]+?(?<!`)\2(?!`)"
)
_SIGN = re.compile(
    r"(?m)[\\`*<~]|!(?=\[)|\](?=[(:\[])|&(?=#?\w)|(?<![^\W_])_|_(?![^\W_])|^(?: *)(?:[#>+=|-]|\d+(?=[.)]))"
)
"""What may mean something in Markdown, where it stands."""


def leads_somewhere(address: str) -> bool:
    """Whether a link to this address may be followed: to a page or a mailbox, by its full address."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


def literal(text: str) -> str:
    """The text as Markdown that shows exactly this: for what is no Markdown."""
    return _SIGN.sub(_escaped, text)


def harmless(text: str) -> str:
    """The Markdown with whatever could act in a viewer that trusts it written out; code is left as it is."""
    if not acts(text):
        return text
    spelled = _outside_code(text)
    # What we take for code a viewer may not: then all of it is written out.
    return _ACTS.sub(_entity, text) if acts(spelled) else spelled


def acts(text: str) -> bool:
    """Whether a viewer of this Markdown would find HTML in it, a picture, or a link that leads nowhere good.

    So do definitions of links, for they make links and pictures of what stands elsewhere; and what is too intricate to
    be looked through counts as well.
    """
    if _SUSPECT.search(text) is None:
        return False
    parser, found, defined = _trusting_parser(), list[Token](), dict[str, Any]()
    parser.block.parse(text, parser, defined, found)
    if defined.get("references"):
        return True
    for token in found:
        if token.level >= _DEEPEST - 1 or token.type == "html_block":
            return True
        inner: list[Token] = []
        if token.type == "inline" and _ACTS.search(token.content):
            if token.content.count("[") > _MOST_BRACKETS:
                return True
            parser.inline.parse(token.content, parser, {}, inner)
        if any(map(_is_acting, inner)):
            return True
    return False


def _is_acting(token: Token) -> bool:
    if token.type == "link_open":
        address = str(token.attrGet("href") or "")
        return ":" in address.partition("/")[0] and not leads_somewhere(address)
    return token.type in ("html_inline", "image")


def _outside_code(text: str) -> str:
    parts, at = list[str](), 0
    for code in _CODE.finditer(text):
        parts += (_ACTS.sub(_entity, text[at : code.start()]), code[0])
        at = code.end()
    return "".join((*parts, _ACTS.sub(_entity, text[at:])))


def _escaped(found: re.Match[str]) -> str:
    blanks, sign = re.match(r"( *)(.*)", found[0]).groups()  # type: ignore[union-attr]
    return f"{sign}\\" if sign.isdecimal() else f"{blanks}\\{sign}"


def _entity(found: re.Match[str]) -> str:
    return _ACTING[found[0]]


@cache
def _trusting_parser() -> MarkdownIt:
    """Reads Markdown as the most careless viewer does."""

    class Trusting(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return True

    return Trusting("commonmark", {"html": True, "maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
