"""Transcript: a view of lines over a run's entries. Only what is open is drawn again; only what changed is painted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import Entry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.instant import Painter, may_paint, write_rows
from maverick_tui.ui.transcript.blocks import Block, Blocks
from maverick_tui.ui.transcript.finding import Search, highlighted, places
from maverick_tui.ui.transcript.folding import Folding, Verbosity
from maverick_tui.ui.transcript.seen import Seen
from maverick_tui.ui.transcript.sources import source
from maverick_tui.ui.transcript.spacing import Gap, gap_between
from maverick_tui.ui.transcript.words import word_at

if TYPE_CHECKING:  # an empty transcript is painted without the renderer, which takes a while to import
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row
    from maverick_tui.ui.transcript.entry_rows import EntryRows

log = logging.getLogger(__name__)

FRAME = 1 / 15
SHORTEST = 1 / 60
"""Seconds between two frames: while text streams, and at least."""
BUDGET = 0.008
"""Seconds of drawing before keys get their turn."""
SCROLLBAR_EVERY = 0.5
NARROWEST = 8
"""Columns below which text is cut, since there is nothing to be gained by wrapping it."""
FOLDS = ("▸", "▾")
"""What the row that opens and closes an entry begins with, where that is not its first."""


Anchor: TypeAlias = tuple[Block, int]


class Transcript(ScrollView, can_focus=True):
    """Follows the end until the person scrolls away. `wake()` tells it that the store has changed."""

    ALLOW_MAXIMIZE = False
    BINDING_GROUP_TITLE = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up a line", id="transcript.up", show=False),
        Binding("down,j", "scroll_down", "Down a line", id="transcript.down", show=False),
        Binding("pageup", "page_up", "Up a page", id="transcript.page_up", show=False),
        Binding("pagedown", "page_down", "Down a page", id="transcript.page_down", show=False),
        Binding("home,g", "top", "To the beginning", id="transcript.top", show=False),
        Binding("end,G", "bottom", "To the end, and follow it", id="transcript.bottom", show=False),
        Binding("left_curly_bracket", "prompt(-1)", "To the prompt before", id="transcript.prompt_before", show=False),
        Binding("right_curly_bracket", "prompt(1)", "To the next prompt", id="transcript.prompt_after", show=False),
        Binding(
            "left_square_bracket", "entry(-1)", "Choose the entry before", id="transcript.entry_before", show=False
        ),
        Binding("right_square_bracket", "entry(1)", "Choose the next entry", id="transcript.entry_after", show=False),
        Binding("enter,space,o", "fold", "Open or close the chosen entry", id="transcript.toggle", show=False),
        Binding("y", "copy", "Copy the selection or the chosen entry", id="transcript.copy", show=False),
        Binding("Y", "copy_answer", "Copy the last answer", id="transcript.copy_answer", show=False),
        Binding("n", "match(1)", "Next match", id="transcript.next_match", show=False),
        Binding("N", "match(-1)", "Match before", id="transcript.match_before", show=False),
    ]

    class Moved(Message):
        """The view moved, or something came below it: whether it follows the end, and how many lines are new."""

        def __init__(self, transcript: Transcript, is_following: bool, unseen: int) -> None:
            super().__init__()
            self.transcript = transcript
            self.is_following = is_following
            self.unseen = unseen

        @property
        def control(self) -> Transcript:
            """The transcript that moved."""
            return self.transcript

    class Found(Message):
        """A match is shown, the `at`th of `total`; 0 of 0 if there is none."""

        def __init__(self, at: int, total: int) -> None:
            super().__init__()
            self.at = at
            self.total = total

    class Copied(Message):
        """Text was put on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

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
        self._clock = clock
        self._blocks = Blocks()
        self._draw_with: EntryRows | None = None
        self._blank: Row | None = None
        self._width = 0
        self._stale: dict[int, None] = {}
        self._armed: asyncio.TimerHandle | None = None
        self._last_frame = self._cost = self._scrollbar_at = 0.0
        self._shadow: list[Row] | None = None
        self._seen = Seen(self._blocks)
        self._told = (True, 0)
        self._shown_size = Size(0, 0)
        self._top: Anchor | None = None
        """What stood at the top of the view when it was shown last; the size may have changed since."""
        self._rewrapped: tuple[Anchor, int] | None = None
        """What stands at the top since the width has changed, and how many characters of it stand above."""
        self._selected: Selection | None = None
        self._match = (0, 0, 0)
        """Where the current match is: the number of its entry, its row there, and which one in the row it is."""

    # -- frames -----------------------------------------------------------------------------------------------------

    def wake(self, *, at_once: bool = False) -> None:
        """Something in the store has changed: draw it soon, but not more often than frames are worth it.

        `at_once` is for what is more than one delta among many: a block has ended, a tool has answered.
        """
        if not self.is_attached or (self._armed is not None and not at_once):
            return
        loop = asyncio.get_running_loop()
        pause = SHORTEST if at_once else max(FRAME, 4 * self._cost)  # a longer pause after an expensive frame
        moment = max(loop.time() + 0.001, self._last_frame + pause)
        if self._armed is not None:
            if self._armed.when() <= moment:
                return
            self._armed.cancel()
        self._armed = loop.call_at(moment, self._frame)

    def _frame(self) -> None:
        self._armed = None
        if not self.is_attached:
            return
        if self._draw_with is None:
            self.restyle()
            return
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            has_more = self._absorb(time.perf_counter() + BUDGET)
            if not has_more or began - self._last_frame >= FRAME:
                self._show()
                self._last_frame = began
        except Exception:  # a frame that cannot be drawn must not end the application; the next one may succeed
            log.exception("A frame of the transcript could not be drawn")
            return
        self._cost = 0.0 if has_more else loop.time() - began
        if has_more:
            self._armed = loop.call_later(0.001, self._frame)  # keys are handled in between

    def _absorb(self, until: float) -> bool:
        """Take what has changed in the store; whether some of it has to wait for the next slice."""
        changed, moved = self.store.take_changes()
        entries = self.store.entries
        if self.store.started is not None and self._draw_with is not None:
            self._draw_with.look.folder = self.store.started.cwd
        if moved is not None:
            first = min(moved, len(self._blocks))  # what came before it may be new as well
            self._reorder(first, entries[first:])
        for entry in entries[len(self._blocks) :]:
            self._blocks.append(Block(entry, 0))
        for entry in changed:
            self._stale[entry.number] = None
        self._look_for_questions()
        while self._stale:
            number = next(iter(self._stale))
            block = self._blocks.get(number)
            if block is not None and self._draw(self._blocks.index(block), until):
                return True
            del self._stale[number]
            if time.perf_counter() > until:
                break
        self._blocks.forget_old()
        return bool(self._stale)

    def _look_for_questions(self) -> None:
        """Keys answer the first question only; where they are named is drawn anew when that is another one."""
        draw = self._draw_with
        question = next(iter(self.store.questions.values()), None)
        call = self.store.call(question.call) if question is not None else None
        number = call.number if call is not None else 0
        if draw is not None and draw.look.asking != number:
            self._stale.update({one: None for one in (draw.look.asking, number) if one})
            draw.look.asking = number

    def _reorder(self, first: int, entries: list[Entry]) -> None:
        """What a subagent does stands below its call, and so above other things; what is in view stays there."""
        anchor = None if self.is_following else self._anchor()
        self._blocks.reorder(first, entries, 0)
        for index in range(first, len(self._blocks)):
            self._regap(index)
        self._hold(anchor)

    # -- drawing ----------------------------------------------------------------------------------------------------

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

    def _regap(self, index: int) -> None:
        """What stands above a block may be something else now, and with it the room between the two."""
        block = self._blocks[index]
        if block.is_measured and block.height and (gap := self._gap(index)) != (block.gap, block.guides):
            self._set_height(index, block.height + gap.rows - block.gap)
            block.gap, block.guides = gap

    def _set_height(self, index: int, height: int) -> None:
        """A block has another height; what is selected below it stays selected."""
        more = height - self._blocks[index].height
        if self._selected is not None and more:
            start, end = self._selected
            if start is not None and end is not None and self._blocks.start(index + 1) <= start.y:
                self._selected = Selection(Offset(start.x, start.y + more), Offset(end.x, end.y + more))
        self._blocks.set_height(index, height)

    def _regap_below(self, index: int) -> None:
        for below in range(index + 1, len(self._blocks)):
            if not self.folding.is_hidden(self._blocks[below].entry):
                self._regap(below)
                return

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

            block.live, block.fed, block.fed_parts = LiveMarkdown(draw.renderer(entry.depth)), 0, 0
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
            if isinstance(entry, TextEntry) and entry.kind == "thinking":
                rows = None
                if self.folding.is_expanded(entry):
                    text = entry.text if not entry.is_open else entry.text[-4_000:]
                    rows = draw.renderer(entry.depth, marked=True).plain(text.strip(), draw.look.palette.thinking)
                return draw.thinking(entry, rows)
            return draw.rows(entry, is_expanded=self.folding.is_expanded(entry))
        except Exception:  # whatever a run contains, the rest of it can still be read
            log.exception("An entry of kind %s could not be drawn", entry.kind)
            return draw.renderer().plain(
                f"(this {entry.kind} cannot be drawn) {one_line(source(entry))[:500]}", draw.look.palette.error
            )

    def _gap(self, index: int) -> Gap:
        """The room between this block and the one above it that can be seen."""
        for above in range(index - 1, -1, -1):
            if not self.folding.is_hidden(before := self._blocks[above].entry):
                return gap_between(before, self._blocks[index].entry)
        return Gap()

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

    # -- lines and rows ---------------------------------------------------------------------------------------------

    def _anchor(self) -> Anchor | None:
        """What stands at the top of the view: a block, and which of its rows; less than 0 in the gap above it."""
        if not len(self._blocks):
            return None
        index, offset = self._blocks.at(self.scroll_offset.y)
        return self._blocks[index], offset - self._blocks[index].gap

    def _hold(self, anchor: Anchor | None) -> None:
        """Keep that at the top, whatever has become of the lines above it."""
        if anchor is not None:
            block, row = anchor
            offset = max(0, min(block.gap + row, block.height - 1))
            self._move_to(self._blocks.start(self._blocks.index(block)) + offset)

    def _settle(self) -> None:
        """Draw every block that is in view, so that heights there are known and not guessed."""
        height = self.size.height
        if not len(self._blocks):
            return
        if self.is_following:
            index, left = len(self._blocks) - 1, height
            while index >= 0 and left > 0:
                self._measure(index)
                left -= self._blocks[index].height
                index -= 1
            return
        index, offset = self._blocks.at(self.scroll_offset.y)
        if not (block := self._blocks[index]).is_measured:
            from_end = block.height - offset
            self._measure(index)
            offset = max(0, block.height - from_end) if offset else 0
        self._move_to(self._blocks.start(index) + min(offset, max(0, block.height - 1)))
        left = height + offset
        while index < len(self._blocks) and left > 0:
            self._measure(index)
            left -= self._blocks[index].height
            index += 1

    def _measure(self, index: int) -> None:
        block = self._blocks[index]
        if not block.is_measured:
            is_following, self.is_following = self.is_following, True  # nobody has to be held in place by the drawing
            try:
                self._draw(index)
            finally:
                self.is_following = is_following

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
            start, end = _cells(row, span)
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
            return draw.blank(block.guides) if block.guides else self._blank
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

    def _dressed(self, block: Block, at: int, row: Row) -> Row:
        """A row of open text with what stands beside it; the same object for as long as the row is the same."""
        draw = self._draw_with
        assert draw is not None
        known = block.dressed.get(at) if block.dressed is not None else None
        if known is None or known[0] is not row:
            known = row, draw.dress([row], None if at else block.entry, "", depth=block.entry.depth)[0]
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

    # -- showing ----------------------------------------------------------------------------------------------------

    def _move_to(self, y: int) -> None:
        """Scroll without what Textual does on a scroll: a layout, and a repaint of everything."""
        self.set_reactive(Widget.scroll_target_y, float(y))
        self.set_reactive(Widget.scroll_y, float(y))

    def _show(self) -> None:
        """Grow and scroll, then paint what is different."""
        if self._draw_with is None:  # a key came before the first layout
            return
        self._place()
        self._paint()
        now = time.monotonic()
        if now - self._scrollbar_at > SCROLLBAR_EVERY or not self.store.is_running:
            self._scrollbar_at = now
            self._update_scrollbar()
        self._tell()

    def _place(self) -> None:
        """Settle what is in view and where the view is."""
        self._settle()
        lines, height = self._blocks.lines, self.size.height
        self.set_reactive(Widget.virtual_size, Size(self._width, lines))
        lowest = max(0, lines - height)
        self._move_to(lowest if self.is_following else min(self.scroll_offset.y, lowest))
        self._shown_size = self.size
        self._top = None if self.is_following else self._anchor()

    def _follow_if_at_the_end(self) -> None:
        """There may be nothing more below what is in view, after the view or what is above it has changed."""
        if not self.is_following and self.scroll_offset.y >= self.max_scroll_y:
            self.is_following, self._top = True, None
            self._tell()

    def _update_scrollbar(self) -> None:
        bar = self.vertical_scrollbar
        shown = (bar.window_virtual_size, bar.window_size, bar.position)
        now = (self.virtual_size.height, self.size.height, self.scroll_offset.y)
        if shown != now:
            bar.set_reactive(ScrollBar.window_virtual_size, now[0])
            bar.set_reactive(ScrollBar.window_size, now[1])
            bar.set_reactive(ScrollBar.position, now[2])
            bar.refresh()
            Painter(bar, bar.render_lines).paint()

    def _tell(self) -> None:
        self._seen.look(min(self.scroll_offset.y + self.size.height, self._blocks.lines))
        if (told := (self.is_following, 0 if self.is_following else self._seen.unseen)) != self._told:
            self._told = told
            self.post_message(self.Moved(self, *told))

    def _paint(self) -> None:
        """Write the rows that changed; where that is not safe, Textual paints."""
        if self._width < NARROWEST or not may_paint(self):
            self._shadow = None
            self.refresh()
            return
        height, top = self.size.height, self.scroll_offset.y
        rows = [self._row(top + y) for y in range(height)]
        shadow = self._shadow
        if shadow is None or len(shadow) != height:
            changed = list(enumerate(rows))
        else:
            changed = [(y, row) for y, row in enumerate(rows) if row is not shadow[y]]
        if changed:
            write_rows(self, changed)
        self._shadow = rows

    # -- what Textual asks ------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line with the offsets that the mouse needs to select text."""
        line = y + self.scroll_offset.y
        if self._draw_with is None:
            return Strip.blank(self.size.width, self.rich_style)
        return self._row(line).apply_offsets(0, line)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Textual paints us: after a layout, under a dialog, by the mouse."""
        if self._draw_with is None:
            return super().render_lines(crop)
        self._shadow = None
        top = self.scroll_offset.y
        strips: list[Strip] = [self._row(top + y) for y in crop.line_range]
        if crop.column_span != (0, self._width) or self._width < NARROWEST:
            strips = [strip.crop_extend(*crop.column_span, self.rich_style) for strip in strips]
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return strips

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: rows that were wrapped are joined again, the gutter is left out."""
        if self._selected is None:
            self.selection_updated(selection)
        assert self._selected is not None
        start, end = self._selected
        assert start is not None
        assert end is not None
        rows = []
        for line in range(start.y, min(end.y + 1, self._blocks.lines)):
            index, offset = self._blocks.at(line)
            rows.append(self._block_row(self._blocks[index], offset))
        if not rows:
            return None
        from maverick_tui.ui.rendering.row import copied_text

        last = rows[-1].cell_length if len(rows) <= end.y - start.y else _cells(rows[-1], (0, end.x))[1]
        return copied_text(rows, _cells(rows[0], (start.x, -1))[0], last), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection. Where it goes on above or below us, it goes to the end of what is in view."""
        top = self.scroll_offset.y
        self._selected = selection and Selection(
            selection.start or Offset(0, top), selection.end or Offset(self._width, top + max(0, self.size.height - 1))
        )
        self._shadow = None
        self.refresh()

    def _deselect(self) -> None:
        """What was selected is about to stand elsewhere."""
        if self._selected is not None:
            self._selected = None
            self.screen.clear_selection()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The person has scrolled: only scrolls that Textual makes come here."""
        self._shadow = None
        if self._draw_with is None or self.size != self._shown_size:  # a layout; `on_resize` puts it right
            super().watch_scroll_y(old_value, new_value)
            return
        self.is_following = round(new_value) >= self.max_scroll_y
        self._place()
        super().watch_scroll_y(old_value, self.scroll_y)
        self.refresh()  # on the same line there may be something else, now that the heights above are known
        self._update_scrollbar()
        self._tell()

    def on_resize(self, _event: events.Resize) -> None:
        """Another width: everything is drawn anew, what is in view at once and the rest when it is looked at."""
        self._shadow = None
        width = self.scrollable_content_region.width
        if width and width != self._width:
            self.restyle()
        elif self._draw_with is not None:
            self._hold(self._top)
            self._show()
            self._follow_if_at_the_end()

    def restyle(self) -> None:
        """Draw with the width, the colours and the keys of the moment."""
        width = self.scrollable_content_region.width
        if not width:
            return
        self._width = width
        if not self.store.entries and self._draw_with is None:
            return  # the first entry brings the renderer
        from maverick_tui.ui.transcript.entry_rows import EntryRows, Look

        folder = self.store.started.cwd if self.store.started else ""
        look = Look(max(width, NARROWEST), self._palette(), folder, self._keys)
        self._draw_with = EntryRows(look, self._clock)
        self._blank = self._draw_with.blank()
        top, share = self._top, self._seen.share
        length = self._length_above(top) if top is not None else 0
        self._deselect()
        self._absorb_order()
        self._forget_rows()
        if top is not None:
            self._hold((top[0], self._row_after(top[0], length) if top[1] > 0 else top[1]))
        self._show()
        self._follow_if_at_the_end()
        self._rewrapped = (self._top, length) if self._top is not None else None
        self._seen.keep_share(share)
        self.refresh()

    def _rows_in(self, block: Block) -> list[Row]:
        """All rows of a block, without what stands beside open text."""
        if block.live is not None:
            return [*block.live.frozen, *block.live.tail]
        if block.rows is None:
            self._blocks.keep(block, self._rows_of(block.entry))
        return block.rows or []

    def _length_above(self, anchor: Anchor) -> int:
        """How many characters of its block stand above the row.

        If the row stands there because of another width, it is the same number as then: else the view would creep up
        with every step of a window that is made larger or smaller.
        """
        if self._rewrapped is not None and self._rewrapped[0] == anchor:
            return self._rewrapped[1]
        block, row = anchor
        is_drawn = block.rows is not None or block.live is not None
        above = self._rows_in(block)[: max(0, row)] if is_drawn else []
        return sum(len(row.copied()) + len(row.glue) for row in above)

    def _row_after(self, block: Block, length: int) -> int:
        """The row of the block above which so many characters stand, as it is drawn now."""
        self._measure(self._blocks.index(block))
        for at, row in enumerate(self._rows_in(block)):
            length -= len(row.copied()) + len(row.glue)
            if length < 0:
                return at
        return 0

    def _absorb_order(self) -> None:
        self.store.take_changes()
        self._blocks.reorder(0, self.store.entries, 0)
        self._look_for_questions()
        self._stale.clear()

    def _forget_rows(self) -> None:
        for index, block in enumerate(self._blocks):
            self._blocks.drop(block)
            block.live = block.dressed = None
            block.is_measured = False
            self._blocks.set_height(index, self._guess(block.entry))

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """The keys have other names now."""
        self._keys = dict(keys)
        self.restyle()

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """Show more, or less, of everything."""
        self.folding.set_verbosity(verbosity)
        self.restyle()

    def tick(self) -> None:
        """A second has gone by: running tools show how long they have been running."""
        entries = [*self.store.running.values()]
        if isinstance(self.store.streaming, TextEntry) and self.store.streaming.kind == "thinking":
            self._stale[self.store.streaming.number] = None
        for entry in entries:
            self._stale[entry.number] = None
        if self._stale:
            self.wake()

    # -- what keys and the mouse do -----------------------------------------------------------------------------------

    def on_focus(self) -> None:
        """The chosen entry is marked."""
        self._shadow = None
        self.refresh()

    def on_blur(self) -> None:
        """The mark goes."""
        self._shadow = None
        self.refresh()

    def scroll_to_line(self, y: int) -> None:
        """Put a line at the top of the view, as far as there is enough below it."""
        lowest = max(0, self._blocks.lines - self.size.height)
        y = max(0, min(y, lowest))
        self.is_following = y >= lowest
        self._move_to(y)
        self._shadow = None
        self._show()
        self._update_scrollbar()

    def action_top(self) -> None:
        """Go to the beginning."""
        self.scroll_to_line(0)

    def action_bottom(self) -> None:
        """Go to the end, and follow it."""
        self.is_following = True
        self._shadow = None
        self._show()
        self._update_scrollbar()

    def action_scroll_up(self) -> None:
        """Go up a line."""
        self.scroll_to_line(self.scroll_offset.y - 1)

    def action_scroll_down(self) -> None:
        """Go down a line."""
        self.scroll_to_line(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        """Go up a page."""
        self.scroll_to_line(self.scroll_offset.y - max(1, self.size.height - 2))

    def action_page_down(self) -> None:
        """Go down a page."""
        self.scroll_to_line(self.scroll_offset.y + max(1, self.size.height - 2))

    def action_prompt(self, direction: int) -> None:
        """Go to the prompt before or after the first line in view."""
        top = self.scroll_offset.y
        prompts = [index for index, block in enumerate(self._blocks) if isinstance(block.entry, PromptEntry)]
        if direction < 0:
            above = [index for index in prompts if self._first_line(index) < top]
            self.scroll_to_line(self._first_line(above[-1], is_exact=True) if above else 0)
        elif below := [index for index in prompts if self._first_line(index) > top]:
            self.scroll_to_line(self._first_line(below[0], is_exact=True))
        else:
            self.action_bottom()

    def _first_line(self, index: int, *, is_exact: bool = False) -> int:
        """The line of a block's first row, below its gap."""
        if is_exact:
            self._measure(index)
        return self._blocks.start(index) + self._blocks[index].gap

    def action_entry(self, direction: int) -> None:
        """Choose the next entry that keys can act on."""
        numbers = [block.entry.number for block in self._blocks if block.height and block.entry.kind != "end"]
        if not numbers:
            return
        if self.chosen in numbers:
            at = min(len(numbers) - 1, max(0, numbers.index(self.chosen) + direction))
        else:
            at = len(numbers) - 1
        self.choose(numbers[at])

    def choose(self, number: int) -> None:
        """Choose an entry and bring it into view."""
        self.chosen = number
        if (block := self._blocks.get(number)) is not None:
            self._bring_into_view(self._first_line(self._blocks.index(block), is_exact=True))

    def _bring_into_view(self, line: int) -> None:
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.size.height:
            self.scroll_to_line(line - self.size.height // 3)
        self._shadow = None
        self.refresh()

    def _chosen_entry(self) -> Entry | None:
        block = self._blocks.get(self.chosen) if self.chosen is not None else None
        if block is not None:
            return block.entry
        foldable = [block.entry for block in self._blocks if self.folding.can_fold(block.entry)]
        return foldable[-1] if foldable else None

    def action_fold(self) -> None:
        """Open or close the chosen entry; without one, the last that can be opened."""
        if (entry := self._chosen_entry()) is not None:
            self.toggle(entry)

    def toggle(self, entry: Entry) -> None:
        """Open or close an entry."""
        head = self._blocks.get(entry.number)
        if head is None or not self.folding.toggle(entry):
            return
        index, share = self._blocks.index(head), self._seen.share
        y = self._first_line(index) - self.scroll_offset.y
        self._deselect()
        anchor = self._anchor()
        for at, block in enumerate(self._blocks):
            if block.entry is entry or (isinstance(entry, ToolEntry) and block.entry.parent):
                self._blocks.drop(block)
                block.is_measured = False
                self._blocks.set_height(at, self._guess(block.entry))
        line = self._first_line(index, is_exact=True)
        if not 0 <= y < self.size.height:
            self._hold(anchor)
        elif not self.is_following or line < self._blocks.lines - self.size.height:
            # What was clicked stays below the mouse, unless it can be seen while the end is followed.
            self.is_following = False
            self._move_to(max(0, line - y))
        self._shadow = None
        self._show()
        self._follow_if_at_the_end()
        self._seen.keep_share(share)
        self._tell()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked, and open or close it; twice selects a word, three times a line."""
        line = event.y + self.scroll_offset.y
        if self.text_selection is not None or "@click" in event.style.meta or line >= self._blocks.lines:
            return
        index, offset = self._blocks.at(line)
        entry, row = self._blocks[index].entry, self._block_row(self._blocks[index], offset)
        is_head = offset == self._blocks[index].gap and not isinstance(entry, PromptEntry)
        if self.folding.can_fold(entry) and (is_head or row.copied()[:1] in FOLDS):
            event.prevent_default()
            self.toggle(entry)
        elif event.chain > 1:
            event.prevent_default()  # Textual would select everything there is,
            event.stop()  # or all that is on the screen
            span = word_at(row.text, event.x) if event.chain == 2 else (0, len(row.text))
            self.screen.selections = {self: Selection(Offset(span[0], line), Offset(span[1], line))}
        self.chosen = entry.number
        self._shadow = None
        self.refresh()

    def action_copy(self) -> None:
        """Copy the selection, or else the chosen entry, or else the last answer."""
        if text := self.screen.get_selected_text():
            self.screen.clear_selection()
            self.copy(text)
        elif (block := self._blocks.get(self.chosen or 0)) is not None:
            self.copy(source(block.entry))
        else:
            self.action_copy_answer()

    def action_copy_answer(self) -> None:
        """Copy what the agent said last."""
        for entry in reversed(self.store.entries):
            if isinstance(entry, TextEntry) and entry.kind == "text" and not entry.parent and entry.text.strip():
                self.copy(entry.text)
                return

    def copy(self, text: str) -> None:
        """Put text on the clipboard, and say so."""
        if text:
            self.app.copy_to_clipboard(text)
            self.post_message(self.Copied(text))

    # -- finding ----------------------------------------------------------------------------------------------------

    def _sources(self) -> list[tuple[int, str]]:
        return [(entry.number, source(entry)) for entry in self.store.entries if not self.folding.is_hidden(entry)]

    def find(self, needle: str) -> int:
        """Look for text, and go to the last place where it stands; how many there are."""
        count = self.search.start(needle)
        self._match = (0, 0, 0)
        self.action_match(0)
        self._shadow = None
        self.refresh()
        return count

    def action_match(self, direction: int) -> None:
        """Go to the next match."""
        found = self.search.step(direction)
        block = self._blocks.get(found.entry) if found is not None else None
        if found is not None and block is not None:
            hits = self._hits(block)
            if found.ordinal >= len(hits) and not self.folding.is_expanded(block.entry):
                self.toggle(block.entry)
                hits = self._hits(block)
            row, ordinal = hits[min(found.ordinal, len(hits) - 1)] if hits else (0, 0)
            self._match = (found.entry, row, ordinal)
            self.chosen = found.entry
            self._bring_into_view(self._first_line(self._blocks.index(block)) + row)
        self.post_message(self.Found(self.search.at + 1 if self.search.total else 0, self.search.total))

    def _hits(self, block: Block) -> list[tuple[int, int]]:
        """The row of each match in a block, and which one in its row it is."""
        self._measure(self._blocks.index(block))
        rows, needle = self._rows_in(block), self.search.needle
        return [(at, nth) for at, row in enumerate(rows) for nth, _ in enumerate(places(row, needle))]


def _cells(row: Row, span: tuple[int, int]) -> tuple[int, int]:
    """A span of characters as one of cells; -1 is the end of the row."""
    text, (start, end) = row.text, span
    return cell_len(text[:start]), row.cell_length if end < 0 else cell_len(text[:end])
