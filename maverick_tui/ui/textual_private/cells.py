"""Cells: rows side by side, so that only what is different between them is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rich.color import ColorSystem
from textual.geometry import Region
from textual.strip import Strip

from maverick_tui.ui.textual_private.pens import codes, on_blanks

_NEAR = 4
"""Cells that are written again rather than passed over: to move the cursor takes as many bytes."""

# What is one cell wide in every terminal, whatever comes before or after it. Others are written with all of their row:
# terminals do not agree on where it goes on behind them.
_PLAIN = (
    "\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0377\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f"
    "\u2010-\u2027\u2030-\u203b\u203d-\u2048\u2190-\u21ff\u2200-\u22ff\u2500-\u25fc\u2714\u2718\u2800-\u28ff"
)
_is_plain_text = re.compile(f"[{_PLAIN}]*").fullmatch


class Piece(NamedTuple):
    """Cells side by side that one pen writes: text, then blanks. Where there is no text, it is what is seen of one."""

    start: int
    pen: str
    text: str
    blanks: int


class Cells(NamedTuple):
    """A row cell by cell: a character, and all of its pen that is seen."""

    text: str
    pens: list[str]

    def pieces(self, before: Cells | None) -> Iterator[Piece]:
        """What has to be written where that was before; all of it if that is not known."""
        for start, end in self._changed(before) if before is not None else [(0, len(self.text))]:
            at = start
            while at < end:
                piece = self._piece(at, end)
                at += len(piece.text) + piece.blanks
                yield piece

    def _piece(self, start: int, end: int) -> Piece:
        pens, text, at, pen = self.pens, self.text, start, self._pen_for(start, end)
        blank = on_blanks(pen)
        while at < end and (pens[at] == blank if text[at] == " " else pens[at] == pen):
            at += 1
        written = text[start:at].rstrip(" ")
        return Piece(start, pen if written else blank, written, at - start - len(written))

    def _pen_for(self, at: int, end: int) -> str:
        """The pen to take for a cell: if it is a blank that of the text behind it, where that makes no difference."""
        if self.text[at] == " ":
            pen = next((self.pens[later] for later in range(at, end) if self.text[later] != " "), "")
            if on_blanks(pen) == self.pens[at]:
                return pen
        return self.pens[at]

    def _changed(self, before: Cells) -> Iterator[tuple[int, int]]:
        """From where to where this differs from what was before, the near ones together."""
        pairs = zip(self.text, before.text, self.pens, before.pens, strict=True)
        different = [at for at, (new, old, pen, other) in enumerate(pairs) if new != old or pen != other]
        if not different:
            return
        start = last = different[0]
        for at in different:
            if at - last > 1 and not self._is_joined(last, at):
                yield start, last + 1
                start = at
            last = at
        yield start, last + 1

    def _is_joined(self, last: int, at: int) -> bool:
        """Whether what stands between two cells is written along with them: it is short, and takes no other pen."""
        if at - last > _NEAR:
            return False
        pen = self.pens[last]
        return {pen, on_blanks(pen)}.issuperset(self.pens[last + 1 : at])


def cells_of(strip: Strip, colours: ColorSystem | None) -> Cells | None:
    """The cells of a row; None where it is not certain which character stands in which."""
    text = strip.text
    if not (text.isascii() and text.isprintable()) and not _is_plain_text(text):
        return None
    pens: list[str] = []
    for part, style, control in strip:
        if control or (style is not None and style.link):
            return None
        pen = codes(style, colours)
        if " " in part:
            blank = on_blanks(pen)
            pens += [blank if character == " " else pen for character in part]
        else:
            pens += [pen] * len(part)
    return Cells(text, pens)


def pieces_of(strip: Strip, before: Strip | None, colours: ColorSystem | None) -> list[Piece] | None:
    """What has to be written of a row where that was before; None where it is not certain where which character is."""
    new = cells_of(strip, colours)
    old = cells_of(before, colours) if before is not None else None
    if new is None or (before is not None and (old is None or len(old.text) != len(new.text))):
        return None
    return list(new.pieces(old))


Placed = tuple[int, int, Piece]
"""A line and a column, counted from 1, and what is written there."""
PlacedRow = tuple[int, int, Strip]
"""The same of a row that is written as a whole."""


class Repairs:
    """What has to be written of rows beside others that were moved; it is remembered, for they come again and again."""

    _MOST, _MOST_PLACES = 256, 16

    def __init__(self) -> None:
        self._places: dict[tuple[Region, int], tuple[Sequence[Strip], list[Placed], list[PlacedRow]]] = {}
        self._rows: dict[tuple[int, int], tuple[Strip, Strip | None, list[Piece] | None]] = {}

    def of(
        self, place: Region, strips: Sequence[Strip], by: int, colours: ColorSystem | None
    ) -> tuple[list[Placed], list[PlacedRow]]:
        """What puts these rows back in their place after they have gone up by so many: parts, and whole rows."""
        known = self._places.get((place, by))
        if known is None or known[0] != strips:
            if len(self._places) >= self._MOST_PLACES:
                self._places.clear()
            known = self._places[place, by] = strips, *self._repaired(place, strips, by, colours)
        return known[1:]

    def _repaired(
        self, place: Region, strips: Sequence[Strip], by: int, colours: ColorSystem | None
    ) -> tuple[list[Placed], list[PlacedRow]]:
        parts: list[Placed] = []
        whole: list[PlacedRow] = []
        column = place.x + 1
        for line, (strip, moved) in enumerate(zip_longest(strips, strips[by:]), place.y + 1):
            if (pieces := self._pieces(strip, moved, colours)) is None:
                whole.append((line, column, strip))
            else:
                parts += [(line, column + piece.start, piece) for piece in pieces]
        return parts, whole

    def _pieces(self, strip: Strip, moved: Strip | None, colours: ColorSystem | None) -> list[Piece] | None:
        if strip == moved:
            return []
        key = id(strip), id(moved)
        if (known := self._rows.get(key)) is None:  # rows that are kept here cannot lose their number to others
            if len(self._rows) >= self._MOST:
                self._rows.clear()
            known = self._rows[key] = strip, moved, pieces_of(strip, moved, colours)
        return known[2]
