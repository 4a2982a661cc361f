"""How rows of a transcript are laid out: the look, the gutter, guides and marks beside the text, lines of choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from maverick_tui.runs.choosing import Choice
from maverick_tui.runs.entries import Entry
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Styled, clean, wrap_words


@dataclass(slots=True)
class Look:
    """How a transcript is drawn: its width and colours, and what its keys are called at the moment."""

    width: int
    palette: Palette
    folder: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The key of an action by its name: `banner.retry` -> `F5`."""
    asking: int = 0
    """The number of the entry whose question keys answer."""
    choice: Choice | None = None
    """How far its question is answered, if it is one of the agent's own."""

    @property
    def gutter(self) -> int:
        """Columns on the left for time, duration and cost."""
        return 11 if self.width >= 90 else 8 if self.width >= 50 else 1


class RowLayout:
    """Lays rows out in one look: the gutter with times and figures, guides for the depth, marks beside the text."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._renderers: dict[tuple[int, bool], Renderer] = {}
        self._blanks: dict[int, Row] = {}
        self._blank_gutter = Segment(" " * look.gutter, look.palette.base) if look.gutter else None

    def renderer(self, depth: int = 0, *, marked: bool = False) -> Renderer:
        """The renderer of text at a depth; `marked` leaves two more columns for a mark beside the text."""
        key = (depth, marked)
        if key not in self._renderers:
            gutter = self.look.gutter + 2 * depth + 2 * marked
            gutter = min(gutter, max(0, self.look.width - 20))
            self._renderers[key] = Renderer(self.look.width, self.look.palette, gutter=gutter)
        return self._renderers[key]

    def blank(self, guides: int = 0) -> Row:
        """An empty row; below a subagent's call with its guides, and the same object each time."""
        if guides not in self._blanks:
            self._blanks[guides] = self.line([], [], depth=guides)
        return self._blanks[guides]

    def stamp(self, at: float) -> str:
        """The time for the gutter."""
        if self.look.gutter == 1:
            return " "
        try:
            shown = datetime.fromtimestamp(at).astimezone()
        except (OverflowError, ValueError, OSError):  # no calendar has it
            return " " * self.look.gutter
        return f" {shown:%H:%M:%S}  " if self.look.gutter == 11 else f" {shown:%H:%M}  "

    def in_gutter(self, text: str) -> str:
        """A figure, right-aligned in the gutter."""
        return f"{text:>{self.look.gutter - 2}}".ljust(self.look.gutter) if self.look.gutter > 1 else " "

    def dress(
        self, rows: list[Row], entry: Entry | None, mark: str, style: Style | None = None, *, depth: int | None = None
    ) -> list[Row]:
        """Put the time beside the first row, guides for the depth, and a mark beside all of them."""
        if depth is None:
            depth = entry.depth if entry is not None else 0
        if not self.look.gutter and not depth and not mark:
            return rows
        p, out = self.look.palette, []
        guides = Segment("│ " * depth, p.rule) if depth else None
        marking = Segment(mark, style or p.dim) if mark else None
        stamp = Segment(self.stamp(entry.at), p.dim) if entry is not None and self.look.gutter else self._blank_gutter
        if rows and guides is None and marking is None and stamp is not None:
            return [rows[0].with_lead([stamp]), *rows[1:]]
        cells = self.look.gutter + 2 * depth + len(mark)
        for row in rows:
            segments = [part for part in (stamp, guides, marking) if part is not None]
            stamp = self._blank_gutter
            if row.gutter < cells:  # so narrow that the text needs some of it
                segments = Segment.adjust_line_length(segments, row.gutter)
            out.append(row.with_lead(segments))
        return out

    def line(
        self,
        left: list[Styled],
        right: list[Styled],
        *,
        entry: Entry | None = None,
        depth: int | None = None,
        note: str = "",
    ) -> Row:
        """One row: what matters on the left, cut if need be, and what is secondary on the right."""
        p = self.look.palette
        if depth is None:
            depth = entry.depth if entry is not None else 0
        lead: list[Styled] = []
        if self.look.gutter:
            text = note or (self.stamp(entry.at) if entry is not None else " " * self.look.gutter)
            lead.append((text, p.dim))
        if depth:
            lead.append(("│ " * depth, p.rule))
        return line_row(lead, left, right, self.look.width, p.base)


def line_row(lead: list[Styled], left: list[Styled], right: list[Styled], width: int, base: Style) -> Row:
    """Fit the spans into the width: the right side is dropped before the left is cut to less than half."""
    lead_width = _width(lead)
    if lead_width > width - 4:
        lead, lead_width = [], 0
    room = width - lead_width
    right_width = _width(right)
    if right_width and right_width + 2 > room // 2:
        right = _cut(right, max(0, room - _width(left) - 2, room // 3))
        right_width = _width(right)
    left = _cut(left, room - right_width - (2 if right_width else 0))
    gap = room - _width(left) - right_width
    spans = [*lead, *left, (" " * gap, base), *right]
    gutter = cell_len(lead[0][0]) if lead else 0
    return Row([Segment(text, style) for text, style in spans if text], width, gutter, indent=lead_width)


def choice_lines(
    choices: Iterable[tuple[str, str, str]], room: int, key_style: Style, style: Style
) -> list[list[Styled]]:
    """Lines of keys and what they do, each a click away; `choices` are the action, its key and the words.

    What is wider than the room goes on below: whoever chooses has to see all of it.
    """
    parts = list(choices)
    gap = "   " if sum(cell_len(f"{key} {words}   ") for _, key, words in parts) - 3 <= room else "  "
    lines: list[list[Styled]] = [[]]
    left = room
    for action, key, words in parts:
        size = cell_len(f"{key} {words}")
        if lines[-1] and len(gap) + size > left:
            lines.append([])
            left = room
        elif lines[-1]:
            lines[-1].append((gap, style))
            left -= len(gap)
        click = Style(meta={"@click": action})
        first, *rest = [words] if size <= room else wrap_words(clean(words), max(4, room - cell_len(f"{key} ")))
        lines[-1] += [(key, key_style + click), (f" {first}", style + click)]
        lines += [[(" " * cell_len(f"{key} "), style), (line, style + click)] for line in rest]
        left = 0 if rest else left - size
    return lines


def _width(spans: Iterable[Styled]) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _cut(spans: list[Styled], room: int) -> list[Styled]:
    """As many of the spans as fit; an ellipsis where something was cut off."""
    out: list[Styled] = []
    for text, style in spans:
        size = cell_len(text)
        if size <= room:
            out.append((text, style))
            room -= size
            continue
        if room > 0:
            out.append((set_cell_size(text, room - 1) + "…", style))
        break
    return out
