"""LeanStrip: a strip without the seven caches of Textual's, and one that writes fewer bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from maverick_tui.ui.textual_private.names import is_plain
from maverick_tui.ui.textual_private.pens import codes, on_blanks, step

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
        row = self.inked(console)
        last = step(row.mid, row.last) if on_blanks(row.mid) != on_blanks(row.last) else ""
        return f"{step(None, row.first)}{row.text}{last}{' ' * row.trail}\x1b[0m"

    def inked(self, console: Console) -> Inked:
        """The same in parts, for whoever knows what stands there already."""
        if self._render_cache is None:
            self._render_cache = _inked(self._segments, console._color_system or ColorSystem.TRUECOLOR)  # type: ignore[assignment]
        return self._render_cache  # type: ignore[return-value]


def inked(strip: Strip, console: Console) -> Inked | None:
    """Any strip in parts; None for one that only Textual can write, with plain painting all of them."""
    if is_plain():
        return None
    if isinstance(strip, LeanStrip):
        return strip.inked(console)
    if any(control or (style is not None and style.link) for _, style, control in strip):
        return None
    return _inked(list(strip), console._color_system or ColorSystem.TRUECOLOR)


class Inked(NamedTuple):
    """A row as it is written: blanks, text with codes where the pen changes, and blanks."""

    first: str
    lead: int
    """Blanks at the beginning of the text; the first pen serves them, too."""
    text: str
    mid: str
    """The pen at the end of the text."""
    trail: int
    """Blanks after the text, of the last pen."""
    last: str


def _inked(segments: Sequence[Segment], colours: ColorSystem | None) -> Inked:
    parts = [(text, codes(style, colours)) for text, style, _ in segments if text]
    if not parts:
        return Inked("", 0, "", "", 0, "")
    end, last = parts[-1]
    kept = end.rstrip(" ")
    parts[-1] = kept, last
    first = now = _first_pen(parts)
    out: list[str] = []
    for text, pen in parts:
        if text:
            if pen != now and not (on_blanks(pen) == on_blanks(now) and not text.strip(" ")):
                out.append(step(now, pen))
                now = pen
            out.append(text)
    text = "".join(out)
    return Inked(first, _lead(text, "".join(part for part, _ in parts)), text, now, len(end) - len(kept), last)


def _lead(text: str, letters: str) -> int:
    """How many blanks a text begins with; one that has a mark above it is none."""
    lead = len(text) - len(text.lstrip(" "))
    return lead - 1 if lead and get_character_cell_size(letters[lead : lead + 1] or " ") == 0 else lead


def _first_pen(parts: Sequence[tuple[str, str]]) -> str:
    """The pen that a row begins with: that of its first letters, where it makes no difference to blanks before them."""
    blank = on_blanks(parts[0][1])
    for text, pen in parts:
        if on_blanks(pen) != blank:
            break
        if text.strip(" "):
            return pen
    return parts[0][1]


@lru_cache(4096)
def _is_truecolor(style: Style | None) -> bool:
    if style is None:
        return True
    colours = (style.color, style.bgcolor)
    return not style.dim and all(colour is None or colour.triplet is not None for colour in colours)
