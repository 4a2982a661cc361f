"""Ink: rows as they are written to a terminal, colours where they change, and nothing that stands there already."""

from __future__ import annotations

import os

from rich.color import ColorSystem
from rich.console import Console
from textual.strip import Strip

from maverick_tui.ui.textual_private.cells import Cells, cells_of
from maverick_tui.ui.textual_private.pens import is_erased_alike, on_blanks, step
from maverick_tui.ui.textual_private.strip import Inked, inked

_FEW = 6
_ERASES = "STY" not in os.environ
"""GNU screen erases without the background's colour; all other terminals of today keep it."""


class Ink:
    """Writes rows one after the other, and knows the pen that the last one has left."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._colours = console._color_system or ColorSystem.TRUECOLOR
        self._pen: str | None = None
        """What the terminal writes in, as codes; None if that is not known."""
        self._out: list[str] = []

    @property
    def text(self) -> str:
        """All that was written; it leaves the terminal without a style."""
        return "".join(self._out) + ("\x1b[0m" if self._pen is not None else "")

    def write(self, line: int, column: int, strip: Strip, before: Strip | None) -> None:
        """Write a row at its place, where this stood before, if it is known."""
        if (row := inked(strip, self._console)) is None:
            self._out.append(f"\x1b[{line};{column}H{strip.render(self._console)}")
            self._pen = None
            return
        new = old = None
        if before is not None and before.cell_length == strip.cell_length:
            new, old = cells_of(strip, self._colours), cells_of(before, self._colours)
        if new is not None and old is not None:
            self._write_changes(line, column, new, old)
        else:
            self._write_row(line, column, row, inked(before, self._console) if before is not None else None)

    def scroll(self, top: int, bottom: int, by: int) -> None:
        """Move the lines between two, and all that stands in them, up by so many; below them nothing is known."""
        self._out.append(f"\x1b[{top};{bottom}r\x1b[{bottom};1H{_INDEX * by}\x1b[r")

    def _write_changes(self, line: int, column: int, new: Cells, old: Cells) -> None:
        at: int | None = None
        for start, end in new.changed(old):
            self._out.append(f"\x1b[{line};{column + start}H" if at is None else f"\x1b[{start - at}C")
            at = self._write_cells(new, start, end)

    def _write_cells(self, cells: Cells, start: int, end: int) -> int:
        """Write some cells of a row; the one that the cursor is in then."""
        text, pens, at = cells.text, cells.pens, start
        while at < end:
            pen = self._pen
            if pen is None or pens[at] != (on_blanks(pen) if text[at] == " " else pen):
                pen = self._take(_pen_for(cells, at, end))
            blank, begun = on_blanks(pen), at
            while at < end and (pens[at] == blank if text[at] == " " else pens[at] == pen):
                at += 1
            part = text[begun:at]
            left = at - begun - len(part.rstrip(" ")) if at == end else 0
            if left > _FEW and _ERASES and is_erased_alike(pen):
                self._out.append(f"{part[:-left]}\x1b[{left}X")
                return at - left
            self._out.append(part)
        return at

    def _write_row(self, line: int, column: int, row: Inked, old: Inked | None) -> None:
        blanks, pen = (0, None) if old is None else (old.lead, old.first) if old.text else (old.trail, old.last)
        skip = min(row.lead, blanks) if pen is not None and on_blanks(pen) == on_blanks(row.first) else 0
        self._out.append(f"\x1b[{line};{column + skip}H")
        if len(row.text) > skip:
            self._take(row.first)
            self._out.append(row.text[skip:])
            self._pen = row.mid
        blank = on_blanks(row.last)
        if row.trail and not (old is not None and old.trail >= row.trail and on_blanks(old.last) == blank):
            if self._pen is None or on_blanks(self._pen) != blank:
                self._take(row.last)
            # Blanks are erased where that takes fewer bytes; it leaves the cursor where it is, which is set next.
            is_erased = _ERASES and row.trail > _FEW and is_erased_alike(row.last)
            self._out.append(f"\x1b[{row.trail}X" if is_erased else " " * row.trail)

    def _take(self, pen: str) -> str:
        self._out.append(step(self._pen, pen))
        self._pen = pen
        return pen


_INDEX = "\x1bD"
"""On the last line of a region it moves the others up; it is understood where a longer movement is not."""


def _pen_for(cells: Cells, at: int, end: int) -> str:
    """The pen to take for a cell: if it is a blank that of the text behind it, where that makes no difference."""
    if cells.text[at] != " ":
        return cells.pens[at]
    pen = next((cells.pens[next_] for next_ in range(at, end) if cells.text[next_] != " "), cells.pens[at])
    return pen if on_blanks(pen) == cells.pens[at] else cells.pens[at]
