"""FramedView: drawn blocks on the screen, in frames. Only what changed is drawn again, and only that is painted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.runs.entries import Entry, TextEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.textual_private.painting import Painter, may_paint, uncovered_rows, write_rows
from maverick_tui.ui.transcript.blocks import Block
from maverick_tui.ui.transcript.drawn import Anchor, DrawnBlocks
from maverick_tui.ui.transcript.seen import QuestionsSeen, SeenLines

if TYPE_CHECKING:
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row

log = logging.getLogger(__name__)

FRAME = 1 / 15
SHORTEST = 1 / 60
"""Seconds between two frames: while text streams, and at least."""
BUDGET = 0.008
"""Seconds of drawing before keys get their turn."""
SCROLLBAR_EVERY = 1.0
NARROWEST = 8
"""Columns below which text is cut, since there is nothing to be gained by wrapping it."""


class FramedView(DrawnBlocks):
    """Follows the end until the person scrolls away. `wake()` tells it that the store has changed."""

    class Moved(Message):
        """The view moved, or something came below it: whether it follows the end, and how many lines are new."""

        def __init__(self, transcript: FramedView, is_following: bool, unseen: int) -> None:
            super().__init__()
            self.transcript = transcript
            self.is_following = is_following
            self.unseen = unseen

        @property
        def control(self) -> FramedView:
            """The transcript that moved."""
            return self.transcript

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
        """Show the store's entries, once there is room for them."""
        super().__init__(store, palette=palette, keys=keys, verbosity=verbosity, clock=clock, id=id)
        self._stale: dict[int, None] = {}
        self._armed: asyncio.TimerHandle | None = None
        self._last_frame = self._cost = self._scrollbar_at = 0.0
        self._shadow: list[Row] | None = None
        self._seen = SeenLines(self._blocks)
        self.questions_seen = QuestionsSeen(clock)
        """What has been on the screen of the questions that are open."""
        self._first_request = ""
        self._held = 0
        """The entry whose head the view does not follow the end past: it asks, and nobody has scrolled since."""
        self._read_from: Anchor | None = None
        """What the person has scrolled to, while a larger view has reached the end all by itself: it stays in view."""
        self._told = (True, 0)
        self._shown_size = Size(0, 0)
        self._top: Anchor | None = None
        """What stood at the top of the view when it was shown last; the size may have changed since."""
        self._rewrapped: tuple[Anchor, int] | None = None
        """What stands at the top since the width has changed, and how many characters of it stand above."""

    # -- frames -------------------------------------------------------------------------------------------------------

    @property
    def is_waking(self) -> bool:
        """Whether a frame is due already, so that one more delta changes nothing."""
        return self._armed is not None

    def wake(self, *, at_once: bool = False) -> None:
        """Something in the store has changed: draw it soon, but not more often than frames are worth it.

        `at_once` is for what is more than one delta among many: a block has ended, a tool has answered.
        """
        if (self._armed is not None and not at_once) or not self.is_attached:
            return
        loop = asyncio.get_running_loop()
        pause = SHORTEST if at_once else max(FRAME, 4 * self._cost)  # a longer pause after an expensive frame
        moment = max(loop.time() + 0.001, self._last_frame + pause)
        if self._armed is not None:
            if self._armed.when() <= moment:
                return
            self._armed.cancel()
        self._armed = loop.call_at(moment, self._frame)

    def tick(self) -> None:
        """A second has gone by: running tools show how long they have been running."""
        entries = [*self.store.running.values()]
        if isinstance(self.store.streaming, TextEntry) and self.store.streaming.kind == "thinking":
            self._stale[self.store.streaming.number] = None
        for entry in entries:
            self._stale[entry.number] = None
        if self._stale:
            self.wake()

    def _frame(self) -> None:
        self._armed = None
        if not self.is_attached:
            return
        if self._draw_with is None:
            self.restyle()
            return
        if self.size != self._shown_size:
            return  # Textual has moved the view for its new size, and `on_resize` is about to put that right
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
        request = question.request if question is not None else ""
        if request != self._first_request:
            self._first_request, self._held = request, number if self.is_following else 0
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

    # -- showing ------------------------------------------------------------------------------------------------------

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
        if not self.is_following and self.scroll_offset.y > self._lowest:
            self._settle_end()  # a larger view ends with the last line, and begins above what has been looked at
        resting = self._resting()
        self.set_reactive(Widget.virtual_size, Size(self._width, self._blocks.lines))
        self._move_to(resting if self.is_following else min(self.scroll_offset.y, self._lowest))
        self._shown_size = self.size
        self._top = None if self.is_following else self._anchor()

    def _resting(self) -> int:
        """The line at the top of a view that follows the end: no further than what is held in view."""
        if not self.is_following:
            self._held, self._read_from = 0, None
        held = self._blocks.get(self._held)
        anchors = [*([(held, 0)] if held is not None else []), *([self._read_from] if self._read_from else [])]
        for block, _ in anchors:
            self._settle_from(self._blocks.index(block), self.size.height)
        return min([self._lowest, *map(self._line_of, anchors)])

    def _go_on(self, *, is_following: bool, held: int = 0) -> None:
        """The person has said where the view is to be; what held it before does not any more."""
        self.is_following, self._held, self._read_from = is_following, held, None

    @property
    def _lowest(self) -> int:
        """The line at the top of a view of the end."""
        return max(0, self._blocks.lines - self.size.height)

    def _settle_end(self) -> None:
        """Draw every block that is in view at the end."""
        index, left = len(self._blocks) - 1, self.size.height
        while index >= 0 and left > 0:
            self._measure(index)
            left -= self._blocks[index].height
            index -= 1

    def _settle(self) -> None:
        """Draw every block that is in view, so that heights there are known and not guessed."""
        if self.is_following:
            self._settle_end()
            return
        if not len(self._blocks):
            return
        index, offset = self._blocks.at(self.scroll_offset.y)
        if not (block := self._blocks[index]).is_measured:
            from_end = block.height - offset
            self._measure(index)
            offset = max(0, block.height - from_end) if offset else 0
        self._move_to(self._blocks.start(index) + min(offset, max(0, block.height - 1)))
        self._settle_from(index, self.size.height + offset)

    def _settle_from(self, index: int, left: int) -> None:
        """Draw the blocks that begin within so many lines."""
        while index < len(self._blocks) and left > 0:
            self._measure(index)
            left -= self._blocks[index].height
            index += 1

    def _follow_if_at_the_end(self, read_from: Anchor | None = None) -> None:
        """There may be nothing more below what is in view, after the view or what is above it has changed."""
        if not self.is_following and self.scroll_offset.y >= self.max_scroll_y:
            self.is_following, self._top, self._read_from = True, None, read_from
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
        is_at_end = self.is_following and self.scroll_offset.y >= self._lowest
        if (told := (is_at_end, 0 if is_at_end else self._seen.unseen)) != self._told:
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
        self._witness(range(height))

    def _witness(self, rows: Iterable[int]) -> None:
        """Rows of the view are on the screen: those of questions can be answered once all of them have been."""
        if not self.store.questions or self._width < NARROWEST:  # what is cut has not been seen
            return
        found: dict[Block, list[int]] = {}
        tops: dict[Block, int] = {}
        for y in rows:
            if (line := self.scroll_offset.y + y) < self._blocks.lines:
                index, offset = self._blocks.at(line)
                block = self._blocks[index]
                if block.asks and offset >= block.gap:
                    found.setdefault(block, []).append(offset - block.gap)
                    tops[block] = y - offset
        for block, places in found.items():
            if block.rows is not None:
                self.questions_seen.look(block.asks, block.rows, places, tops[block])

    # -- what Textual asks --------------------------------------------------------------------------------------------

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
        if self.store.questions:
            self._witness(sorted(uncovered_rows(self).intersection(crop.line_range)))
        return strips

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The person has scrolled: only scrolls that Textual makes come here."""
        self._shadow = None
        if self._draw_with is None or self.size != self._shown_size:  # a layout; `on_resize` puts it right
            super().watch_scroll_y(old_value, new_value)
            return
        self._go_on(is_following=round(new_value) >= self.max_scroll_y)
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
            top = self._top
            self._hold(top)
            self._show()
            self._follow_if_at_the_end(top)
        self.wake()  # what came meanwhile was not drawn

    # -- another width, other colours ---------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Draw with the width, the colours and the keys of the moment."""
        width = self.scrollable_content_region.width
        if not width:
            return
        self._width = width
        if not self.store.entries and self._draw_with is None:
            return  # the first entry brings the renderer
        from maverick_tui.ui.transcript.entry_rows import EntryRows
        from maverick_tui.ui.transcript.layout import Look

        folder = self.store.started.cwd if self.store.started else ""
        look = Look(max(width, NARROWEST), self._palette(), folder, self._keys, choice=self._choice)
        self._draw_with = EntryRows(look, self._clock)
        self._blank = self._draw_with.layout.blank()
        top, share = self._top or self._read_from, self._seen.share
        length = self._length_above(top) if top is not None else 0
        self._deselect()
        self._absorb_order()
        self._forget_rows()
        self._seen.keep_share(share)
        if top is not None:
            top = (top[0], self._row_after(top[0], length) if top[1] > 0 else top[1])
            if self.is_following:
                self._read_from = top
            self._hold(top)
        self._show()
        self._follow_if_at_the_end(top)
        place = self._top or self._read_from
        self._rewrapped = (place, length) if place is not None else None
        self.refresh()

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

    def _deselect(self) -> None:
        """What was selected is about to stand elsewhere."""
        if self._selected is not None:
            self._selected = None
            self.screen.clear_selection()

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """The keys have other names now."""
        self._keys = dict(keys)
        self.restyle()

    def set_choice(self, choice: Choice | None) -> None:
        """The answers to the agent's own question have come this far."""
        self._choice = choice
        if self._draw_with is not None:
            self._draw_with.look.choice = choice
            if asking := self._draw_with.look.asking:
                self._stale[asking] = None
                self.wake(at_once=True)

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """Show more, or less, of everything."""
        self.folding.set_verbosity(verbosity)
        self._opened_to_find.clear()
        self.restyle()
