"""Widths: how many cells the vowels of Hindi and its like take, as the terminal in use counts them.

Rich counts none for a mark that stands beside its letter (Unicode's category Mc), as do terminals that draw letter and
marks as one. All others, and whatever goes by the C library, give it a cell of its own. If we counted none there, what
follows would be written over the vowel. Counted too wide it only leaves a gap, so that is what we do if in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich import cells

from maverick_tui.ui.textual_private.names import TABLE, lacking

_DRAW_AS_ONE = ("xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "wezterm")
"""What terminals that draw letter and marks as one call themselves; in tmux and the like there is another name."""
_PROGRAMS_DRAWING_AS_ONE = ("WezTerm", "ghostty", "iTerm.app")
_FIRST_MARK = 0x900
_Width = tuple[int, int, int]


def gives_marks_cells(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is to be taken for one in which a mark beside its letter has a cell."""
    term = environment.get("TERM", "")
    if environment.get("TMUX") or environment.get("STY") or term.startswith(("tmux", "screen")):
        return True
    return term not in _DRAW_AS_ONE and environment.get("TERM_PROGRAM") not in _PROGRAMS_DRAWING_AS_ONE


def give_marks_cells() -> None:
    """From now on count a cell for every mark that stands beside its letter, wherever Rich counts."""
    if lacking(TABLE):
        return
    known = cells.load_cell_table("auto")  # type: ignore[attr-defined]
    table = cells.CellTable(known.unicode_version, list(_with_marks(known.widths)), known.narrow_to_wide)
    cells.load_cell_table = lambda unicode_version="auto": table  # type: ignore[attr-defined, assignment]
    cells.get_character_cell_size.cache_clear()
    cells.cached_cell_len.cache_clear()


def _with_marks(widths: Sequence[_Width]) -> Iterator[_Width]:
    from unicodedata import category  # a library of its own

    for start, end, width in widths:
        if width or start < _FIRST_MARK:
            yield start, end, width
            continue
        first = start
        for code in range(start, end + 1):
            if category(chr(code)) == "Mc":  # what is not in the table is one cell wide
                if first < code:
                    yield first, code - 1, 0
                first = code + 1
        if first <= end:
            yield first, end, 0
