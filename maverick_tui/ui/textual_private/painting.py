"""Paints a widget at once: what a key or a frame has changed is written before its handler returns.

Textual collects changes and lets its compositor paint them at one of 60 ticks a second, after all else that is due by
then. A widget that is on the terminal in full, with nothing over it, need not wait: its rows can be written where they
are. Textual keeps no copy of the screen, so it neither knows nor minds; in every other case, and always with plain
painting, it paints as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.textual_private.ink import Ink
from maverick_tui.ui.textual_private.names import is_plain
from maverick_tui.ui.textual_private.scrolling import Scroll, Scrolling, is_on_terminal, is_scrollbar_of

PlacedStrip = tuple[int, Strip]
"""A row of a widget, counted from its top edge, and what stands in it from its left edge on."""

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


def may_paint(widget: Widget) -> bool:
    """Whether the whole widget is on the terminal, uncovered and there to stay, so that its rows can be written."""
    if is_plain() or not widget.is_attached or not widget.is_mounted:
        return False
    app, screen = widget.app, widget.screen
    if not _has_terminal(app) or app._batch_count:
        return False
    # A modal screen lets others shine through, which only the compositor can do.
    if app.screen is not screen or screen.is_modal:
        return False
    if screen._layout_required or widget._layout_required:
        return False
    return _is_uncovered(widget)


def uncovered_rows(widget: Widget) -> set[int]:
    """The rows of a widget that are on the terminal from edge to edge, with nothing over them."""
    if not widget.is_attached or widget.app.screen is not widget.screen:
        return set()
    if is_plain():
        return _rows_found(widget)
    place = widget.screen._compositor.visible_widgets.get(widget)
    if place is None:
        return set()
    own, shown = place[0], place[0].intersection(place[1])
    if shown.width < own.width:
        return set()
    rows = set(range(shown.y - own.y, shown.bottom - own.y))
    for cover in _covers(widget, own):
        rows.difference_update(range(cover.y - own.y, cover.bottom - own.y))
    return rows


def write_rows(
    widget: Widget,
    rows: Iterable[PlacedStrip],
    *,
    are_filtered: bool = False,
    shown: Sequence[Strip | None] = (),
    scroll: Scroll | None = None,
) -> None:
    """Write rows of a widget that `may_paint`, all in one update; its own scrollbars stay as they are.

    The application's line filters (ANSI colours, NO_COLOR) are applied unless the rows come from Textual's own
    `render_lines`, which has done so. What is known to be `shown` in these rows need not be written again. A
    `scroll` comes before all that; what is shown is what is there after it.
    """
    app = widget.app
    assert app._driver is not None
    console, region = app.console, widget.region
    scrollbars = list(_own_scrollbars(widget, region))
    look = None if are_filtered else _filtered(widget)
    ink = Ink(console)
    if scroll is not None:
        ink.scroll(region, scroll)
    for y, row in rows:
        strip, before = row, shown[y] if y < len(shown) else None
        if look is not None:
            strip, before = look(row), look(before) if before is not None else None
        for x, part in _beside(scrollbars, y, strip):
            ink.write(region.y + y + 1, region.x + x + 1, part, before if part is strip else None)
    # Where Textual leaves the cursor, too: input methods open their window there.
    cursor = app.screen.outer_size.clamp_offset(app.cursor_position)
    text = f"{ink.text}\x1b[{cursor.y + 1};{cursor.x + 1}H"
    app._driver.write(f"{_BEGIN}{text}{_END}" if app._sync_available else text)
    app._driver.flush()


class Painter:
    """Paints the changes of a widget that Textual renders, row by row, and remembers which rows the terminal shows.

    The widget calls `paint` when it may have changed, and `saw` with every row that it gives to Textual.
    """

    def __init__(self, widget: Widget, render_lines: Callable[[Region], list[Strip]]) -> None:
        """Paint what `render_lines` makes, the widget's own without the call of `saw`."""
        self._widget = widget
        self._render_lines = render_lines
        self._shown: Sequence[Strip | None] = ()

    @property
    def rows(self) -> Sequence[Strip]:
        """The rows that the terminal shows, if all are known; else none."""
        known = [row for row in self._shown if row is not None]
        return known if len(known) == len(self._shown) else ()

    def recall(self) -> None:
        """Before a change, for who has not called `saw`: what is shown now is known, if nothing waits to be painted."""
        if not is_plain() and is_on_terminal(self._widget):
            self._shown = self._render_lines(self._widget.region.reset_offset)

    def paint(self) -> None:
        """Write the rows that have changed; where that is not safe, Textual paints."""
        widget = self._widget
        if is_plain() or not widget._repaint_required or not may_paint(widget):
            return
        rows = self._render_lines(widget.region.reset_offset)
        known = self._shown if len(self._shown) == len(rows) else [None] * len(rows)
        changed = [(y, row) for y, row in enumerate(rows) if row != known[y]]
        self._shown = rows
        widget._repaint_required = False
        widget._repaint_regions.clear()
        if changed:
            write_rows(widget, changed, are_filtered=True, shown=known)

    def paint_for_key(self) -> None:
        """The same for who waits for a key to be echoed: a layout that is in its way is made now, not a tick later."""
        self.paint()
        widget = self._widget
        if not is_plain() and widget._repaint_required and widget.screen._layout_required:
            widget.screen._on_timer_update()
            self.paint()

    def saw(self, crop: Region, rows: Sequence[Strip]) -> None:
        """Textual was given these rows. It asks more often than it paints, so what is new to us may be shown or not."""
        if crop.size == self._widget.region.size and len(self._shown) == len(rows):
            self._shown = [new if new == old else None for new, old in zip(rows, self._shown, strict=True)]
        else:
            self._shown = ()


def _rows_shown(widget: Widget, size: Size) -> Sequence[Strip]:
    """The rows of a widget that is on the terminal as it is now."""
    painter = getattr(widget, "painter", None)
    rows = painter.rows if isinstance(painter, Painter) else ()
    return rows if len(rows) == size.height else widget.render_lines(size.region)


class RowPainter:
    """Paints a widget that makes its rows itself, and remembers them: what is another object has changed."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._scrolling = Scrolling(widget, _rows_shown)
        self._shown: Sequence[Strip] | None = None
        self._top = 0

    def forget(self) -> None:
        """What the terminal shows is not known any more."""
        self._shown = None

    def paint(self, rows: Sequence[Strip], top: int) -> None:
        """Write the rows that have changed, of a widget that `may_paint`; the first is this line of all there are."""
        known: Sequence[Strip | None] = [None] * len(rows)
        scroll = None
        if self._shown is not None and len(self._shown) == len(rows):
            known = self._shown
            if (scroll := self._scrolling.scroll_of(rows, self._shown, top - self._top)) is not None:
                known = [*self._shown[scroll.by :], *[None] * scroll.by]
        changed = [(y, row) for y, row in enumerate(rows) if row is not known[y]]
        if scroll is not None:
            changed = [*changed[: -scroll.by], *self._to_the_edge(changed[-scroll.by :])]
        if changed:
            write_rows(self._widget, changed, shown=known, scroll=scroll)
        self._shown, self._top = rows, top

    def _to_the_edge(self, rows: Sequence[PlacedStrip]) -> Iterator[PlacedStrip]:
        """Rows on lines that are empty now, with all that lies between them and the edge of the widget."""
        width, style = self._widget.region.width, Style(bgcolor=self._widget.background_colors[1].rich_color)
        for y, row in rows:
            yield y, Strip([*row, Segment(" " * (width - row.cell_length), style)])


def _has_terminal(app: App[object]) -> bool:
    is_open = app._driver is not None and app.is_running and not app._closed
    return is_open and not app.is_headless and not app.is_inline  # which does not know where on the terminal it is


def _rows_found(widget: Widget) -> set[int]:
    """The uncovered rows by Textual's public way, which has to be asked for every cell."""
    own = widget.region
    return {y - own.y for y in own.line_range if all(_is_at(widget, x, y) for x in own.column_range)}


def _is_at(widget: Widget, x: int, y: int) -> bool:
    try:
        found = widget.screen.get_widget_at(x, y)[0]
    except NoWidget:
        return False
    return found is widget or is_scrollbar_of(found, widget)


def _is_uncovered(widget: Widget) -> bool:
    places = widget.screen._compositor.visible_widgets
    if widget not in places:
        return False
    own, clip = places[widget]
    return clip.contains_region(own) and next(_covers(widget, own), None) is None


def _covers(widget: Widget, own: Region) -> Iterator[Region]:
    """Where something is over a widget, its own scrollbars aside."""
    for other, (region, clip) in widget.screen._compositor.visible_widgets.items():
        if other is widget:
            return
        visible = region.intersection(clip)
        if visible and own.overlaps(visible) and not is_scrollbar_of(other, widget):
            yield visible


def _filtered(widget: Widget) -> Callable[[Strip], Strip]:
    """What makes of a row of the widget what the terminal shows."""
    filters, background = widget.get_line_filters(), widget.background_colors[1]
    return lambda strip: reduce(lambda result, each: result.apply_filter(each, background), filters, strip)


def _own_scrollbars(widget: Widget, region: Region) -> Iterator[Region]:
    """Where the widget's scrollbars are, counted from its own corner."""
    if any(widget.scrollbars_enabled):
        places = widget.screen._compositor.visible_widgets
        for other, (place, _) in places.items():
            if is_scrollbar_of(other, widget):
                yield place - region.offset


def _beside(scrollbars: Sequence[Region], y: int, strip: Strip) -> Iterator[tuple[int, Strip]]:
    """The parts of a row that no scrollbar covers, and the columns they begin at."""
    start = 0
    for bar in sorted(scrollbars):
        if bar.y <= y < bar.bottom and start < strip.cell_length:
            if bar.x > start:
                yield start, strip.crop(start, bar.x)
            start = bar.right
    if start == 0:
        yield 0, strip
    elif start < strip.cell_length:
        yield start, strip.crop(start)
