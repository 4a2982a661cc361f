"""Palettes of Textual's own themes, and rows as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rich.cells import cell_len
from textual.theme import BUILTIN_THEMES

from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.row import Row

THEMES = sorted(BUILTIN_THEMES)


def palette(name: str = "textual-dark") -> Palette:
    """The palette of a theme, drawn on the theme's background."""
    theme = BUILTIN_THEMES[name]
    variables = theme.to_color_system().generate()
    return Palette.of(variables, dark=theme.dark, ansi=theme.ansi)


DARK = palette()


def renderer(width: int = 40, gutter: int = 0) -> Renderer:
    return Renderer(width, DARK, gutter)


def shown(rows: Iterable[Row]) -> str:
    """What is on the screen, without the blanks that fill the rows."""
    return "\n".join(row.text.rstrip() for row in rows)


def assert_sound(rows: Iterable[Row], width: int) -> None:
    """Every row is exactly as wide as it should be, and nothing in it can steer a terminal."""
    for row in rows:
        assert row.cell_length == width
        assert sum(cell_len(segment.text) for segment in row) == width, row.text
        assert all(segment.text and segment.style and not segment.style.link for segment in row)
        categories = {unicodedata.category(character) for character in row.text}
        assert not categories & {"Cc", "Cs", "Zl", "Zp"}, row.text
        assert not set(row.text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
        assert 0 <= row.gutter <= row.indent <= width
