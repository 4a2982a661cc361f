"""LeanStrip: a strip without the seven caches of Textual's, and one that writes fewer bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from maverick_tui.ui.textual_private.names import is_plain

_LETTERS, _BACKGROUND = "38;", ";48;"
"""How the codes of a style begin that has colours alone, and what its background begins with."""

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
        row, colours = self.inked(console), console._color_system
        return f"{pen(row.first, colours)}{row.text}{pen_from(row.mid, row.last, colours)}{' ' * row.trail}\x1b[0m"

    def inked(self, console: Console) -> Inked:
        """The same in parts, for whoever knows what stands there already."""
        if self._render_cache is None:
            self._render_cache = _inked(self._segments, console._color_system)  # type: ignore[assignment]
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
    """A row as it is written: blanks, text with codes where the style changes, and blanks."""

    first: Style | None
    lead: int
    """Blanks at the beginning of the text, in the first style."""
    text: str
    mid: Style | None
    """The style at the end of the text."""
    trail: int
    """Blanks after the text, in the last style."""
    last: Style | None


def _inked(segments: Sequence[Segment], colours: ColorSystem | None) -> Inked:
    parts = [(text, style) for text, style, _ in segments if text]
    if not parts:
        return Inked(None, 0, "", None, 0, None)
    end, last = parts[-1]
    kept = end.rstrip(" ")
    parts[-1] = kept, last
    first = now = parts[0][1]
    out: list[str] = []
    for text, style in parts:
        if text:
            out.append(pen_from(now, style, colours))
            out.append(text)
            now = style
    text = "".join(out)
    return Inked(first, len(text) - len(text.lstrip(" ")), text, now, len(end) - len(kept), last)


def pen_from(before: Style | None, style: Style | None, colours: ColorSystem | None) -> str:
    """The codes that lead from one style to another; where only the colour of the letters changes, that alone."""
    return "" if style is before or style == before else _step(_codes(before, colours), _codes(style, colours))


def pen(style: Style | None, colours: ColorSystem | None) -> str:
    """The codes that have a terminal write in this style, whatever it wrote in before."""
    return _step("", _codes(style, colours))


def _codes(style: Style | None, colours: ColorSystem | None) -> str:
    if style is None or colours is None:
        return ""
    return Strip.render_ansi(style, colours) if style._ansi is None else style._ansi


@lru_cache(4096)
def _step(before: str, codes: str) -> str:
    at = codes.find(_BACKGROUND)
    if at > 0 and before.startswith(_LETTERS) and codes.startswith(_LETTERS) and before.endswith(codes[at:]):
        return f"\x1b[{codes[:at]}m"
    return f"\x1b[0;{codes}m" if codes else "\x1b[0m"


@lru_cache(4096)
def is_erased_alike(style: Style | None) -> bool:
    """Whether a cell that is erased looks as a blank in this style does: erasing knows the background alone."""
    return style is None or not (style.reverse or style.underline or style.underline2 or style.strike or style.overline)


@lru_cache(4096)
def _is_truecolor(style: Style | None) -> bool:
    if style is None:
        return True
    colours = (style.color, style.bgcolor)
    return not style.dim and all(colour is None or colour.triplet is not None for colour in colours)
