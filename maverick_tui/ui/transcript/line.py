"""One row out of words: a lead, what matters on the left, what is secondary on the right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import wrap_words

Span: TypeAlias = tuple[str, Style]


def line_row(lead: list[Span], left: list[Span], right: list[Span], width: int, base: Style) -> Row:
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
) -> list[list[Span]]:
    """Lines of keys and what they do, each a click away; `choices` are the action, its key and the words.

    What is wider than the room goes on below: whoever chooses has to see all of it.
    """
    parts = list(choices)
    gap = "   " if sum(cell_len(f"{key} {words}   ") for _, key, words in parts) - 3 <= room else "  "
    lines: list[list[Span]] = [[]]
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
        first, *rest = [words] if size <= room else wrap_words(words, max(4, room - cell_len(f"{key} ")))
        lines[-1] += [(key, key_style + click), (f" {first}", style + click)]
        lines += [[(" " * cell_len(f"{key} "), style), (line, style + click)] for line in rest]
        left = 0 if rest else left - size
    return lines


def _width(spans: Iterable[Span]) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _cut(spans: list[Span], room: int) -> list[Span]:
    """As many of the spans as fit; an ellipsis where something was cut off."""
    out: list[Span] = []
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
