"""ShownPage: a page in a widget. Frames draw what has changed; only that is painted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.textual_private.painting import Painter, RowPainter, may_paint, uncovered_rows
from maverick_tui.ui.transcript.frames import Changes, Frames
from maverick_tui.ui.transcript.page import NARROWEST, Page
from maverick_tui.ui.transcript.seen import QuestionsSeen
from maverick_tui.ui.transcript.viewport import Anchor, Viewport

SCROLLBAR_EVERY = 1.0
"""Seconds between two looks at the scrollbar while text streams."""


class ShownPage:
    """Shows the lines of a page in a widget that scrolls, and follows the end until the person scrolls away."""

    def __init__(
        self, widget: ScrollView, page: Page, questions_seen: QuestionsSeen, moved: Callable[[bool, int], None]
    ) -> None:
        """Tell with `moved` whether the end is in view, and how many lines are new below it."""
        self.page = page
        self.viewport = Viewport(page, self)
        self.changes = Changes(page, self.viewport)
        self.frames = Frames(self.changes, self._can_draw, self.show)
        self.painter = RowPainter(widget)
        self._widget = widget
        self._questions_seen = questions_seen
        self._moved = moved
        self._told = (True, 0)
        self._scrollbar_at = 0.0
        self._size = Size(0, 0)

    # -- frames -------------------------------------------------------------------------------------------------------

    def _can_draw(self) -> bool:
        if not self._widget.is_attached:
            return False
        if not self.page.is_ready:
            self.restyle()
            return False
        return self.is_settled  # else Textual has moved the view, and `on_resize` puts that right

    def show(self) -> None:
        """Grow and scroll, then paint what is different."""
        if not self.page.is_ready:  # a key came before the first layout
            return
        self.place()
        self._paint()
        now = time.monotonic()
        if now - self._scrollbar_at > SCROLLBAR_EVERY or not self.page.store.is_running:
            self._scrollbar_at = now
            self.update_scrollbar()
        self.tell()

    def show_all(self) -> None:
        """Show what is in view, whatever the terminal shows."""
        self.painter.forget()
        self.show()

    def repaint(self) -> None:
        """Let Textual paint: the same lines are in view, but they look different."""
        self.painter.forget()
        self._widget.refresh()

    def place(self) -> None:
        """Put the view where it is to be."""
        self.viewport.place()
        self._widget.set_reactive(Widget.virtual_size, Size(self.page.width, self.page.blocks.lines))
        self._size = self._widget.size

    def _paint(self) -> None:
        """Write the rows that changed; where that is not safe, Textual paints."""
        if self.page.width < NARROWEST or not may_paint(self._widget):
            self.repaint()
            return
        top, height = self.top_line, self.page_height
        self.painter.paint(self.page.rows(top, height), top)
        self._witness(range(height))

    def _witness(self, rows: Iterable[int]) -> None:
        """Rows of the view are on the screen; what is cut has not been seen."""
        if self.page.store.questions and self.page.width >= NARROWEST:
            self._questions_seen.witness(self.page.blocks, self.top_line, rows)

    def follow_if_at_the_end(self, read_from: Anchor | None = None) -> None:
        """Follow the end if nothing more is below the view."""
        if self.viewport.follow_if_at_the_end(read_from):
            self.tell()

    def update_scrollbar(self) -> None:
        """Let the scrollbar tell where the view is, without the layout that Textual would make of it."""
        bar = self._widget.vertical_scrollbar
        shown = (bar.window_virtual_size, bar.window_size, bar.position)
        now = (self._widget.virtual_size.height, self.page_height, self.top_line)
        if shown != now:
            painter = Painter(bar, bar.render_lines)
            painter.recall()
            bar.set_reactive(ScrollBar.window_virtual_size, now[0])
            bar.set_reactive(ScrollBar.window_size, now[1])
            bar.set_reactive(ScrollBar.position, now[2])
            bar.refresh()
            painter.paint()

    def tell(self) -> None:
        """Say where the view is, if that is news."""
        unseen = self.viewport.look()
        if (told := (self.viewport.is_at_end, unseen)) != self._told:
            self._told = told
            self._moved(*told)

    @property
    def is_settled(self) -> bool:
        """Whether the view has been placed for the size that the widget has."""
        return self._widget.size == self._size

    # -- a window on the lines ----------------------------------------------------------------------------------------

    @property
    def top_line(self) -> int:
        """The first line in view."""
        return self._widget.scroll_offset.y

    @property
    def page_height(self) -> int:
        """How many lines are in view."""
        return self._widget.size.height

    def move_to(self, line: int) -> None:
        """Scroll without what Textual does on a scroll: a layout, and a repaint of everything."""
        self._widget.set_reactive(Widget.scroll_target_y, float(line))
        self._widget.set_reactive(Widget.scroll_y, float(line))

    # -- for Textual --------------------------------------------------------------------------------------------------

    def strips(self, crop: Region) -> list[Strip]:
        """The rows that Textual is to paint: after a layout, under a dialog, by the mouse."""
        widget, width, top = self._widget, self.page.width, self.top_line
        self.painter.forget()
        strips: list[Strip] = [self.page.row(top + y) for y in crop.line_range]
        if crop.column_span != (0, width) or width < NARROWEST:
            strips = [strip.crop_extend(*crop.column_span, widget.rich_style) for strip in strips]
        background = widget.background_colors[1]
        for line_filter in widget.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if self.page.store.questions:
            self._witness(sorted(uncovered_rows(widget).intersection(crop.line_range)))
        return strips

    # -- another width, other colours ---------------------------------------------------------------------------------

    def restyle(self, *, keeps_guesses: bool = False) -> None:
        """Draw with the width, the colours and the keys of the moment."""
        width = self._widget.scrollable_content_region.width
        if not width:
            return
        keeps_guesses = keeps_guesses and width == self.page.width
        self.page.width = width
        if not self.page.store.entries and not self.page.is_ready:
            return  # the first entry brings the renderer
        self.page.restyle()
        reading, share = self.viewport.reading(), self.viewport.seen.share
        self.deselect()
        self.changes.begin_anew(keeps_guesses=keeps_guesses)
        self.viewport.seen.keep_share(share)
        if reading is not None and self.page.blocks.get(reading.anchor[0].entry.number) is not reading.anchor[0]:
            reading = None  # the store has become one that does not have it
            self.viewport.lose_place()
        top = self.viewport.read_on(reading) if reading is not None else None
        self.show()
        self.follow_if_at_the_end(top)
        self.viewport.remember(reading)
        self._widget.refresh()

    def deselect(self) -> None:
        """What was selected is about to stand elsewhere."""
        if self.page.selected is not None:
            self.page.selected = None
            self._widget.screen.clear_selection()
