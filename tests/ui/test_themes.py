"""Our themes: complete, calm, and legible."""

from __future__ import annotations

import re

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from maverick_tui.ui.themes import ANSI, DARK, LIGHT, THEMES
from tests.support.cases import each
from tests.ui.widgets.host import Host

AA = 4.5
TEXT = (
    "foreground text text-muted text-disabled text-primary text-secondary text-accent text-success text-warning "
    "text-error primary success warning error foreground-muted"
).split()


def variables(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Color) -> float:
    assert colour.a == 1, "what is mixed with its background cannot be judged alone"
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@each("name", TEXT)
def test_text_can_be_read_on_the_places_where_it_stands(theme: Theme, name: str) -> None:
    colours = variables(theme)
    for place in ("background", "surface"):
        assert contrast(colours[name], colours[place]) >= AA, place


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@each(
    ("text", "place"),
    [
        ("foreground", "panel"),
        ("text-muted", "panel"),
        ("foreground", "primary-muted"),
        ("text-muted", "primary-muted"),
        ("foreground", "error-muted"),
        ("foreground", "success-muted"),
        ("foreground", "warning-muted"),
        ("block-cursor-foreground", "block-cursor-background"),
        ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
        ("input-cursor-foreground", "input-cursor-background"),
        ("input-selection-foreground", "input-selection-background"),
        ("screen-selection-foreground", "screen-selection-background"),
        ("footer-key-foreground", "footer-background"),
        ("footer-description-foreground", "footer-background"),
        ("button-color-foreground", "primary"),
        ("link-color-hover", "link-background-hover"),
    ],
)
def test_text_can_be_read_on_what_is_marked(theme: Theme, text: str, place: str) -> None:
    colours = variables(theme)
    assert contrast(colours[text], colours[place]) >= AA


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_a_border_that_has_the_focus_can_be_told_from_the_background(theme: Theme) -> None:
    colours = variables(theme)
    assert contrast(colours["border"], colours["background"]) >= 3
    assert contrast(colours["border"], colours["border-blurred"]) >= 1.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_there_is_one_accent(theme: Theme) -> None:
    assert theme.primary == theme.accent


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_variable_of_textuals_own_themes_is_there(theme: Theme) -> None:
    known = set(BUILTIN_THEMES["textual-dark"].to_color_system().generate())
    assert known <= set(variables(theme))


def test_the_ansi_theme_has_no_colour_of_its_own() -> None:
    fixed = re.compile(r"#[0-9a-f]{3,8}|rgb", re.IGNORECASE)
    assert not [name for name, value in variables(ANSI).items() if fixed.search(value)]


@pytest.mark.parametrize("theme", [*(theme.name for theme in THEMES), "nord", "textual-light", "ansi-light"])
async def test_our_styles_can_be_read_with_every_theme(theme: str) -> None:
    app = Host(list, theme)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.theme == theme
        assert app.native_ansi_color == ("ansi" in theme)


def test_the_first_theme_is_the_default() -> None:
    assert [theme.name for theme in THEMES] == ["maverick-dark", "maverick-light", "maverick-ansi"]
