"""Draws blocks of Markdown: what stands inside lists and quotes has their margin beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from rich.segment import Segment
from rich.style import Style

from maverick_tui.markup.code import language_of
from maverick_tui.ui.rendering.code import Code
from maverick_tui.ui.rendering.inline import Inline
from maverick_tui.ui.rendering.row import NO_MARGIN, Canvas, Margin, Row
from maverick_tui.ui.rendering.table import Cell, Table
from maverick_tui.ui.rendering.wrap import wrap

if TYPE_CHECKING:
    from markdown_it.token import Token

_BULLETS = ("• ", "◦ ", "▪ ")
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
_LINE_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


class _Frame:
    """A container that is being drawn: the whole text, a list, an item, or a quote."""

    __slots__ = ("bare", "cells", "count", "kind", "lead", "number", "rest", "style")

    def __init__(self, kind: Literal["text", "list", "item", "quote"], above: _Frame | None, style: Style) -> None:
        self.kind = kind
        self.style: Style = above.style if above else style
        self.lead: tuple[Segment, ...] | None = above.lead if above else None
        self.rest: tuple[Segment, ...] = above.rest if above else ()
        self.cells: int = above.cells if above else 0
        self.bare: int = above.bare if above else 0
        self.count = 0
        self.number: int | None = None


class BlockRenderer:
    """Draws the tokens of one block after the other on a canvas."""

    def __init__(self, canvas: Canvas, inline: Inline, code: Code) -> None:
        self._canvas, self._palette = canvas, canvas.palette
        self._inline, self._code = inline, code
        self._widest_margin = canvas.room - max(2, min(16, canvas.room // 2))
        self._frames: list[_Frame] = []
        self._rows: list[Row] = []
        self._lines: Sequence[str] = ()
        self._after_box = 0

    def rows(self, tokens: Sequence[Token], lines: Sequence[str], number: int | None = None) -> list[Row]:
        """The rows of a top-level block, or of one item of a list.

        `lines` is the text that the tokens' line numbers refer to; `number` is that of an item in an ordered list.
        """
        self._rows, self._lines, self._after_box = [], lines, 0
        self._frames = [_Frame("text", None, self._palette.base)]
        if tokens[0].type == "list_item_open":
            self._open("list").number = number
        steps = iter(enumerate(tokens))
        for index, token in steps:
            kind = token.type
            if kind in ("paragraph_open", "heading_open"):
                self._separate(token)
                style = self._frames[-1].style
                if kind == "heading_open":
                    style = self._palette.headings[int(token.tag[1]) - 1]
                self._text(tokens[index + 1].content[self._after_box :], style)
                self._after_box = 0
            elif kind in ("fence", "code_block"):
                self._separate(token)
                self._rows.extend(self._code.rows(token.content, language_of(token.info), self._margin()))
            elif kind == "hr":
                self._separate(token)
                self._rule()
            elif kind == "table_open":
                self._separate(token)
                end = next((at for at, other in steps if other.type == "table_close"), len(tokens))
                self._table(tokens[index:end])
            elif kind == "blockquote_open":
                self._separate(token)
                self._open_quote()
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self._separate(token)
                frame = self._open("list")
                if kind == "ordered_list_open":
                    frame.number = int(token.attrs.get("start", 1))
            elif kind == "list_item_open":
                self._separate(token)
                self._open_item(tokens, index)
            elif kind in ("blockquote_close", "bullet_list_close", "ordered_list_close", "list_item_close"):
                self._close()
        return self._rows

    def table(self, tokens: Sequence[Token], margin: Margin = NO_MARGIN) -> Table:
        """The table that the tokens describe: its head, and its rows so far."""
        head, aligns = [], []
        for index, token in enumerate(tokens):
            if token.type == "thead_close":
                break
            if token.type == "th_open":
                head.append(self._cell(tokens[index + 1].content, self._palette.table_head))
                aligns.append(str(token.attrs.get("style", "")).rpartition(":")[2])
        table = Table(self._canvas, margin, head, aligns)
        for cells in self.cells(tokens):
            table.add(cells)
        return table

    def cells(self, tokens: Sequence[Token]) -> Iterator[list[Cell]]:
        """The rows of a table's body."""
        row: list[Cell] = []
        for index, token in enumerate(tokens):
            if token.type == "td_open":
                row.append(self._cell(tokens[index + 1].content, self._palette.base))
            elif token.type == "tr_close" and row:
                yield row
                row = []

    # -- leaves -----------------------------------------------------------------------------------------------------

    def _text(self, content: str, style: Style) -> None:
        runs = self._inline.runs(content, style)
        margin = self._margin()
        self._rows.extend(self._canvas.rows(wrap(runs, self._canvas.room - margin.cells), margin))

    def _rule(self) -> None:
        margin = self._margin()
        cells = self._canvas.room - margin.cells
        dashes = Segment("─" * cells, self._palette.rule)
        self._rows.append(self._canvas.row([*margin.first, dashes], self._canvas.room, margin.bare))

    def _table(self, tokens: Sequence[Token]) -> None:
        if self._frames[-1].lead is not None:
            self._bare_row()
        table = self.table(tokens, self._margin())
        self._rows.extend(table.take())
        self._rows.extend(table.rows())

    def _cell(self, content: str, style: Style) -> Cell:
        runs = self._inline.runs(content, style)
        if "<" in content:
            return [(_LINE_BREAK.sub("\n", text), own) for text, own in runs]
        return runs

    # -- containers -------------------------------------------------------------------------------------------------

    def _open(self, kind: Literal["list", "item", "quote"]) -> _Frame:
        frame = _Frame(kind, self._frames[-1], self._palette.base)
        self._frames.append(frame)
        return frame

    def _open_quote(self) -> None:
        frame = self._open("quote")
        bar = Segment("│ ", self._palette.rule)
        above = self._frames[-2]
        self._shorten(frame, 2)
        if above.lead is not None:
            frame.lead = (*above.lead, bar)
        frame.rest = (*frame.rest, bar)
        frame.cells += 2
        frame.bare = frame.cells
        frame.style = self._palette.quote

    def _open_item(self, tokens: Sequence[Token], index: int) -> None:
        listed = self._frames[-1]
        depth = sum(frame.kind == "list" for frame in self._frames) - 1
        if listed.number is not None:
            text = f"{listed.number}{tokens[index].markup} "
            listed.number += 1
        else:
            text = _BULLETS[min(depth, len(_BULLETS) - 1)]
        if tokens[index + 1].type == "paragraph_open":
            task = _TASK.match(tokens[index + 2].content)
            if task is not None:
                box = "☐ " if task[1] == " " else "☑ "
                text = f"{text}{box}" if listed.number is not None else box
                self._after_box = task.end()
        frame = self._open("item")
        self._shorten(frame, len(text))
        marker = Segment(text, self._palette.marker)
        frame.lead = (*(listed.lead if listed.lead is not None else frame.rest), marker)
        frame.rest = (*frame.rest, self._canvas.spaces(len(text), self._palette.base))
        frame.cells += len(text)

    def _shorten(self, frame: _Frame, more: int) -> None:
        """Make the margin of a frame give way where it would leave too little room for text."""
        if (excess := frame.cells + more - self._widest_margin) <= 0:
            return
        frame.cells = max(0, frame.cells - excess)
        frame.rest = _cut(frame.rest, frame.cells)
        frame.bare = min(frame.bare, frame.cells)
        listed = self._frames[-2]
        if listed.lead is not None:
            listed.lead = _cut(listed.lead, frame.cells)

    def _close(self) -> None:
        frame = self._frames[-1]
        if frame.lead is not None and frame.kind != "list":
            self._bare_row()  # an empty item
        elif frame.kind == "quote" and not frame.count:
            self._rows.append(self._canvas.row(frame.rest, frame.cells, frame.bare))
        self._frames.pop()

    def _separate(self, token: Token) -> None:
        """Leave a blank row before a block, inside lists only where the author left one."""
        frame = self._frames[-1]
        frame.count += 1
        if frame.count == 1:
            return
        if frame.kind in ("list", "item"):
            line = token.map[0] - 1 if token.map else -1
            if not 0 <= line < len(self._lines) or self._lines[line].strip(" \t>"):
                return
        if frame.bare:
            self._rows.append(self._canvas.row(frame.rest, frame.cells, frame.cells))
        else:
            self._rows.append(self._canvas.blank)

    def _bare_row(self) -> None:
        margin = self._margin()
        self._rows.append(self._canvas.row(margin.first, margin.cells, margin.bare))

    def _margin(self) -> Margin:
        """The margin of the next rows; a marker stands on the first of them and never again."""
        frame = self._frames[-1]
        lead = frame.lead if frame.lead is not None else frame.rest
        for other in self._frames:
            other.lead = None
        return Margin(lead, frame.rest, frame.cells, frame.bare)


def _cut(segments: tuple[Segment, ...], cells: int) -> tuple[Segment, ...]:
    """The first cells of a margin, whose characters are one cell wide."""
    out: list[Segment] = []
    for text, style, _ in segments:
        if cells <= 0:
            break
        out.append(Segment(text[:cells], style))
        cells -= len(text)
    return tuple(out)
