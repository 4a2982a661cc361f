"""The renderer: text of every kind as rows of one width."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from time import sleep
from typing import TYPE_CHECKING

from rich.style import Style

from maverick_tui.inert import warm_up
from maverick_tui.markup import grammar
from maverick_tui.markup.code import language_of, lexer_of
from maverick_tui.markup.hunks import Hunk
from maverick_tui.ui.rendering.blocks import BlockRenderer
from maverick_tui.ui.rendering.code import Code
from maverick_tui.ui.rendering.diff import diff_rows
from maverick_tui.ui.rendering.inline import Inline, read_quickly
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.reader import MarkdownReader
from maverick_tui.ui.rendering.row import Canvas, Row
from maverick_tui.ui.rendering.units import Unit
from maverick_tui.ui.rendering.wrap import Styled, clean, clean_lines, wrap

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)

COMMON_LANGUAGES = (
    "python", "bash", "diff", "json", "javascript", "typescript", "yaml", "toml", "html", "css", "sql", "go", "rust",
)  # fmt: skip


class Renderer:
    """Draws text for one width and one palette; make a new one when either changes.

    Each row begins with a blank segment of `gutter` cells. Single newlines in Markdown stay, as models mean them.
    """

    def __init__(self, width: int, palette: Palette, gutter: int = 0) -> None:
        self.canvas = Canvas(width, palette, gutter)
        self.palette = palette
        self._code = Code(self.canvas)
        self.blocks = BlockRenderer(self.canvas, Inline(palette), self._code)

    def markdown(self, source: str) -> list[Row]:
        """The rows of a Markdown text; if it cannot be drawn, those of the text as it is."""
        try:
            return self._markdown(source)
        except Exception:
            log.exception("A Markdown text cannot be drawn.")
            return self.plain(source, self.palette.base)

    def _markdown(self, source: str) -> list[Row]:
        reader = MarkdownReader()
        reader.feed(source)
        rows: list[Row] = []
        while (units := reader.step(closed=True)) is not None:
            for unit in units:
                rows.extend(self.unit(unit))
        return rows

    def code(self, source: str, language: str = "", marks: Sequence[tuple[int, int]] = ()) -> list[Row]:
        """The rows of code, without highlighting if the language is not known; `marks` set some of it apart."""
        return list(self._code.rows(source, language_of(language), marks=marks))

    def plain(self, text: str, style: Style) -> list[Row]:
        """The rows of a text as it is, wrapped between words."""
        rows: list[Row] = []
        for line in clean_lines(text):
            rows.extend(self.canvas.rows(wrap([(line, style)], self.canvas.room)))
        return rows

    def spans(self, runs: Sequence[Styled]) -> list[Row]:
        """The rows of one line of several styles, wrapped between words."""
        return self.canvas.rows(wrap([(clean(text), style) for text, style in runs], self.canvas.room))

    def diff(self, hunks: Sequence[Hunk], *, numbered: bool = True) -> list[Row]:
        """The rows of a diff; without numbers where the hunks do not know where in a file they stand."""
        return diff_rows(self.canvas, hunks, numbered=numbered)

    # -- pieces, for text that is still growing ---------------------------------------------------------------------

    def unit(self, unit: Unit) -> Iterator[Row]:
        """The rows of a unit, with the blank row above it; those of a fence are made as they are asked for."""
        if unit.is_spaced:
            yield self.canvas.blank
        if unit.kind == "fence":
            yield from self.fence(unit.code, unit.info)
        else:
            yield from self._drawn(unit)

    def fence(self, lines: Sequence[str], info: str) -> Iterator[Row]:
        """The rows of a block of code."""
        return self._code.rows("\n".join(lines), language_of(info))

    def _drawn(self, unit: Unit) -> list[Row]:
        """The rows of a unit; one that cannot be drawn is shown as it is."""
        source = "\n".join(unit.lines[unit.start : unit.end])
        if unit.kind == "plain" or not grammar.is_shallow(unit.tokens):
            return self.plain(source.rstrip(), self.palette.base)
        try:
            return self.blocks.rows(unit.tokens, unit.lines, unit.number)
        except Exception:
            log.exception("A block of Markdown cannot be drawn.")
            return self.plain(source.rstrip(), self.palette.base)


def preload() -> None:
    """Load what the first answer needs, so that nobody waits for it: half a second's work for a thread."""
    warm_up()
    read_quickly("a")
    grammar.blocks("a")
    grammar.inline("*a*")
    for language in COMMON_LANGUAGES:
        lexer_of(language)
        sleep(0.005)  # keys first
