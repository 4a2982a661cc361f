"""Reads Markdown as it arrives: hands out what can no longer change, in pieces of bounded work.

Blocks are decided line by line, so every top-level block but the last is final as soon as the first line of the next
one is complete; and so is every item of a list but the last. How the text was cut into deltas makes no difference.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from maverick_tui.markup import grammar
from maverick_tui.ui.rendering.units import (
    BLANK_LINES,
    FENCE,
    LONGEST_OPENER,
    OpenFence,
    OpenTable,
    Unit,
    Units,
    fence_of,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

WINDOW = 4_096
"""Characters that are parsed at once."""
LINES = 128
"""Lines that are parsed at once."""
_LONGEST, _LONGEST_ITEM = 2, 8
"""How many windows a block may fill, and an item, which may have many parts. What is longer is cut, so that drawing it
again as it grows stays cheap."""

log = logging.getLogger(__name__)


class MarkdownReader:
    """Splits text into units. Call `step` until it returns None; then `fence`, `table` or `open` is what is left."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._units = Units()
        self.fence: OpenFence | None = None
        self.table: OpenTable | None = None
        self.open: list[Unit] = []

    def feed(self, text: str) -> None:
        """Append text."""
        if self._at:
            self._text = self._text[self._at :]
            self._at = 0
        self._text += text.replace("\r", "")

    @property
    def rest(self) -> str:
        """The text that belongs to no final unit."""
        return self._text[self._at :]

    def step(self, *, closed: bool) -> list[Unit] | None:
        """Final units, perhaps none yet; None if there is nothing to do. `closed` says that nothing will follow."""
        if self.fence is not None:
            return self._step_fence(self.fence, closed=closed)
        if self.table is not None:
            return self._step_table(self.table, closed=closed)
        self.open = []
        if (blank := BLANK_LINES.match(self._text, self._at)) is not None:
            self._at = blank.end()
            self._units.pass_blank()
        if self._at >= len(self._text):
            return None
        found = FENCE.match(self._text, self._at)
        if found and found.end() - self._at <= LONGEST_OPENER and (closed or found.end() < len(self._text)):
            self.fence = fence_of(found, is_spaced=self._units.pass_by())
            self._at = min(len(self._text), found.end() + 1)
            return []
        return self._step_blocks(closed=closed)

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _step_blocks(self, *, closed: bool) -> list[Unit] | None:
        scale = 1
        while True:
            lines, is_whole = self._window(scale)
            units = self._parse(lines)
            if is_whole and closed:
                self._at = len(self._text)
                self._units.pass_by()
                return units
            complete = len(lines) - 1
            if count := _final(units, lines):
                following = units[count] if count < len(units) else None
                end = following.start if following else units[-1].end
                self._at += sum(len(line) + 1 for line in lines[:end])
                self._units.hand_over(following)
                return units[:count]
            if units and units[0].kind == "table" and complete >= 2:
                head = "\n".join(lines[:2]) + "\n"
                self.table = OpenTable(head, self._units.pass_by())
                self._at += len(head)
                return []
            if is_whole:
                self.open = units
                return None
            if scale >= (_LONGEST_ITEM if units and units[0].kind == "item" else _LONGEST):
                return self._cut(scale, lines)
            scale *= 2

    def _window(self, scale: int) -> tuple[list[str], bool]:
        """Lines to be parsed, of which only the last may be incomplete; and whether they are all there are."""
        window = self._text[self._at : self._at + WINDOW * scale]
        is_whole = len(self._text) - self._at <= WINDOW * scale
        lines = window.split("\n", LINES * scale + 1)
        if len(lines) > LINES * scale + 1:
            is_whole = False
            lines.pop()
        if not is_whole:
            lines[-1] = ""
        return lines, is_whole

    def _cut(self, scale: int, lines: list[str]) -> list[Unit]:
        """End a block that is too long at the end of a line, or of a word."""
        size = WINDOW * scale
        complete = sum(len(line) + 1 for line in lines) - 1
        if complete < size // 2 and len(lines) <= LINES * scale:  # one long line
            window = self._text[self._at : self._at + size]
            complete = window.rfind(" ", size // 2) + 1 or size
            lines = window[:complete].split("\n")
        units = self._parse(lines)
        self._at += complete
        self._units.pass_by(is_cut=True)
        return units

    def _parse(self, lines: list[str]) -> list[Unit]:
        try:
            return self._units.of(grammar.blocks("\n".join(lines)), lines)
        except Exception:
            log.exception("A text cannot be read as Markdown.")
            return [Unit("plain", lines, 0, len(lines), is_spaced=self._units.is_spaced)]

    # -- a fence, and a table, whose end may be far ---------------------------------------------------------------

    def _step_fence(self, fence: OpenFence, *, closed: bool) -> list[Unit] | None:
        end = fence.closing.search(self._text, self._at)
        if end is not None and (closed or end.end() < len(self._text)):
            fence.add(self._text[self._at : end.start()])
            self._at = min(len(self._text), end.end() + 1)
        elif closed:
            fence.add(self.rest)
            self._at = len(self._text)
        else:
            complete = self._text.rfind("\n", self._at) + 1
            if not complete:
                return None
            fence.add(self._text[self._at : complete])
            self._at = complete
            return []
        self.fence = None
        lines = fence.lines
        return [Unit("fence", lines, 0, len(lines), code=lines, info=fence.info, is_spaced=fence.is_spaced)]

    def _step_table(self, table: OpenTable, *, closed: bool) -> list[Unit] | None:
        chunk = self._table_chunk(closed=closed)
        if chunk is None:
            return None
        lines = chunk.removesuffix("\n").split("\n") if chunk else []
        rows = self._rows(table, chunk)
        count = len(rows)
        for row in rows:
            table.tokens.extend(row)
        table.lines.extend(lines[:count])
        self._at = min(len(self._text), self._at + sum(len(line) + 1 for line in lines[:count]))
        if count == len(lines) and count and not (closed and self._at >= len(self._text)):
            return []
        self.table = None
        return [Unit("table", table.lines, 0, len(table.lines), table.tokens, is_spaced=table.is_spaced, table=table)]

    def _table_chunk(self, *, closed: bool) -> str | None:
        """Lines that may continue a table, empty if none can; None if the next one is not complete."""
        rest = self._text[self._at : self._at + WINDOW]
        lines = rest.split("\n", LINES)
        if len(lines) > 1:
            return rest[: len(rest) - len(lines[-1])]
        longest = WINDOW * _LONGEST_ITEM
        end = self._text.find("\n", self._at, self._at + longest) + 1
        if end:
            return self._text[self._at : end]
        if len(self._text) - self._at > longest:
            return ""
        return self.rest if closed else None

    def _rows(self, table: OpenTable, chunk: str) -> list[list[Token]]:
        """The rows that a chunk begins with, as tokens."""
        try:
            return table.rows(chunk)
        except Exception:
            log.exception("The row of a table cannot be read.")
            return []


def _final(units: list[Unit], lines: list[str]) -> int:
    """How many of the units cannot change any more, whatever follows the last of the lines, which is not complete."""
    complete = len(lines) - 1
    count = 0
    for index in range(len(units) - 1, 0, -1):
        unit = units[index]
        # A line becomes the head of a table through the line below it.
        if unit.start + (unit.kind == "table") < complete:
            count = index
            break
    while count < len(units) and _is_ended(units[count], lines, complete):
        count += 1
    return count


def _is_ended(unit: Unit, lines: list[str], complete: int) -> bool:
    """Whether a blank line ends the unit, or it never has more than its line."""
    if unit.kind != "block" or unit.end > complete:
        return False
    kind = unit.tokens[0]
    if kind.type == "heading_open" and kind.markup.startswith("#"):
        return True
    return kind.type != "code_block" and unit.end < complete and not lines[unit.end].strip()
