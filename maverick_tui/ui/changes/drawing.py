"""What a row of a diff looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment

from maverick_tui.ui.changes.diff_text import DiffText
from maverick_tui.ui.changes.layout import MOST_AUTHORS, Columns, Placed, columns
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.code import told_apart
from maverick_tui.ui.rendering.wrap import Styled, cut, fold, folds, hang_of

if TYPE_CHECKING:
    from maverick_tui.review.kinds import Author
    from maverick_tui.ui.rendering.diff_palette import DiffPalette, Looks
    from maverick_tui.ui.rendering.palette import Palette

CURSOR = "▸"
BETWEEN = "│"


def author_line(author: Author, room: int = 0) -> Line:
    """Who it was: a call with its turn's prompt, another run, or the person. In a room, the turn is left in view."""
    if author.kind == "you":
        return (("you", "accent"), ("  not by a call of a run", "muted"))
    turn = f"  turn {author.turn}" if author.turn else ""
    about = f" {author.about}" if author.about else ""
    if room and author.kind == "call":
        about = cut(about, max(room - cell_len(author.tool) - cell_len(turn), 0))
    call: Line = ((author.tool or "a call", "accent"), (about, "text"))
    prompt = f" “{author.prompt}”" if author.prompt else ""
    if author.kind == "run":
        return (("another run ", "warning"), (author.run or author.run_id, "strong"), ("  ", "text"), *call)
    return (*call, (turn, "muted"), (prompt, "muted"))


class DiffDrawing:
    """Draws rows of one diff for one width."""

    def __init__(self, diff: DiffText, width: int, palette: Palette, shades: DiffPalette, *, is_split: bool) -> None:
        self._diff = diff
        self._width = width
        self._palette = palette
        self._shades = shades
        self._is_split = is_split
        self._columns: Columns = columns(diff, width, is_split=is_split)
        self._signs = {"+": palette.added_sign, "-": palette.removed_sign}
        self._folded: dict[int, list[tuple[list[Segment], int, int]]] = {}

    def code(self, row: Placed, *, is_chosen: bool) -> list[Segment]:
        """One line of the file, or two beside each other."""
        edge = self._edge(row, is_chosen=is_chosen)
        if not self._is_split:
            return [*edge, *self._side(row.at, row.part, 0, is_chosen=is_chosen)]
        left = self._side(row.at, row.part, -1, is_chosen=is_chosen)
        right = self._side(row.other, row.part, 1, is_chosen=is_chosen)
        whose = "" if row.part or row.at == row.other else self._whose(row.other)
        between = Segment(whose or BETWEEN, self._palette.accent if whose else self._palette.rule)
        return [*edge, *left, between, *right]

    def _edge(self, row: Placed, *, is_chosen: bool) -> list[Segment]:
        cursor = CURSOR if is_chosen and not row.part else " "
        whose = "" if row.part else self._whose(row.at)
        return [Segment(cursor, self._palette.accent), Segment(whose or " ", self._palette.accent)]

    def _whose(self, at: int) -> str:
        """The letter of whoever wrote a line, where the hunk is more than one's; several were at work at once: `?`."""
        if at < 0 or self._diff.lines[at].sign not in "+-":
            return ""
        line = self._diff.lines[at]
        hunk = self._diff.hunks[line.hunk]
        if len(hunk.authors) < 2 or line.at >= len(hunk.line_authors):
            return ""
        wrote = [place for place, one in enumerate(hunk.authors) if one in hunk.line_authors[line.at]]
        return "" if not wrote else letter(wrote[0]) if len(wrote) == 1 else "?"

    def _side(self, at: int, part: int, side: int, *, is_chosen: bool) -> list[Segment]:
        """One column: number, sign, text, filled up."""
        digits, room = self._columns
        lead = digits + 1 if digits else 0
        base, dim = self._palette.base, self._palette.dim
        if at < 0:
            return [Segment(" " * (lead + 2 + room), base)]
        line = self._diff.lines[at]
        if line.sign == "\\":
            text = cut(line.text, room)
            return [Segment(" " * (lead + 2), base), Segment(text + " " * (room - cell_len(text)), dim)]
        looks = self._looks(at)
        number = line.old if line.sign == "-" or side < 0 else line.new
        style = self._palette.selection if is_chosen else dim
        parts = self._parts(at)
        if part >= len(parts):
            return [Segment(" " * lead, base), Segment(" " * (2 + room), looks[""])]
        segments, cells, hang = parts[part]
        out = [Segment(f"{number:>{digits}}", style), Segment(" ", base)] if digits and not part else []
        out = out if part == 0 or not digits else [Segment(" " * lead, base)]
        sign = f"{line.sign} " if not part else "  "
        out.append(Segment(sign, self._signs.get(line.sign, dim)))
        if hang:
            out.append(Segment(" " * hang, looks[""]))
        out += segments
        out.append(Segment(" " * max(room - cells - hang, 0), looks[""]))
        return out

    def _parts(self, at: int) -> list[tuple[list[Segment], int, int]]:
        """The rows of a line: pieces, cells, and how far it is indented where it goes on."""
        if at not in self._folded:
            room, text = self._columns.room, self._diff.lines[at].text
            hang = hang_of(text, room)
            lines = fold(self._styled(at), room, hang)
            if len(lines) != folds(text, room, hang):  # an emoji in two colours is two, and takes more room
                lines = fold([(text, self._looks(at)[""])], room, hang)
            self._folded[at] = [
                (list(segments), cells, hang if number else 0) for number, (segments, cells, _) in enumerate(lines)
            ] or [([], 0, 0)]
        return self._folded[at]

    def _looks(self, at: int) -> Looks:
        return self._shades.lines.get(self._diff.lines[at].sign, self._shades.lines[" "])

    def _styled(self, at: int) -> Sequence[Styled]:
        line, looks = self._diff.lines[at], self._looks(at)
        runs, spans = self._diff.runs(at), self._diff.words(at)
        if not spans:
            return [(text, looks[role]) for text, role in runs if text]
        words = self._shades.words[line.sign]
        return [(text, (words if is_word else looks)[role]) for text, role, is_word in told_apart(runs, spans)]


def letter(place: int) -> str:
    """What stands for one of several authors of a hunk."""
    return "abcdefghijklmnopqrstuvwxyz"[min(place, 25)]


def heading_line(diff: DiffText, row: Placed, room: int, *, is_marked: bool | None) -> tuple[Line, Line]:
    """One row of a hunk's heading: an author; on the first one also where it is, and whether it is committed."""
    hunk = diff.hunks[row.at]
    authors = hunk.authors
    size = sum(one[:1] != "-" and one[:1] != "\\" for one in hunk.hunk.lines)
    first, last = hunk.hunk.new_start, hunk.hunk.new_start + max(size, 1) - 1
    where = "" if row.part else f" {first}-{last}" if last > first else f" {first}"
    if where and row.at in diff.committed:
        where = f" ✓ committed{where}"
    start: Line = ((("☑ " if is_marked else "☐ "), "accent"),) if is_marked is not None and not row.part else ()
    if not authors:
        line: Line = (*start, ("nobody is known to have written this", "muted"))
    elif row.part == MOST_AUTHORS - 1 and len(authors) > MOST_AUTHORS:
        line = ((f"and {len(authors) - row.part} more", "muted"),)
    else:
        several: Line = ((f"{letter(row.part)} ", "accent"),) if len(authors) > 1 else ()
        start = (*start, *several)
        used = sum(cell_len(text) for text, _ in start) + cell_len(where)
        line = (*start, *author_line(authors[row.part], room - used))
    return line, ((where, "muted"),)


def fitted(line: Line, room: int) -> Line:
    """The line, or as much of it as fits, with an ellipsis."""
    out: list[tuple[str, str]] = []
    for text, role in line:
        used = cell_len(text)
        if used > room:
            return (*out, (cut(text, room), role))
        out.append((text, role))
        room -= used
    return tuple(out)
