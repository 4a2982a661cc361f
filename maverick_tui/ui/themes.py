"""Our themes: one accent, quiet surfaces, and text that can be read all day. Textual's own stand beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.theme import Theme

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.palette import Palette

DARK = Theme(
    name="maverick-dark",
    dark=True,
    primary="#82b1e0",
    secondary="#8fa1b5",
    accent="#82b1e0",
    success="#8fc08a",
    warning="#e0b56a",
    error="#ee8a85",
    foreground="#d7dbe0",
    background="#14171b",
    surface="#1a1e23",
    panel="#252a31",
    boost="#ffffff08",
    variables={
        "text": "#d7dbe0",
        "text-muted": "#9aa4b0",
        "text-disabled": "#7f8995",
        "text-primary": "#82b1e0",
        "text-secondary": "#a3b1c2",
        "text-accent": "#82b1e0",
        "text-success": "#8fc08a",
        "text-warning": "#e0b56a",
        "text-error": "#ee8a85",
        "foreground-muted": "#9aa4b0",
        "foreground-disabled": "#7f8995",
        "primary-muted": "#26384b",
        "secondary-muted": "#2a323b",
        "accent-muted": "#26384b",
        "success-muted": "#243328",
        "warning-muted": "#3a3122",
        "error-muted": "#3f2829",
        "border": "#82b1e0",
        "border-blurred": "#3a424c",
        "block-cursor-foreground": "#e6ebf1",
        "block-cursor-background": "#2c4158",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#d7dbe0",
        "block-cursor-blurred-background": "#232b34",
        "block-hover-background": "#20262d",
        "input-cursor-background": "#d7dbe0",
        "input-cursor-foreground": "#14171b",
        "input-selection-background": "#35506e",
        "input-selection-foreground": "#f0f3f6",
        "screen-selection-background": "#35506e",
        "screen-selection-foreground": "#f0f3f6",
        "scrollbar": "#3a424c",
        "scrollbar-hover": "#56616d",
        "scrollbar-active": "#82b1e0",
        "scrollbar-background": "#14171b",
        "footer-background": "#1a1e23",
        "footer-key-foreground": "#82b1e0",
        "footer-description-foreground": "#9aa4b0",
        "link-color": "#82b1e0",
        "link-color-hover": "#14171b",
        "button-color-foreground": "#14171b",
        "button-foreground": "#d7dbe0",
    },
)

LIGHT = Theme(
    name="maverick-light",
    dark=False,
    primary="#2361a6",
    secondary="#55647a",
    accent="#2361a6",
    success="#2c6e33",
    warning="#875500",
    error="#b3302c",
    foreground="#23282e",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e2dfd8",
    boost="#00000008",
    variables={
        "text": "#23282e",
        "text-muted": "#545d68",
        "text-disabled": "#656d77",
        "text-primary": "#2361a6",
        "text-secondary": "#4a5768",
        "text-accent": "#2361a6",
        "text-success": "#2c6e33",
        "text-warning": "#875500",
        "text-error": "#b3302c",
        "foreground-muted": "#545d68",
        "foreground-disabled": "#656d77",
        "primary-muted": "#d5e3f3",
        "secondary-muted": "#e3e6ea",
        "accent-muted": "#d5e3f3",
        "success-muted": "#dcebdb",
        "warning-muted": "#f4e6c8",
        "error-muted": "#f7dcd9",
        "border": "#2361a6",
        "border-blurred": "#c9c5bc",
        "block-cursor-foreground": "#14202e",
        "block-cursor-background": "#c3d8ef",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#23282e",
        "block-cursor-blurred-background": "#e6e8ea",
        "block-hover-background": "#edeae3",
        "input-cursor-background": "#23282e",
        "input-cursor-foreground": "#fbfaf7",
        "input-selection-background": "#b9d3ef",
        "input-selection-foreground": "#14202e",
        "screen-selection-background": "#b9d3ef",
        "screen-selection-foreground": "#14202e",
        "scrollbar": "#c9c5bc",
        "scrollbar-hover": "#a8a399",
        "scrollbar-active": "#2361a6",
        "scrollbar-background": "#fbfaf7",
        "footer-background": "#f3f1ec",
        "footer-key-foreground": "#2361a6",
        "footer-description-foreground": "#545d68",
        "link-color": "#2361a6",
        "link-color-hover": "#fbfaf7",
        "button-color-foreground": "#fbfaf7",
        "button-foreground": "#23282e",
    },
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


def text_palette(app: App[Any]) -> Palette:
    """The colours of text in the theme of the moment."""
    from maverick_tui.ui.rendering.palette import Palette

    theme, variables = app.current_theme, app.theme_variables
    return Palette.of(
        variables,
        background=variables["background"],
        foreground=variables["foreground"],
        dark=theme.dark,
        ansi=theme.ansi,
    )
