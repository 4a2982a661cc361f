"""Rows: full-width strips that know which of their cells are text and which only decorate it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import set_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

# A Strip makes seven caches when it is built, which is most of its cost and nearly all of its memory. Ours are made
# when Textual first asks for one.
_CACHES = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}


class Row(Strip):
    """One line of the transcript, exactly as many cells as it says.

    `gutter` is the width of the blank first segment, 0 if there is none. `indent` counts all leading cells that are not
    copied: gutter, hanging indents, quote bars, line numbers; `text_end` is the cell where the text ends and blanks
    fill the row (None: at its last character). A row that `continues` belongs to the line of the row above; `glue`
    (spaces, or nothing) was taken away where the two were parted.
    """

    __slots__ = ("_lead", "continues", "glue", "gutter", "indent", "text_end")

    def __init__(
        self,
        segments: Iterable[Segment],
        cells: int,
        gutter: int = 0,
        indent: int = 0,
        text_end: int | None = None,
        continues: bool = False,
        glue: str = "",
    ) -> None:
        self._segments = segments if isinstance(segments, list) else list(segments)
        self._cell_length = cells
        self._render_cache = None
        self._link_ids = None
        self._cell_count = None
        self.gutter = gutter
        self.indent = indent
        self.text_end = text_end
        self._lead = 1 if gutter else 0
        self.continues = continues
        self.glue = glue

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if (size := _CACHES.get(name)) is not None:
                cache: FIFOCache[Any, Any] = FIFOCache(size)
                setattr(self, name, cache)
                return cache
            if name in Strip.__slots__:  # one that a later Textual has added
                super().__init__(self._segments, self._cell_length)
                return getattr(self, name)
            raise AttributeError(name)

    def is_same(self, other: Row) -> bool:
        """Whether the two look alike and are copied alike."""
        return (
            self._segments == other._segments
            and self.indent == other.indent
            and self.continues == other.continues
            and self.glue == other.glue
            and self.text_end == other.text_end
            and self.gutter == other.gutter
        )

    def apply_filter(self, filter: LineFilter, background: Color) -> Strip:
        """The row through one of Textual's filters: itself where the filter has nothing to do.

        Textual would keep a second copy of every row that was ever shown.
        """
        if type(filter) is ANSIToTruecolor and all(_is_truecolor(style) for _, style, _ in self._segments):
            return self
        return super().apply_filter(filter, background)

    @property
    def lead(self) -> list[Segment]:
        """The segments in the gutter."""
        return self._segments[: self._lead]

    def render(self, console: Console) -> str:
        """The bytes for a terminal. Colours are only sent where they change, which Textual's own way does not mind."""
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

    def with_lead(self, segments: Sequence[Segment]) -> Row:
        """The row with these segments, together as wide as the gutter, in its gutter; itself if it has none."""
        if not self.gutter:
            return self
        row = self._with_segments([*segments, *self._segments[self._lead :]])
        row._lead = len(segments)
        return row

    def marked(self, start: int, end: int, style: Style) -> Row:
        """The row with a style laid over its cells from `start` to `end`: a selection, or what was found."""
        cells = self.cell_length
        start, end = max(0, start), min(end, cells)
        if start >= end:
            return self
        over = [Segment(text, own + style if own else style) for text, own, _ in self.crop(start, end)]
        row = self._with_segments([*self.crop(0, start), *over, *self.crop(end, cells)])
        row._lead = self._lead if start >= self.gutter else len(row.crop(0, self.gutter))
        return row

    def copied(self, start: int = 0, end: int | None = None) -> str:
        """The text between two cells, without decoration and without the blanks that fill the row."""
        start = max(start, self.indent)
        if self.text_end is None:
            return self.crop(start, end).text.rstrip(" ")
        return self.crop(start, self.text_end if end is None else min(end, self.text_end)).text

    def _with_segments(self, segments: list[Segment]) -> Row:
        return Row(segments, self.cell_length, self.gutter, self.indent, self.text_end, self.continues, self.glue)


def with_gutter(row: Row, text: str, style: Style) -> Row:
    """The row with a text in its gutter, cut or filled to fit."""
    return row.with_lead([Segment(set_cell_size(text, row.gutter), style)]) if row.gutter else row


def copied_text(rows: Sequence[Row], start: int = 0, end: int | None = None) -> str:
    """What is copied of these rows, from a cell of the first to a cell of the last; wrapped lines are whole again."""
    parts: list[str] = []
    last = len(rows) - 1
    for index, row in enumerate(rows):
        if index:
            parts.append(row.glue if row.continues else "\n")
        parts.append(row.copied(start if index == 0 else 0, end if index == last else None))
    return "".join(parts)


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
