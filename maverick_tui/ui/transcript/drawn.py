"""DrawnBlocks: the entries of a run as blocks of rows, with the gaps between them, and what stands on which line."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Offset
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.widget import Widget

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import Entry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.transcript.blocks import Block, Blocks, Gap, asked_in, gap_between
from maverick_tui.ui.transcript.copying import source
from maverick_tui.ui.transcript.finding import Search, highlighted
from maverick_tui.ui.transcript.folding import Folding

if TYPE_CHECKING:  # an empty transcript is painted without the renderer, which takes a while to import
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row
    from maverick_tui.ui.transcript.entry_rows import EntryRows

log = logging.getLogger(__name__)

Anchor: TypeAlias = tuple[Block, int]


class DrawnBlocks(ScrollView):
    """Draws a block when it has changed or comes into view, and knows which row stands on a line."""

    def __init__(
        self,
        store: RunStore,
        *,
        palette: Callable[[], Palette],
        keys: Mapping[str, str] | None = None,
        verbosity: Verbosity = "normal",
        clock: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        """Draw the store's entries with the palette of the moment."""
        super().__init__(id=id)
        self.store = store
        self.is_following = True
        self.search = Search(self._sources)
        self.folding = Folding(store, verbosity)
        self.chosen: int | None = None
        """The number of the entry that keys act on."""
        self._palette = palette
        self._keys = dict(keys or {})
        self._choice: Choice | None = None
        self._clock = clock
        self._blocks = Blocks()
        self._draw_with: EntryRows | None = None
        self._blank: Row | None = None
        self._width = 0
        self._selected: Selection | None = None
        self._match = (0, 0, 0)
        """Where the current match is: the number of its entry, its row there, and which one in the row it is."""
        self._opened_to_find: set[int] = set()
        """Entries that are open only because of a match in them."""

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _draw(self, index: int, until: float = float("inf")) -> bool:
        """Draw a block; whether there is more of it to draw than there was time for."""
        block = self._blocks[index]
        entry = block.entry
        has_more = False
        if self.folding.is_hidden(entry):
            self._blocks.drop(block)
            gap, height = Gap(), 0
        else:
            gap = self._gap(index)
            if isinstance(entry, TextEntry) and entry.kind == "text" and (entry.is_open or block.live is not None):
                has_more = self._draw_open(block, entry, until)
                height = gap.rows + self._count(block)
            else:
                rows = self._rows_of(entry)
                self._blocks.keep(block, rows)
                height = gap.rows + len(rows)
        is_above = not self.is_following and index <= self._blocks.at(self.scroll_offset.y)[0]
        anchor = self._anchor() if is_above else None
        block.gap, block.guides = gap
        self._set_height(index, height)
        block.is_measured = True
        self._regap_below(index)
        self._hold(anchor)
        return has_more

    def _draw_open(self, block: Block, entry: TextEntry, until: float) -> bool:
        """Draw text that may still grow; whether there is more of it than there was time for."""
        try:
            return self._draw_live(block, entry, until)
        except Exception:  # as for a finished block: the rest of the run can still be read
            log.exception("Open text could not be drawn")
            block.live = None
            self._blocks.keep(block, self._rows_of(entry))
            return False

    def _draw_live(self, block: Block, entry: TextEntry, until: float) -> bool:
        draw = self._draw_with
        assert draw is not None
        if block.live is None:
            from maverick_tui.ui.rendering.live import LiveMarkdown

            block.live, block.fed, block.fed_parts = LiveMarkdown(draw.layout.renderer(entry.depth)), 0, 0
            self._blocks.drop(block)
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
            self._blocks.keep(block, draw.text(entry, list(live.frozen)))
            block.live = block.dressed = None
        return False

    def _rows_of(self, entry: Entry) -> list[Row]:
        draw = self._draw_with
        assert draw is not None
        try:
            return draw.rows(entry, is_expanded=self.folding.is_expanded(entry))
        except Exception:  # whatever a run contains, the rest of it can still be read
            log.exception("An entry of kind %s could not be drawn", entry.kind)
            # Whoever has to allow a call sees all of it even so.
            words = json.dumps(entry.arguments, default=str) if isinstance(entry, ToolEntry) else ""
            about = words if asked_in(entry) else one_line(source(entry))[:500]
            return draw.layout.renderer().plain(f"(this {entry.kind} cannot be drawn) {about}", draw.look.palette.error)

    @staticmethod
    def _count(block: Block) -> int:
        """How many rows a block has, without its gap."""
        if block.live is not None:
            return len(block.live.frozen) + len(block.live.tail)
        return len(block.rows or ())

    def _guess(self, entry: Entry) -> int:
        """About how high an entry will be, without drawing it."""
        if self.folding.is_hidden(entry):
            return 0
        if isinstance(entry, TextEntry | PromptEntry) and entry.kind != "thinking":
            text = entry.text
            return 1 + text.count("\n") + len(text) // max(20, self._width - 12)
        return 1

    def _measure(self, index: int) -> None:
        block = self._blocks[index]
        if not block.is_measured:
            is_following, self.is_following = self.is_following, True  # nobody has to be held in place by the drawing
            try:
                self._draw(index)
            finally:
                self.is_following = is_following

    # -- heights and gaps ---------------------------------------------------------------------------------------------

    def _set_height(self, index: int, height: int) -> None:
        """A block has another height; what is selected below it stays selected."""
        more = height - self._blocks[index].height
        if self._selected is not None and more:
            start, end = self._selected
            if start is not None and end is not None and self._blocks.start(index + 1) <= start.y:
                self._selected = Selection(Offset(start.x, start.y + more), Offset(end.x, end.y + more))
        self._blocks.set_height(index, height)

    def _gap(self, index: int) -> Gap:
        """The room between this block and the one above it that can be seen."""
        for above in range(index - 1, -1, -1):
            if not self.folding.is_hidden(before := self._blocks[above].entry):
                return gap_between(before, self._blocks[index].entry)
        return Gap()

    def _regap(self, index: int) -> None:
        """What stands above a block may be something else now, and with it the room between the two."""
        block = self._blocks[index]
        if block.is_measured and block.height and (gap := self._gap(index)) != (block.gap, block.guides):
            self._set_height(index, block.height + gap.rows - block.gap)
            block.gap, block.guides = gap

    def _regap_below(self, index: int) -> None:
        for below in range(index + 1, len(self._blocks)):
            if not self.folding.is_hidden(self._blocks[below].entry):
                self._regap(below)
                return

    # -- lines and rows -----------------------------------------------------------------------------------------------

    def _anchor(self) -> Anchor | None:
        """What stands at the top of the view: a block, and which of its rows; less than 0 in the gap above it."""
        if not len(self._blocks):
            return None
        index, offset = self._blocks.at(self.scroll_offset.y)
        return self._blocks[index], offset - self._blocks[index].gap

    def _hold(self, anchor: Anchor | None) -> None:
        """Keep that at the top, whatever has become of the lines above it."""
        if anchor is not None:
            self._move_to(self._line_of(anchor))

    def _line_of(self, anchor: Anchor) -> int:
        block, row = anchor
        return self._blocks.start(self._blocks.index(block)) + max(0, min(block.gap + row, block.height - 1))

    def _move_to(self, y: int) -> None:
        """Scroll without what Textual does on a scroll: a layout, and a repaint of everything."""
        self.set_reactive(Widget.scroll_target_y, float(y))
        self.set_reactive(Widget.scroll_y, float(y))

    def _row(self, line: int) -> Row:
        """The row on a line, as it is painted."""
        assert self._blank is not None
        draw = self._draw_with
        assert draw is not None
        if not 0 <= line < self._blocks.lines:
            row = self._blank
        else:
            index, offset = self._blocks.at(line)
            row = self._block_row(self._blocks[index], offset)
            if self.search.needle:
                row = self._highlighted(row, self._blocks[index], offset)
        if self._selected is not None and (span := self._selected.get_span(line)) is not None:
            start, end = cells_of(row, span)
            row = row.marked(max(start, row.indent), end, draw.look.palette.selection)
        return row

    def _highlighted(self, row: Row, block: Block, offset: int) -> Row:
        draw = self._draw_with
        assert draw is not None
        number, at, ordinal = self._match
        is_current = (block.entry.number, offset - block.gap) == (number, at)
        return highlighted(row, self.search.needle, draw.look.palette, ordinal if is_current else -1)

    def _block_row(self, block: Block, offset: int) -> Row:
        draw = self._draw_with
        assert self._blank is not None
        assert draw is not None
        at = offset - block.gap
        if at < 0:
            return draw.layout.blank(block.guides) if block.guides else self._blank
        if block.live is not None:
            frozen = block.live.frozen
            row = frozen[at] if at < len(frozen) else block.live.tail[at - len(frozen)]
            if at == 0 or block.entry.depth:
                row = self._dressed(block, at, row)
        else:
            if block.rows is None:
                self._blocks.keep(block, self._rows_of(block.entry))
            self._blocks.touch(block)
            rows = block.rows or []
            row = rows[at] if at < len(rows) else self._blank
        if at == 0 and block.entry.number == self.chosen and self.has_focus:
            row = self._marked(row)
        return row

    def _rows_in(self, block: Block) -> list[Row]:
        """All rows of a block, without what stands beside open text."""
        if block.live is not None:
            return [*block.live.frozen, *block.live.tail]
        if block.rows is None:
            self._blocks.keep(block, self._rows_of(block.entry))
        return block.rows or []

    def _dressed(self, block: Block, at: int, row: Row) -> Row:
        """A row of open text with what stands beside it; the same object for as long as the row is the same."""
        draw = self._draw_with
        assert draw is not None
        known = block.dressed.get(at) if block.dressed is not None else None
        if known is None or known[0] is not row:
            known = row, draw.layout.dress([row], None if at else block.entry, "", depth=block.entry.depth)[0]
            block.dressed = {} if block.dressed is None else block.dressed
            block.dressed[at] = known
        return known[1]

    def _marked(self, row: Row) -> Row:
        """The row of the chosen entry: a mark in the gutter."""
        draw = self._draw_with
        assert draw is not None
        lead = row.lead
        if not lead or draw.look.gutter < 2:
            return row
        first, style = lead[0].text, lead[0].style
        mark = Segment("▶", draw.look.palette.accent)
        return row.with_lead([Segment(first[:-2], style), mark, Segment(first[-1:], style), *lead[1:]])

    def _first_line(self, index: int, *, is_exact: bool = False) -> int:
        """The line of a block's first row, below its gap."""
        if is_exact:
            self._measure(index)
        return self._blocks.start(index) + self._blocks[index].gap

    def _sources(self) -> list[tuple[int, str]]:
        return [(entry.number, source(entry)) for entry in self.store.entries if not self.folding.is_hidden(entry)]


def cells_of(row: Row, span: tuple[int, int]) -> tuple[int, int]:
    """A span of characters as one of cells; -1 is the end of the row."""
    text, (start, end) = row.text, span
    return cell_len(text[:start]), row.cell_length if end < 0 else cell_len(text[:end])
