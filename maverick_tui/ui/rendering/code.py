"""Code as rows, highlighted by Pygments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from rich.style import Style

from maverick_tui.markup.code import TokenType
from maverick_tui.markup.lexing import lexed
from maverick_tui.ui.rendering.row import NO_MARGIN, Canvas, Margin, Row
from maverick_tui.ui.rendering.wrap import Styled, clean, clean_lines, fold, hang_of

T = TypeVar("T")


class Code:
    """Draws code on a canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._block = canvas.palette.block
        self._syntax = canvas.palette.syntax
        self._styles: dict[TokenType, Style] = {}
        self._pad = 2 if canvas.room >= 24 else 1

    def rows(
        self, source: str, language: str, margin: Margin = NO_MARGIN, marks: Sequence[tuple[int, int]] = ()
    ) -> Iterator[Row]:
        """The rows of a block of code, made as they are asked for; `marks` say from which character to which."""
        lines = clean_lines(source)
        while lines and not lines[-1].strip():
            lines.pop()
        lines = lines or [""]
        lead, width = margin.first, margin.cells + self._pad
        pad = self._canvas.spaces(self._pad, self._block)
        room = max(2, self._canvas.room - width)
        marked = _by_line(source, marks) if marks else {}
        over = self._canvas.palette.overlays["marked"]
        for number, plain in enumerate(self._highlighted(lines, language)):
            runs = _overlaid(plain, marked[number], over) if number in marked else plain
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
        """The runs of each line; those that no lexer has reached stay plain."""
        done = 0
        styles = self._styles
        for runs in lexed(lines, language):
            yield [(part, styles.get(kind) or self._style(kind)) for part, kind in runs]
            done += 1
        for line in lines[done:]:
            yield [(line, self._block)]

    def _style(self, kind: TokenType) -> Style:
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


def _by_line(source: str, marks: Sequence[tuple[int, int]]) -> dict[int, list[tuple[int, int]]]:
    """What is marked of each line that has something, counted in characters as they are drawn."""
    found: dict[int, list[tuple[int, int]]] = {}
    begin = 0
    for number, line in enumerate(source.split("\n")):
        for start, end in marks:
            first, last = max(start - begin, 0), min(end - begin, len(line))
            if first < last:
                found.setdefault(number, []).append((len(clean(line[:first])), len(clean(line[:last]))))
        begin += len(line) + 1
    return found


def _overlaid(runs: Sequence[Styled], marks: Sequence[tuple[int, int]], style: Style) -> list[Styled]:
    """The runs of a line with a style laid over what is marked."""
    return [(text, own + style if is_marked else own) for text, own, is_marked in told_apart(runs, marks)]


def told_apart(runs: Iterable[tuple[str, T]], marks: Sequence[tuple[int, int]]) -> Iterator[tuple[str, T, bool]]:
    """The runs of a line, cut where something is marked, and whether each part of them is."""
    begin = 0
    for text, own in runs:
        cuts = {0, len(text), *(at - begin for mark in marks for at in mark if 0 < at - begin < len(text))}
        for start, end in pairwise(sorted(cuts)):
            yield text[start:end], own, any(first <= begin + start < last for first, last in marks)
        begin += len(text)
