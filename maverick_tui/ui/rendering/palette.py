"""The styles of everything that is drawn, made once for a theme, with the background already in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from rich.style import Style
from textual.color import Color

from maverick_tui.markup.code import ROLES

LEGIBLE = 4.5
"""The least contrast of text against its background (WCAG AA)."""

_ATTRIBUTES = {"comment": "italic", "heading": "bold"}


def _tokens(**colours: str) -> Mapping[str, tuple[str, str]]:
    """Colour (empty: that of the code around it) and attributes by token type."""
    return MappingProxyType(
        {
            token: (colours.get(role, ""), _ATTRIBUTES.get(role, "none"))
            for role, tokens in ROLES.items()
            for token in tokens
        }
    )


DARK = _tokens(
    comment="dim",
    quiet="dim",
    keyword="#c792ea",
    constant="#e5a573",
    string="#9ece8a",
    escape="#7fd1c7",
    function="#74b4f5",
    type="#e6c984",
    builtin="#6fc3d6",
    tag="#74b4f5",
    removed="#ee8891",
    added="#8fd39a",
)
LIGHT = _tokens(
    comment="dim",
    quiet="dim",
    keyword="#8b2fa8",
    constant="#9a4a00",
    string="#2f6f27",
    escape="#0b6e72",
    function="#1f52b8",
    type="#7a5900",
    builtin="#0a647f",
    tag="#1f52b8",
    removed="#a3202c",
    added="#22692f",
)
ANSI = _tokens(
    comment="dim",
    quiet="dim",
    keyword="magenta",
    constant="cyan",
    string="green",
    escape="cyan",
    function="blue",
    type="blue",
    builtin="cyan",
    tag="blue",
    removed="red",
    added="green",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """What each kind of text looks like. `selection`, `match` and `current_match` are laid over other styles."""

    base: Style
    dim: Style
    strong: Style
    code: Style
    headings: tuple[Style, ...]
    rule: Style
    quote: Style
    marker: Style
    table_head: Style
    added: Style
    removed: Style
    added_sign: Style
    removed_sign: Style
    hunk: Style
    error: Style
    warning: Style
    success: Style
    accent: Style
    thinking: Style
    prompt: Style
    selection: Style
    match: Style
    current_match: Style
    block: Style
    """A block of code, without highlighting."""
    syntax: Mapping[str, Style]
    """Styles on a block of code by the name of a Pygments token type, such as `Name.Function`."""
    overlays: Mapping[str, Style]
    """What emphasis adds to the style around it, by markdown-it's name of the token; `marked` is to be looked at."""

    @classmethod
    def of(cls, variables: Mapping[str, str], *, dark: bool, ansi: bool, is_256: bool = False) -> Palette:
        """The palette of a Textual theme, from its CSS variables, where the terminal may have no more than 256 colours.

        An ANSI theme keeps to the sixteen colours of the terminal, so that it follows the user's own choice of them.
        """
        return _palette(shades_of(variables, dark=dark, ansi=ansi, is_256=is_256))


def shades_of(variables: Mapping[str, str], *, dark: bool, ansi: bool, is_256: bool = False) -> TrueShades | AnsiShades:
    """The colours of a theme."""
    return AnsiShades(variables, dark=dark) if ansi else TrueShades(variables, dark=dark, is_256=is_256)


_CHANGED_LINE = 0.16
"""How much of its colour a line has that has come, or gone."""
_CHANGED_OF_256 = {
    ("success", True): ("#005f00", "#008700"),
    ("error", True): ("#5f0000", "#870000"),
    ("success", False): ("#d7ffd7", "#afd7af"),
    ("error", False): ("#ffd7d7", "#ffafaf"),
}
"""The backgrounds of such lines, and of what differs within one, by whether the theme is dark: the nearest of 256
colours to so little of a colour is grey."""


class TrueShades:
    """How the colours of a theme become styles."""

    def __init__(self, variables: Mapping[str, str], *, dark: bool, is_256: bool) -> None:
        self._variables, self._dark, self._is_256 = variables, dark, is_256
        self._background = Color.parse(variables["background"])
        self._foreground = self._colour("foreground")
        self._block = self._background.blend(self._foreground, 0.06, 1.0)
        primary = self._colour("text-primary" if dark else "primary")
        warning = self._colour("warning")
        self.base = self._style(self._foreground, self._background)
        self.dim = self._style(self._legible(self._mixed(0.55), self._background), self._background)
        self.rule = self._style(self._mixed(0.3), self._background)
        self.block = self._style(self._legible(self._foreground, self._block), self._block)
        tinted = self._foreground.blend(primary, 0.55, 1.0)
        self.code = self._style(self._legible(tinted, self._block), self._block)
        self.selection = self._over(self._background.blend(primary, 0.35, 1.0))
        self.match = self._over(self._background.blend(warning, 0.35, 1.0))
        self.current_match = self._over(warning) + Style(bold=True)
        self.colours = DARK if dark else LIGHT

    def text(self, name: str) -> Style:
        """Text in a colour of the theme."""
        return self._style(self._legible(self._colour(name), self._background), self._background)

    def accent(self) -> Style:
        """Text in the one colour that stands out."""
        # The text colours of light themes are so dark that blue is nearly black.
        return self.text("text-primary" if self._dark else "primary")

    def changed(self, name: str, share: float = 0.0) -> Style:
        """Text on something of a colour: what has come, or gone; a share of it is for what differs within a line."""
        if self._is_256:
            line, words = _CHANGED_OF_256[name, self._dark]
            return self._over(Color.parse(words if share else line))
        return self._over(self._background.blend(self._colour(name), share or _CHANGED_LINE, 1.0))

    def on_style(self, colour: str, style: Style) -> Style:
        """Text of a colour on the background that a style has."""
        assert style.bgcolor is not None
        background = Color.from_rich_color(style.bgcolor)
        own = self._mixed(0.55) if colour == "dim" else Color.parse(colour)
        return self._style(self._legible(own, background), background)

    def on_block(self, colour: str) -> Style:
        """Text of a colour on a block of code."""
        if colour == "dim":
            return self._style(self._legible(self._mixed(0.55), self._block), self._block)
        return self._style(self._legible(Color.parse(colour), self._block), self._block)

    def _colour(self, name: str) -> Color:
        return self._background.blend(colour := Color.parse(self._variables[name]), colour.a, 1.0)

    def _mixed(self, share: float) -> Color:
        return self._background.blend(self._foreground, share, 1.0)

    def _over(self, background: Color) -> Style:
        return self._style(self._legible(self._foreground, background), background)

    def _legible(self, colour: Color, background: Color) -> Color:
        """The colour, moved towards black or white only as far as it can then be read."""
        light = _contrast(Color(255, 255, 255), background) > _contrast(Color(0, 0, 0), background)
        end = Color(255, 255, 255) if light else Color(0, 0, 0)
        for share in range(21):
            moved = colour.blend(end, share / 20, 1.0)
            if _contrast(moved, background) >= LEGIBLE:
                return moved
        return end

    @staticmethod
    def _style(colour: Color, background: Color) -> Style:
        return Style(color=colour.rich_color, bgcolor=background.rich_color)


class AnsiShades:
    """The same for a theme that keeps to the sixteen colours of the terminal."""

    def __init__(self, variables: Mapping[str, str], *, dark: bool) -> None:
        self._variables, self._dark = variables, dark
        self.base = self.block = Style(color="default", bgcolor="default")
        # Not the eighth colour: in some palettes it is the background.
        self.dim = self.rule = self.base + Style(dim=True)
        self.code = self.on_block("cyan")
        self.selection = Style(reverse=True)
        self.match = Style(color="black", bgcolor="yellow")
        self.current_match = Style(color="black", bgcolor="cyan", bold=True)
        self.colours = ANSI

    def text(self, name: str) -> Style:
        """Text in a colour of the theme."""
        return self.on_block(self._variables[name].partition(" ")[0].removeprefix("ansi_"))

    def accent(self) -> Style:
        """Text in the one colour that stands out."""
        return self.text("primary")

    def changed(self, name: str, share: float = 0.0) -> Style:
        """Text of a colour: what has come, or gone; a share of it is for what differs within a line."""
        return self.text(name) + Style(bold=True, underline=True) if share else self.text(name)

    def on_style(self, colour: str, style: Style) -> Style:
        """The same: sixteen colours say what has changed, and none is left to say what it is."""
        return style

    def on_block(self, colour: str) -> Style:
        """Text of a colour on a block of code."""
        if colour == "dim":
            return self.dim
        # The plain blue of many terminals can hardly be read on black.
        return self.base + Style(color="bright_blue" if colour == "blue" and self._dark else colour)


def _palette(shades: TrueShades | AnsiShades) -> Palette:
    base, dim = shades.base, shades.dim
    bold, italic = Style(bold=True), Style(italic=True)
    accent = shades.accent()
    success, error, warning = (shades.text(f"text-{name}") for name in ("success", "error", "warning"))
    underlined = accent + Style(underline=True)
    on_block = {
        token: shades.on_block(colour) + Style.parse(attributes) if colour else shades.block + Style.parse(attributes)
        for token, (colour, attributes) in shades.colours.items()
    }
    return Palette(
        base=base,
        dim=dim,
        strong=base + bold,
        code=shades.code,
        headings=(underlined + bold, accent + bold, base + bold, base + bold + italic, dim + bold, dim + italic),
        rule=shades.rule,
        quote=dim,
        marker=accent,
        table_head=base + bold,
        added=shades.changed("success"),
        removed=shades.changed("error"),
        added_sign=shades.changed("success") + bold,
        removed_sign=shades.changed("error") + bold,
        hunk=dim,
        error=error,
        warning=warning,
        success=success,
        accent=accent,
        thinking=dim + italic,
        prompt=base + bold,
        selection=shades.selection,
        match=shades.match,
        current_match=shades.current_match,
        block=shades.block,
        syntax=MappingProxyType(on_block),
        overlays=MappingProxyType(
            {
                "strong": bold,
                "em": italic,
                "s": Style(strike=True),
                "link": Style(color=underlined.color, underline=True),
                "code": Style(color=shades.code.color, bgcolor=shades.code.bgcolor),
                "dim": Style(color=dim.color, dim=dim.dim),
                "marked": Style(color=warning.color, bold=True, underline=True),
            }
        ),
    )


def _contrast(one: Color, other: Color) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(1024)
def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
