"""The styles of code in a diff: in the colours of its language on what says that it has come, gone or stayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from rich.style import Style

from maverick_tui.markup.code import ROLES
from maverick_tui.ui.rendering.palette import AnsiShades, TrueShades, shades_of

_WORDS = 0.36
"""How much of its colour a changed word has; the line around it has less than half of that."""

Looks: TypeAlias = Mapping[str, Style]
"""Styles by what a piece of code is; the empty name is for what is nothing special."""


class DiffPalette:
    """`lines` are the looks by the sign of a line, and `words` those of what differs within one."""

    def __init__(self, variables: Mapping[str, str], *, dark: bool, ansi: bool, is_256: bool = False) -> None:
        """Of a theme, by its CSS variables."""
        shades = shades_of(variables, dark=dark, ansi=ansi, is_256=is_256)
        self.lines: dict[str, Looks] = {
            " ": _looks(shades, shades.base),
            "+": _looks(shades, shades.changed("success")),
            "-": _looks(shades, shades.changed("error")),
        }
        self.words: dict[str, Looks] = {
            "+": _looks(shades, shades.changed("success", _WORDS)),
            "-": _looks(shades, shades.changed("error", _WORDS)),
        }


def _looks(shades: TrueShades | AnsiShades, plain: Style) -> Looks:
    found: dict[str, Style] = {"": plain}
    for role, tokens in ROLES.items():
        colour, attributes = shades.colours[tokens[0]]
        found[role] = (shades.on_style(colour, plain) if colour else plain) + Style.parse(attributes)
    return found
