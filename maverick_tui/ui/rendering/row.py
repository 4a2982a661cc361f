"""Rows: full-width strips that know which of their cells are text and which only decorate it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from rich.segment import Segment
from rich.style import Style

from maverick_tui.ui.textual_private.strip import LeanStrip


class Row(LeanStrip):
    """One line of the transcript, exactly as wide as it says.

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
        super().__init__(segments if isinstance(segments, list) else list(segments), cells)
        self.gutter = gutter
        self.indent = indent
        self.text_end = text_end
        self._lead = 1 if gutter else 0
        self.continues = continues
        self.glue = glue

    def is_same(self, other: Row) -> bool:
        """Whether the two look alike and are copied alike."""
        return (
            self == other
            and self.indent == other.indent
            and self.continues == other.continues
            and self.glue == other.glue
            and self.text_end == other.text_end
            and self.gutter == other.gutter
        )

    @property
    def lead(self) -> list[Segment]:
        """The segments in the gutter."""
        return list(islice(self, self._lead))

    def with_lead(self, segments: Sequence[Segment]) -> Row:
        """The row with these segments, together as wide as the gutter, in its gutter; itself if it has none."""
        if not self.gutter:
            return self
        row = self._with_segments([*segments, *islice(self, self._lead, None)])
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


def copied_text(rows: Sequence[Row], start: int = 0, end: int | None = None) -> str:
    """What is copied of these rows, from a cell of the first to a cell of the last; wrapped lines are whole again."""
    parts: list[str] = []
    last = len(rows) - 1
    for index, row in enumerate(rows):
        if index:
            parts.append(row.glue if row.continues else "\n")
        parts.append(row.copied(start if index == 0 else 0, end if index == last else None))
    return "".join(parts)
