"""Page: the entries of a run as blocks of rows, the gaps between them, and what stands on which line."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Offset
from textual.selection import Selection

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import Entry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.transcript.blocks import Block, Blocks, Gap, asked_in, gap_between
from maverick_tui.ui.transcript.folding import Folding
from maverick_tui.ui.transcript.texts import Search, highlighted, source

if TYPE_CHECKING:  # an empty transcript is painted without the renderer, which takes a while to import
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row
    from maverick_tui.ui.transcript.entry_rows import EntryRows

log = logging.getLogger(__name__)

NARROWEST = 8
"""Columns below which text is cut, since there is nothing to be gained by wrapping it."""


class Page:
    """Draws a block when it has changed or is looked at, and knows which row stands on a line; it knows no widget."""

    def __init__(
        self,
        store: RunStore,
        palette: Callable[[], Palette],
        keys: Mapping[str, str],
        verbosity: Verbosity,
        clock: Callable[[], float],
    ) -> None:
        """Nothing can be drawn before `restyle`."""
        self.store = store
        self.blocks = Blocks()
        self.folding = Folding(store, verbosity)
        self.search = Search(self._sources)
        self.keys = keys
        self.choice: Choice | None = None
        """How far the agent's own question is answered."""
        self.width = 0
        self.chosen: int | None = None
        """The number of the entry that keys act on."""
        self.marks_chosen = False
        """Whether the chosen entry has its mark: while keys go to the transcript."""
        self.selected: Selection | None = None
        self.match = (0, 0, 0)
        """Where the current match is: the number of its entry, its row there, and which one in the row it is."""
        self._palette = palette
        self._clock = clock
        self._drawing: EntryRows | None = None

    # -- looks --------------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether rows can be drawn: there is a width, and the renderer has been loaded."""
        return self._drawing is not None

    @property
    def entry_rows(self) -> EntryRows:
        """What draws the entries."""
        assert self._drawing is not None
        return self._drawing

    def restyle(self) -> None:
        """Draw with the width, the colours and the keys of the moment from now on; rows are forgotten."""
        from maverick_tui.ui.transcript.entry_rows import EntryRows
        from maverick_tui.ui.transcript.layout import Look

        folder = self.store.loaded.cwd if self.store.loaded else ""
        look = Look(max(self.width, NARROWEST), self._palette(), folder, self.keys, choice=self.choice)
        self._drawing = EntryRows(look, self._clock)

    def forget_rows(self, is_outdated: Callable[[Block], bool] = lambda _: True) -> None:
        """Draw these blocks anew when they are looked at; until then their heights are guessed."""
        for index, block in enumerate(self.blocks):
            if is_outdated(block):
                self.blocks.drop(block)
                block.live = block.dressed = None
                block.is_measured = False
                self.blocks.set_height(index, self._guess(block.entry))

    def prepare(self, store: RunStore) -> Iterator[None]:
        """Guess the heights of what another store has, which this one is to become, one by one."""
        folding = self.folding.over(store)
        for entry in store.entries:
            if self.blocks.get(entry.number) is None:
                self.blocks.prepare(Block(entry, self._guess(entry, folding)))
                yield

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw(self, index: int, until: float = float("inf")) -> bool:
        """Draw a block; whether there is more of it to draw than there was time for."""
        block = self.blocks[index]
        entry = block.entry
        has_more = False
        if self.folding.is_hidden(entry):
            self.blocks.drop(block)
            gap, height = Gap(), 0
        else:
            gap = self._gap(index)
            if isinstance(entry, TextEntry) and entry.kind == "text" and (entry.is_open or block.live is not None):
                has_more = self._draw_open(block, entry, until)
                height = gap.rows + _count(block)
            else:
                rows = self._rows_of(entry)
                self.blocks.keep(block, rows)
                height = gap.rows + len(rows)
        block.gap, block.guides = gap
        self._set_height(index, height)
        block.is_measured = True
        self._regap_below(index)
        return has_more

    def measure(self, index: int) -> None:
        """Draw a block whose height is only guessed."""
        if not self.blocks[index].is_measured:
            self.draw(index)

    def _draw_open(self, block: Block, entry: TextEntry, until: float) -> bool:
        """Draw text that may still grow; whether there is more of it than there was time for."""
        try:
            return self._draw_live(block, entry, until)
        except Exception:  # as for a finished block: the rest of the run can still be read
            log.exception("Open text could not be drawn")
            block.live = None
            self.blocks.keep(block, self._rows_of(entry))
            return False

    def _draw_live(self, block: Block, entry: TextEntry, until: float) -> bool:
        if block.live is None:
            from maverick_tui.ui.rendering.live import LiveMarkdown

            block.live, block.fed, block.fed_parts = LiveMarkdown(self.entry_rows.layout.renderer(entry.depth)), 0, 0
            self.blocks.drop(block)
        live = block.live
        new = "".join(entry.parts[block.fed_parts :]) if entry.is_open else entry.text[block.fed :]
        block.fed += len(new)
        block.fed_parts = len(entry.parts)
        if new:
            live.feed(new)
        if live.advance(max(0.001, min(until - time.perf_counter(), 1.0))):
            return True
        if not entry.is_open:
            live.finish()
            self.blocks.keep(block, self.entry_rows.text(entry, list(live.frozen)))
            block.live = block.dressed = None
        return False

    def _rows_of(self, entry: Entry) -> list[Row]:
        try:
            if isinstance(entry, ToolEntry) and self.folding.shows_beginning(entry):
                return self.entry_rows.own_command(entry)
            return self.entry_rows.rows(entry, is_expanded=self.folding.is_expanded(entry))
        except Exception:  # whatever a run contains, the rest of it can still be read
            log.exception("An entry of kind %s could not be drawn", entry.kind)
            # Whoever has to allow a call sees all of it even so.
            words = json.dumps(entry.arguments, default=str) if isinstance(entry, ToolEntry) else ""
            about = words if asked_in(entry) else one_line(source(entry))[:500]
            plain = self.entry_rows.layout.renderer().plain
            return plain(f"(this {entry.kind} cannot be drawn) {about}", self.entry_rows.look.palette.error)

    def _guess(self, entry: Entry, folding: Folding | None = None) -> int:
        """About how high an entry will be, without drawing it."""
        if (folding or self.folding).is_hidden(entry):
            return 0
        if isinstance(entry, TextEntry | PromptEntry) and entry.kind != "thinking":
            text = entry.text
            return 1 + text.count("\n") + len(text) // max(20, self.width - 12)
        return 1

    # -- heights and gaps ---------------------------------------------------------------------------------------------

    def _set_height(self, index: int, height: int) -> None:
        """A block has another height; what is selected below it stays selected."""
        more = height - self.blocks[index].height
        if self.selected is not None and more:
            start, end = self.selected
            if start is not None and end is not None and self.blocks.start(index + 1) <= start.y:
                self.selected = Selection(Offset(start.x, start.y + more), Offset(end.x, end.y + more))
        self.blocks.set_height(index, height)

    def _gap(self, index: int) -> Gap:
        """The room between this block and the one above it that can be seen."""
        for above in range(index - 1, -1, -1):
            if not self.folding.is_hidden(before := self.blocks[above].entry):
                return gap_between(before, self.blocks[index].entry)
        return Gap()

    def regap(self, index: int) -> None:
        """What stands above a block may be something else now, and with it the room between the two."""
        block = self.blocks[index]
        if block.is_measured and block.height and (gap := self._gap(index)) != (block.gap, block.guides):
            self._set_height(index, block.height + gap.rows - block.gap)
            block.gap, block.guides = gap

    def _regap_below(self, index: int) -> None:
        for below in range(index + 1, len(self.blocks)):
            if not self.folding.is_hidden(self.blocks[below].entry):
                self.regap(below)
                return

    # -- lines and rows -----------------------------------------------------------------------------------------------

    def first_line(self, block: Block, *, is_exact: bool = False) -> int:
        """The line of a block's first row, below its gap."""
        index = self.blocks.index(block)
        if is_exact:
            self.measure(index)
        return self.blocks.start(index) + block.gap

    def row(self, line: int) -> Row:
        """The row on a line, as it is painted."""
        if not 0 <= line < self.blocks.lines:
            row = self.entry_rows.layout.blank()
        else:
            index, offset = self.blocks.at(line)
            row = self.block_row(self.blocks[index], offset)
            if self.search.needle:
                row = self._highlighted(row, self.blocks[index], offset)
        if self.selected is not None and (span := self.selected.get_span(line)) is not None:
            start, end = span_in_cells(row, span)
            row = row.marked(max(start, row.indent), end, self.entry_rows.look.palette.selection)
        return row

    def rows(self, first: int, count: int) -> list[Row]:
        """So many rows from a line on, as `row` tells each of them: a frame needs all that are in view."""
        if self.search.needle or self.selected is not None or not 0 <= first < self.blocks.lines:
            return [self.row(line) for line in range(first, first + count)]
        index, offset = self.blocks.at(first)
        found: list[Row] = []
        while len(found) < count and index < len(self.blocks):
            block = self.blocks[index]
            end = min(block.height, offset + count - len(found))
            found += [self.block_row(block, at) for at in range(offset, end)]
            index, offset = index + 1, 0
        return [*found, *[self.entry_rows.layout.blank()] * (count - len(found))]

    def _highlighted(self, row: Row, block: Block, offset: int) -> Row:
        number, at, ordinal = self.match
        is_current = (block.entry.number, offset - block.gap) == (number, at)
        return highlighted(row, self.search.needles, self.entry_rows.look.palette, ordinal if is_current else -1)

    def block_row(self, block: Block, offset: int) -> Row:
        """A row of a block, its gap counted; without what a search or a selection lays over it."""
        at = offset - block.gap
        if at < 0:
            return self.entry_rows.layout.blank(block.guides)
        if block.live is not None:
            frozen = block.live.frozen
            row = frozen[at] if at < len(frozen) else block.live.tail[at - len(frozen)]
            if at == 0 or block.entry.depth:
                row = self._dressed(block, at, row)
        else:
            rows = self._kept(block)
            self.blocks.touch(block)
            row = rows[at] if at < len(rows) else self.entry_rows.layout.blank()
        if at == 0 and block.entry.number == self.chosen and self.marks_chosen:
            row = self._marked(row)
        return row

    def rows_in(self, block: Block) -> list[Row]:
        """All rows of a block, without what stands beside open text."""
        return [*block.live.frozen, *block.live.tail] if block.live is not None else self._kept(block)

    def _kept(self, block: Block) -> list[Row]:
        if block.rows is None:
            self.blocks.keep(block, self._rows_of(block.entry))
        return block.rows or []

    def _dressed(self, block: Block, at: int, row: Row) -> Row:
        """A row of open text with what stands beside it; the same object for as long as the row is the same."""
        known = block.dressed.get(at) if block.dressed is not None else None
        if known is None or known[0] is not row:
            dress = self.entry_rows.layout.dress
            known = row, dress([row], None if at else block.entry, "", depth=block.entry.depth)[0]
            block.dressed = {} if block.dressed is None else block.dressed
            block.dressed[at] = known
        return known[1]

    def _marked(self, row: Row) -> Row:
        """The row of the chosen entry: a mark in the gutter."""
        look, lead = self.entry_rows.look, row.lead
        if not lead or look.gutter < 2:
            return row
        first, style = lead[0].text, lead[0].style
        mark = Segment("▶", look.palette.accent)
        return row.with_lead([Segment(first[:-2], style), mark, Segment(first[-1:], style), *lead[1:]])

    # -- text ---------------------------------------------------------------------------------------------------------

    def selected_text(self) -> str | None:
        """What is selected: rows that were wrapped are joined again, the gutter is left out."""
        assert self.selected is not None
        start, end = self.selected
        assert start is not None
        assert end is not None
        places = [self.blocks.at(line) for line in range(start.y, min(end.y + 1, self.blocks.lines))]
        rows = [self.block_row(self.blocks[index], offset) for index, offset in places]
        if not rows:
            return None
        from maverick_tui.ui.rendering.row import copied_text

        last = rows[-1].cell_length if len(rows) <= end.y - start.y else span_in_cells(rows[-1], (0, end.x))[1]
        return copied_text(rows, span_in_cells(rows[0], (start.x, -1))[0], last)

    def _sources(self) -> list[tuple[int, str]]:
        return [(entry.number, source(entry)) for entry in self.store.entries if not self.folding.is_hidden(entry)]


def _count(block: Block) -> int:
    """How many rows a block of text has, without its gap."""
    return len(block.live.frozen) + len(block.live.tail) if block.live is not None else len(block.rows or ())


def span_in_cells(row: Row, span: tuple[int, int]) -> tuple[int, int]:
    """A span of characters as one of cells; -1 is the end of the row."""
    text, (start, end) = row.text, span
    return cell_len(text[:start]), row.cell_length if end < 0 else cell_len(text[:end])
