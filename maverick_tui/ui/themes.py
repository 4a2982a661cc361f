"""Our themes: one accent, quiet surfaces, and text that can be read all day. Textual's own stand beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App, SystemCommand
from textual.theme import Theme

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.diff_palette import DiffPalette
    from maverick_tui.ui.rendering.palette import Palette

_FOLLOWERS = {
    "primary": ("text-primary", "text-accent", "border", "scrollbar-active", "footer-key-foreground", "link-color"),
    "foreground": ("text", "block-cursor-blurred-foreground", "input-cursor-background", "button-foreground"),
    "background": ("input-cursor-foreground", "scrollbar-background", "link-color-hover", "button-color-foreground"),
    "surface": ("footer-background",),
    "success": ("text-success",),
    "warning": ("text-warning",),
    "error": ("text-error",),
    "text-muted": ("foreground-muted", "footer-description-foreground"),
    "text-disabled": ("foreground-disabled",),
    "primary-muted": ("accent-muted",),
    "border-blurred": ("scrollbar",),
    "input-selection-background": ("screen-selection-background",),
    "input-selection-foreground": ("screen-selection-foreground",),
}
"""Variables of Textual's that have the colour of another."""


def _theme(name: str, colours: Mapping[str, str], *, dark: bool) -> Theme:
    """A theme of true colours; those that are no arguments of a theme are its variables."""
    own = {field.name for field in fields(Theme)}
    variables = {shade: colour for shade, colour in colours.items() if shade not in own}
    variables |= {one: colours[shade] for shade, followers in _FOLLOWERS.items() for one in followers}
    return Theme(
        name=name,
        dark=dark,
        accent=colours["primary"],
        variables=variables | {"block-cursor-text-style": "bold"},
        **{shade: colour for shade, colour in colours.items() if shade in own},  # type: ignore[arg-type]
    )


DARK = _theme(
    "maverick-dark",
    {
        "primary": "#82b1e0",
        "secondary": "#8fa1b5",
        "success": "#8fc08a",
        "warning": "#e0b56a",
        "error": "#ee8a85",
        "foreground": "#d7dbe0",
        "background": "#14171b",
        "surface": "#1a1e23",
        "panel": "#252a31",
        "boost": "#ffffff08",
        "text-muted": "#9aa4b0",
        "text-disabled": "#7f8995",
        "text-secondary": "#a3b1c2",
        "primary-muted": "#26384b",
        "secondary-muted": "#2a323b",
        "success-muted": "#243328",
        "warning-muted": "#3a3122",
        "error-muted": "#3f2829",
        "border-blurred": "#3a424c",
        "block-cursor-foreground": "#e6ebf1",
        "block-cursor-background": "#2c4158",
        "block-cursor-blurred-background": "#232b34",
        "block-hover-background": "#20262d",
        "input-selection-background": "#35506e",
        "input-selection-foreground": "#f0f3f6",
        "scrollbar-hover": "#56616d",
    },
    dark=True,
)

LIGHT = _theme(
    "maverick-light",
    {
        "primary": "#2361a6",
        "secondary": "#55647a",
        "success": "#2c6e33",
        "warning": "#875500",
        "error": "#b3302c",
        "foreground": "#23282e",
        "background": "#fbfaf7",
        "surface": "#f3f1ec",
        "panel": "#e2dfd8",
        "boost": "#00000008",
        "text-muted": "#545d68",
        "text-disabled": "#656d77",
        "text-secondary": "#4a5768",
        "primary-muted": "#d5e3f3",
        "secondary-muted": "#e3e6ea",
        "success-muted": "#dcebdb",
        "warning-muted": "#f4e6c8",
        "error-muted": "#f7dcd9",
        "border-blurred": "#c9c5bc",
        "block-cursor-foreground": "#14202e",
        "block-cursor-background": "#c3d8ef",
        "block-cursor-blurred-background": "#e6e8ea",
        "block-hover-background": "#edeae3",
        "input-selection-background": "#b9d3ef",
        "input-selection-foreground": "#14202e",
        "scrollbar-hover": "#a8a399",
    },
    dark=False,
)

# Blue as most terminals have it cannot be read on black, and neither can cyan on white: the bright blue is the one
# hue that does on both. What is secondary is dim and not the eighth colour, which some palettes have as background.
ANSI = Theme(
    name="maverick-ansi",
    ansi=True,
    dark=True,
    primary="ansi_bright_blue",
    secondary="ansi_default",
    accent="ansi_bright_blue",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "surface-active": "ansi_default",
        "foreground-disabled": "ansi_default",
        "border": "ansi_bright_blue",
        "border-blurred": "ansi_bright_black",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_bright_blue",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-cursor-blurred-text-style": "bold underline",
        "input-cursor-text-style": "reverse",
        "input-selection-background": "ansi_bright_blue",
        "input-selection-foreground": "ansi_black",
        "screen-selection-background": "ansi_bright_blue",
        "screen-selection-foreground": "ansi_black",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": "ansi_bright_blue",
        "scrollbar-active": "ansi_bright_blue",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "footer-key-foreground": "ansi_bright_blue",
        "link-color": "ansi_bright_blue",
        "link-color-hover": "ansi_bright_blue",
        "link-background-hover": "ansi_default",
        "link-style-hover": "bold underline",
        "markdown-h1-color": "ansi_bright_blue",
        "markdown-h2-color": "ansi_bright_blue",
        "markdown-h3-color": "ansi_bright_blue",
    },
)

THEMES: tuple[Theme, ...] = (DARK, LIGHT, ANSI)
"""The first is the default."""


def use_themes(app: App[Any], chosen: str) -> None:
    """Offer our themes beside Textual's own, and begin with the chosen one, or else with our first."""
    for theme in THEMES:
        app.register_theme(theme)
    # Assigned, it would have all styles parsed once more after the first frame.
    app.set_reactive(App.theme, chosen if chosen in app.available_themes else THEMES[0].name)
    app.stylesheet.set_variables(app.get_css_variables())


def theme_commands(app: App[Any]) -> Iterable[SystemCommand]:
    """Commands of the palette that change to one of our themes; Textual's own one leads to all of them."""
    for theme in THEMES:
        if theme.name != app.theme:
            looks = "Your terminal's own colours" if theme.ansi else "Dark" if theme.dark else "Light"
            yield SystemCommand(f"Theme: {theme.name}", looks, partial(setattr, app, "theme", theme.name))


def text_palette(app: App[Any]) -> Palette:
    """The colours of text in the theme of the moment."""
    from maverick_tui.ui.rendering.palette import Palette

    return Palette.of(app.theme_variables, **_looks_of(app))


def diff_palette(app: App[Any]) -> DiffPalette:
    """The colours of code in diffs in the theme of the moment."""
    from maverick_tui.ui.rendering.diff_palette import DiffPalette

    return DiffPalette(app.theme_variables, **_looks_of(app))


def _looks_of(app: App[Any]) -> dict[str, bool]:
    theme = app.current_theme
    return {"dark": theme.dark, "ansi": theme.ansi, "is_256": app.console.color_system == "256"}
