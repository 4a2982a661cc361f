"""Scrolling: rows that have all gone up are moved by the terminal, and what stands beside them is put right again.

A terminal moves whole lines. So it has to be known for certain what is on these lines, from edge to edge: nothing waits
to be painted, and the widgets beside cover all that the one that scrolls does not. Else the rows are written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any, NamedTuple

from textual.geometry import Region, Size
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarCorner
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.textual_private.cells import Repairs

_WORTH = 8
"""Rows that need not be written then: what stands beside costs about as much as six."""


class Scroll(NamedTuple):
    """How far the lines go up, and what stands beside the rows, before and after it."""

    by: int
    beside: Sequence[tuple[Region, Sequence[Strip]]]
    repairs: Repairs


class Scrolling:
    """Knows how the terminal can move the rows of a widget."""

    def __init__(self, widget: Widget, rows_of: Callable[[Widget, Size], Sequence[Strip]]) -> None:
        """`rows_of` tells what others show that are on the terminal as they are now, and have that size."""
        self._widget = widget
        self._rows_of = rows_of
        self._repairs = Repairs()

    def scroll_of(self, rows: Sequence[Strip], shown: Sequence[Strip], by: int) -> Scroll | None:
        """How what is shown becomes these rows by going up by so many; None where it cannot, or need not."""
        widget = self._widget
        if not 0 < by < len(rows) == len(shown) == widget.region.height:
            return None
        if sum(map(is_, rows, shown[by:])) - sum(map(is_, rows, shown)) < _WORTH:
            return None
        beside = self._beside() if is_on_terminal(widget) else None
        return Scroll(by, beside, self._repairs) if beside is not None else None

    def _beside(self) -> list[tuple[Region, Sequence[Strip]]] | None:
        """What is on the lines of a widget beside its rows; None where that is not known for every cell."""
        widget = self._widget
        own, app = widget.region, widget.app
        band = Region(0, own.y, app.size.width, own.height)
        found = list(_others(widget, band))
        strangers = [place for other, place in found if not is_scrollbar_of(other, widget)]
        if sum(place.area for place in strangers) != band.area - own.area:
            return None
        if any(place.overlaps(other) for place in strangers for other in (own, *strangers) if other is not place):
            return None
        if strangers and not app._sync_available:  # for a moment it would be seen to move
            return None
        beside: list[tuple[Region, Sequence[Strip]]] = []
        for other, place in found:
            if not band.contains_region(place) or not other.is_attached or not _is_painted(other):
                return None
            strips = self._rows_of(other, place.size)
            if [strip.cell_length for strip in strips] != [place.width] * place.height:
                return None
            beside.append((place, strips))
        return beside


def is_on_terminal(widget: Widget) -> bool:
    """Whether the terminal shows what the widget would draw now, where nothing covers it."""
    return _is_settled(widget.screen) and _is_painted(widget)


def is_scrollbar_of(other: Widget, widget: Widget) -> bool:
    """Whether the one is a scrollbar of the other, or the corner between two."""
    return isinstance(other, ScrollBar | ScrollBarCorner) and other.parent is widget


def _is_settled(screen: Screen[Any]) -> bool:
    """Whether Textual has nothing to paint: it would do so where things were before they were moved."""
    waits = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._dirty_widgets
    return not waits and not screen._compositor._dirty_regions and _is_painted(screen)


def _is_painted(widget: Widget) -> bool:
    """Whether a widget is on the terminal as it is now."""
    return not widget._repaint_required and not widget._repaint_regions and not widget._layout_required


def _others(widget: Widget, band: Region) -> Iterator[tuple[Widget, Region]]:
    """The widgets that have a part of these lines, but not those that this one is in: nothing is seen of them."""
    around = set(widget.ancestors)
    for other, (region, clip) in widget.screen._compositor.visible_widgets.items():
        if other is not widget and other not in around and region.intersection(clip).overlaps(band):
            yield other, region if clip.contains_region(region) else Region(0, 0, 0, 0)
