"""A tiny application that shows widgets with our own styles and themes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from maverick_tui import paths
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.widgets.painted import PAINT


class Painting(Screen[None]):
    """A screen that painted widgets have their looks from."""

    COMPONENT_CLASSES = PAINT

    def __init__(self) -> None:
        super().__init__()
        self.acted: list[str] = []

    def action_toggle_panel(self) -> None:
        self.acted.append("toggle_panel")

    def action_follow(self) -> None:
        self.acted.append("follow")

    def action_cycle_mode(self) -> None:
        self.acted.append("cycle_mode")


class Host(App[None]):
    """Shows widgets, and counts how often the screen is laid out."""

    CSS_PATH = sorted(paths.shipped("styles").glob("*.tcss"))

    def __init__(self, make: Callable[[], Sequence[Widget]], theme: str = THEMES[0].name) -> None:
        super().__init__()
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme
        self._make = make
        self.layouts = 0

    def get_default_screen(self) -> Painting:
        return Painting()

    def compose(self) -> ComposeResult:
        yield from self._make()

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, self._count)

    @property
    def acted(self) -> list[str]:
        """The actions of the screen that were done."""
        assert isinstance(self.screen, Painting)
        return self.screen.acted

    def _count(self, _screen: object) -> None:
        self.layouts += 1

    def drawn(self) -> list[str]:
        """The screen as it is drawn, line by line."""
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]
