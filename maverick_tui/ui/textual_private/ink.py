"""Ink: rows as they are written to a terminal, colours where they change, and nothing that stands there already."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rich.color import ColorSystem
from rich.console import Console
from textual.geometry import Region
from textual.strip import Strip

from maverick_tui.ui.textual_private.cells import Placed, pieces_of
from maverick_tui.ui.textual_private.pens import is_erased_alike, on_blanks, step
from maverick_tui.ui.textual_private.scrolling import Scroll
from maverick_tui.ui.textual_private.steady import is_doubtful
from maverick_tui.ui.textual_private.strip import Inked, inked

_INDEX = "\x1bD"
"""On the last line of a region it moves the others up; it is understood where a longer movement is not."""
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
        pieces = pieces_of(strip, before, self._colours) if before is not None else None
        if pieces is not None:
            self._write_pieces((line, column + piece.start, piece) for piece in pieces)
            return
        if (row := inked(strip, self._console)) is None:
            self._out.append(f"\x1b[{line};{column}H{strip.render(self._console)}")
            self._pen = None
            return
        self._write_row(line, column, row, inked(before, self._console) if before is not None else None)

    def scroll(self, region: Region, scroll: Scroll) -> None:
        """Move the lines of a region up, and put right what has gone along; what is below them is not known then."""
        self._out.append(f"\x1b[{region.y + 1};{region.bottom}r\x1b[{region.bottom};1H{_INDEX * scroll.by}\x1b[r")
        found: list[Placed] = []
        for place, strips in scroll.beside:
            parts, whole = scroll.repairs.of(place, strips, scroll.by, self._colours)
            found += parts
            for line, column, strip in whole:
                self.write(line, column, strip, None)
        # To take another pen costs more than to go to another line.
        self._write_pieces(sorted(found, key=lambda placed: placed[2].pen))

    def _write_pieces(self, pieces: Iterable[Placed]) -> None:
        out, at = self._out, (0, 0)
        for line, column, (_, pen, text, blanks) in pieces:
            if at != (line, column):
                is_ahead = at[0] == line and at[1] < column
                out.append(f"\x1b[{column - at[1]}C" if is_ahead else f"\x1b[{line};{column}H")
            if text or self._pen is None or on_blanks(self._pen) != pen:
                self._take(pen)
            is_erased = _ERASES and blanks > _FEW and is_erased_alike(pen)
            out.append(f"{text}\x1b[{blanks}X" if is_erased else text + " " * blanks)
            at = line, column + len(text) + (0 if is_erased else blanks)

    def _write_row(self, line: int, column: int, row: Inked, old: Inked | None) -> None:
        blanks, pen = (0, None) if old is None else (old.lead, old.first) if old.text else (old.trail, old.last)
        skip = min(row.lead, blanks) if pen is not None and on_blanks(pen) == on_blanks(row.first) else 0
        self._out.append(f"\x1b[{line};{column + skip}H")
        if len(row.text) > skip:
            self._take(row.first)
            self._out.append(row.text[skip:])
            self._pen = row.mid
        blank = on_blanks(row.last)
        is_there = old is not None and old.trail >= row.trail and on_blanks(old.last) == blank
        if row.trail and not (is_there and not is_doubtful(row.text)):  # what may be drawn too wide is to be covered
            if self._pen is None or on_blanks(self._pen) != blank:
                self._take(row.last)
            # Blanks are erased where that takes fewer bytes; it leaves the cursor where it is, which is set next.
            is_erased = _ERASES and row.trail > _FEW and is_erased_alike(row.last)
            self._out.append(f"\x1b[{row.trail}X" if is_erased else " " * row.trail)

    def _take(self, pen: str) -> None:
        self._out.append(step(self._pen, pen))
        self._pen = pen
