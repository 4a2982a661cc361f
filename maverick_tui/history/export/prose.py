"""Text as HTML: Markdown, code and diffs. Whatever was written, nothing of it acts: it is escaped, or is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from maverick_tui.history.export.harmless import leads_somewhere
from maverick_tui.markup import grammar
from maverick_tui.markup.code import language_of, role_of
from maverick_tui.markup.lexing import lexed

_DIFF = {"+": "added", "-": "removed", "@": "hunk", "\\": "hunk"}
_ABOVE = 2
"""Headings of the page itself, below which those of a text stand."""


def prose(markdown: str) -> str:
    """Inert Markdown as HTML; what is nested so deep that it would be lost is shown as it was written."""
    tokens = grammar.parsed(markdown)
    if not grammar.is_shallow(tokens):
        return plain(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + _ABOVE)}"
        if style := token.attrs.pop("style", None):  # no style of an element's own is allowed on the page
            token.attrSet("class", str(style).rpartition(":")[2])
    writer = _writer()
    html: str = writer.renderer.render(tokens, writer.options, {})
    return html


def code(source: str, language: str) -> str:
    """Inert code in a box, highlighted where its language is known."""
    lines = source.rstrip("\n").split("\n")
    inner = "\n".join(_diff(lines) if language == "diff" else _highlighted(lines, language))
    return f'<pre tabindex="0"><code>{inner}</code></pre>\n'


def plain(text: str) -> str:
    """Inert text with its lines as they are."""
    return f'<p class="plain">{escape(text)}</p>\n'


def _diff(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        kind = _DIFF.get(line[:1], "")
        if line.startswith(("+++ ", "--- ", "diff --git ", "index ")):
            kind = "hunk"
        yield _span(kind, line)


def _highlighted(lines: Sequence[str], language: str) -> Iterator[str]:
    """Each line; those that no lexer has reached stay plain."""
    done = 0
    for runs in lexed(lines, language):
        yield "".join(_span(role_of(kind), part) for part, kind in runs)
        done += 1
    yield from map(escape, lines[done:])


def _span(kind: str, text: str) -> str:
    return f'<span class="{kind}">{escape(text)}</span>' if kind and text else escape(text)


def _fence(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return code(tokens[at].content, language_of(tokens[at].info))


def _link_open(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A link to another place; one that would lead into this machine, or run something, only looks like a word."""
    address = str(tokens[at].attrGet("href") or "")
    if leads_somewhere(address):
        return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow" target="_blank">'
    return f'<span class="nowhere" title="{escape(address)}">'


def _link_close(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    depth = 0
    for token in reversed(tokens[: at + 1]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if not depth:
            return "</a>" if leads_somewhere(str(token.attrGet("href") or "")) else "</span>"
    return ""


def _image(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """What it shows, in words, and where it is: a page that fetches a picture tells somebody that it was opened."""
    address, words = str(tokens[at].attrGet("src") or ""), tokens[at].content or "picture"
    return f'<span class="nowhere" title="{escape(address)}">[{escape(words)}: {escape(address)}]</span>'


def _written_out(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A sign that was written as an entity, or behind a backslash."""
    return escape(tokens[at].content)


_RULES = {
    "code_block": _fence,
    "fence": _fence,
    "image": _image,
    "link_close": _link_close,
    "link_open": _link_open,
    "text_special": _written_out,
}


@cache
def _writer() -> MarkdownIt:
    """Only writes: `grammar` reads, as it does for the screen."""
    writer = MarkdownIt("commonmark")
    for name, rule in _RULES.items():
        writer.add_render_rule(name, rule)
    return writer
