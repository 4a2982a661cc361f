"""What diffs look like: line numbers and signs beside the colours."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from maverick_tui.markup.hunks import Hunk
from maverick_tui.ui.rendering.row import Canvas, Row
from maverick_tui.ui.rendering.wrap import clean, clean_lines, fold, hang_of


def diff_rows(canvas: Canvas, hunks: Sequence[Hunk], *, numbered: bool) -> list[Row]:
    """The rows of a diff: number, sign, line. Number and sign are not copied."""
    palette = canvas.palette
    last = max((max(hunk.old_start, hunk.new_start) + len(hunk.lines) for hunk in hunks), default=0)
    digits = len(str(last))
    width = digits + 3
    if not numbered or width > canvas.room // 2:
        digits, width = 0, 2
    room = max(2, canvas.room - width)
    signs = {"+": (palette.added_sign, palette.added), "-": (palette.removed_sign, palette.removed)}
    rows: list[Row] = []
    for index, hunk in enumerate(hunks):
        if index:
            rows.append(canvas.row([Segment("⋯".rjust(max(1, digits)), palette.hunk)], max(1, digits), max(1, digits)))
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            sign, text = line[:1], line[1:]
            if sign == "\\":
                rows.extend(canvas.rows(fold([(clean(line), palette.dim)], canvas.room)))
                continue
            number = old if sign == "-" else new
            old, new = old + (sign != "+"), new + (sign != "-")
            sign_style, style = signs.get(sign, (palette.dim, palette.base))
            column = [Segment(f"{number:>{digits}} ", palette.dim)] if digits else []
            lead = [*column, Segment(f"{sign or ' '} ", sign_style)]
            text = clean_lines(text)[0]
            hang, left = hang_of(text, room), width
            for segments, cells, glue in fold([(text, style)], room, hang):
                rows.append(canvas.row([*lead, *segments], left + cells, left, glue, style))
                left = width + hang
                column = [canvas.spaces(digits + 1, palette.dim)] if digits else []
                lead = [*column, canvas.spaces(2 + hang, sign_style)]
    return rows
