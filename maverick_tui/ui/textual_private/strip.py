"""LeanStrip: a strip without the seven caches of Textual's, and one that writes fewer bytes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from maverick_tui.ui.textual_private.names import is_plain

# A Strip makes them when it is built: most of its cost, and nearly all of its memory. Ours are made when Textual
# first asks for one.
_CACHES = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}


class LeanStrip(Strip):
    """Segments of exactly so many cells; with plain painting it is a Strip as any other."""

    __slots__ = ()

    def __init__(self, segments: list[Segment], cells: int) -> None:
        if is_plain():
            super().__init__(segments, cells)
            return
        self._segments = segments
        self._cell_length = cells
        self._render_cache = None
        self._link_ids = None
        self._cell_count = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if (size := _CACHES.get(name)) is not None:
                cache: FIFOCache[Any, Any] = FIFOCache(size)
                setattr(self, name, cache)
                return cache
            if name in Strip.__slots__ and not is_plain():  # one that a later Textual has added
                super().__init__(self._segments, self._cell_length)
                return getattr(self, name)
            raise AttributeError(name)

    def apply_filter(self, filter: LineFilter, background: Color) -> Strip:
        """The strip through one of Textual's filters: itself where the filter has nothing to do.

        Textual would keep a second copy of every row that was ever shown.
        """
        if type(filter) is ANSIToTruecolor and all(_is_truecolor(style) for _, style, _ in self):
            return self
        return super().apply_filter(filter, background)

    def render(self, console: Console) -> str:
        """What is written to a terminal; colours only where they change, though Textual writes them each time."""
        if is_plain():
            return super().render(console)
        if self._render_cache is None:
            colours = console._color_system
            out: list[str] = []
            last: Style | None = None
            for text, style, _ in self._segments:
                if style is not last and style != last:
                    out.append(_escape(style, colours))
                    last = style
                out.append(text)
            out.append("\x1b[0m")
            self._render_cache = "".join(out)
        return self._render_cache


@lru_cache(4096)
def _escape(style: Style | None, colours: ColorSystem | None) -> str:
    codes = Strip.render_ansi(style, colours) if style is not None and colours is not None else ""
    return f"\x1b[0;{codes}m" if codes else "\x1b[0m"


@lru_cache(4096)
def _is_truecolor(style: Style | None) -> bool:
    if style is None:
        return True
    colours = (style.color, style.bgcolor)
    return not style.dim and all(colour is None or colour.triplet is not None for colour in colours)
