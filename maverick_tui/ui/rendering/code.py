"""Code as rows, highlighted by Pygments."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol, TypeAlias

from rich.style import Style

from maverick_tui.ui.rendering.row import NO_MARGIN, Canvas, Margin, Row
from maverick_tui.ui.rendering.wrap import Styled, clean_lines, fold, hang_of

_TokenType: TypeAlias = tuple[str, ...]


class Lexer(Protocol):
    """What is used of a lexer of Pygments, whose package has no types."""

    name: str

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, _TokenType, str]]:
        """Positions, token types and the pieces of a text."""
        ...


_LONGEST_LINE = 2_000  # minified files, whose lines cost lexers seconds
_MOST_CHARACTERS = 200_000

log = logging.getLogger(__name__)


class Code:
    """Draws code on a canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._block = canvas.palette.block
        self._syntax = canvas.palette.syntax
        self._styles: dict[_TokenType, Style] = {}
        self._pad = 2 if canvas.room >= 24 else 1

    def rows(self, source: str, language: str, margin: Margin = NO_MARGIN) -> Iterator[Row]:
        """The rows of a block of code, made as they are asked for."""
        lines = clean_lines(source)
        while lines and not lines[-1].strip():
            lines.pop()
        lines = lines or [""]
        lead, width = margin.first, margin.cells + self._pad
        pad = self._canvas.spaces(self._pad, self._block)
        room = max(2, self._canvas.room - width)
        for runs in self._highlighted(lines, language):
            hang = hang_of(runs[0][0], room) if runs else 0
            for segments, cells, glue in fold(runs, room, hang):
                if glue is None:
                    yield self._canvas.row([*lead, pad, *segments], width + cells, width, None, self._block)
                else:
                    further = self._canvas.spaces(self._pad + hang, self._block)
                    left = width + hang
                    yield self._canvas.row([*lead, further, *segments], left + cells, left, glue, self._block)
                lead = margin.rest

    def _highlighted(self, lines: list[str], language: str) -> Iterator[list[Styled]]:
        """The runs of each line. If the lexer fails, the lines that it has not reached stay plain."""
        done = 0
        if (lexer := self._lexer(lines, language)) is not None:
            try:
                for runs in self._lexed(lexer, "\n".join(lines) + "\n"):
                    yield runs
                    done += 1
            except Exception:
                log.exception("The lexer of %r has failed.", language)
        for line in lines[done:]:
            yield [(line, self._block)]

    def _lexer(self, lines: list[str], language: str) -> Lexer | None:
        size = sum(map(len, lines))
        if not language or not size or size > _MOST_CHARACTERS or max(map(len, lines)) > _LONGEST_LINE:
            return None
        return lexer_of(language)

    def _lexed(self, lexer: Lexer, text: str) -> Iterator[list[Styled]]:
        styles = self._styles
        line: list[Styled] = []
        for _, kind, part in lexer.get_tokens_unprocessed(text):
            style = styles.get(kind) or self._style(kind)
            if "\n" not in part:
                if part:
                    line.append((part, style))
                continue
            first, *others = part.split("\n")
            if first:
                line.append((first, style))
            for other in others:
                yield line
                line = [(other, style)] if other else []

    def _style(self, kind: _TokenType) -> Style:
        """The style of a token type, or of the nearest type above it that has one."""
        parts = list(kind)
        style = self._block
        while parts:
            if (found := self._syntax.get(".".join(parts))) is not None:
                style = found
                break
            parts.pop()
        self._styles[kind] = style
        return style


def language_of(info: str) -> str:
    """The language that a fence names: its first word, without what some models put around or behind it."""
    word = info.split(maxsplit=1)[0] if info.strip() else ""
    return word.strip("{}.").partition(":")[0].partition(",")[0].lower()


@lru_cache(64)
def lexer_of(language: str) -> Lexer | None:
    """The lexer of a language, if there is one."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer: Lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return lexer if lexer.name != "Text only" else None
