"""Palettes can be read in every theme that Textual brings, and follow the terminal in ANSI themes."""

from __future__ import annotations

from dataclasses import fields

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.color import Color

from maverick_tui.ui.rendering.palette import LEGIBLE, Palette, _contrast
from tests.support.cases import each
from tests.ui.rendering.looks import THEMES, palette

OVERLAYS = ("selection", "match", "current_match")
TRUE = [name for name in THEMES if not name.startswith("ansi")]


def styles(made: Palette) -> dict[str, Style]:
    """Every style that text is drawn in."""
    single = {field.name: getattr(made, field.name) for field in fields(made)}
    found = {name: style for name, style in single.items() if isinstance(style, Style)}
    found |= {f"heading {level}": style for level, style in enumerate(made.headings, 1)}
    return found | dict(made.syntax)


def contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    return _contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))


@each("name", TRUE)
def test_all_text_can_be_read(name: str) -> None:
    made = palette(name)
    faint = {
        kind: round(contrast(style), 2) for kind, style in styles(made).items() if contrast(style) < LEGIBLE - 0.01
    }
    faint.pop("rule", None)  # lines, not text
    assert faint == {}
    assert contrast(made.base + made.match) >= LEGIBLE - 0.01
    assert contrast(made.rule) >= 1.3


@each("name", TRUE)
def test_true_colours_leave_nothing_to_textuals_filters(name: str) -> None:
    for kind, style in styles(palette(name)).items():
        assert style.color is not None, kind
        assert style.color.triplet is not None, kind
        assert style.bgcolor is not None, kind
        assert style.bgcolor.triplet is not None, kind
        assert not style.dim, kind


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_ansi_themes_use_the_colours_of_the_terminal_and_no_background(name: str) -> None:
    made = palette(name)
    for kind, style in styles(made).items():
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.type in (ColorType.DEFAULT, ColorType.STANDARD), kind
        if kind not in OVERLAYS:
            assert style.bgcolor is not None, kind
            assert style.bgcolor.is_default, kind
    assert made.dim.dim
    assert made.selection.reverse


def test_code_stands_on_another_background_where_there_are_true_colours() -> None:
    made = palette("textual-dark")
    assert made.block.bgcolor != made.base.bgcolor
    assert {style.bgcolor for style in made.syntax.values()} == {made.block.bgcolor}


def test_headings_differ_from_one_another_and_from_text() -> None:
    for name in ("textual-dark", "textual-light", "ansi-dark", "ansi-light"):
        made = palette(name)
        assert len({made.base, *made.headings}) == 7
