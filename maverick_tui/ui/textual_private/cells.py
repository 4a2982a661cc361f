"""Cells: rows side by side, so that only what is different between them is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rich.color import ColorSystem
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


class Cells(NamedTuple):
    """A row cell by cell: a character, and all of its pen that is seen."""

    text: str
    pens: list[str]

    def changed(self, before: Cells) -> Iterator[tuple[int, int]]:
        """From where to where this differs from what was before, the near ones together."""
        pens = self.pens
        different = [
            at
            for at, (new, old, pen, other) in enumerate(zip(self.text, before.text, pens, before.pens, strict=True))
            if new != old or pen != other
        ]
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
