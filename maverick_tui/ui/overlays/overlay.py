"""Overlay: a text that lies over a screen, to be read, scrolled and closed."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.lines.view import LineView
from maverick_tui.ui.lines.wrapping import Line


class Overlay(ModalScreen[None]):
    """Title, text and a line that says what the keys do; a click beside it closes it."""

    CSS_PATH = shipped("styles") / "help.tcss"
    AUTO_FOCUS: ClassVar[str | None] = ""
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="overlay.close", show=False),
        Binding("up", "scroll_lines(-1)", "Up", id="overlay.up", show=False),
        Binding("down", "scroll_lines(1)", "Down", id="overlay.down", show=False),
        Binding("pageup", "scroll_pages(-1)", "Up a page", id="overlay.page_up", show=False),
        Binding("pagedown", "scroll_pages(1)", "Down a page", id="overlay.page_down", show=False),
        Binding("ctrl+home", "scroll_to_end(False)", "To the beginning", id="overlay.top", show=False),
        Binding("ctrl+end", "scroll_to_end(True)", "To the end", id="overlay.bottom", show=False),
    ]

    def __init__(self, title: str) -> None:
        super().__init__(classes="overlay")
        self._heading = one_line(title)

    def compose(self) -> ComposeResult:
        """Title, what a subclass adds, text, keys."""
        with Vertical(classes="overlay--box") as box:
            box.border_title = Content(f" {self._heading} ")
            yield from self.compose_above()
            yield LineView(classes="overlay--text")
            with Horizontal(classes="overlay--foot"):
                yield Static(Content(self.foot()), classes="overlay--keys", markup=False)
                yield Static(Content(f"{self.key_of('overlay.close')} close"), classes="overlay--close", markup=False)

    def compose_above(self) -> ComposeResult:
        """What stands between title and text."""
        yield from ()

    def foot(self) -> str:
        """What the keys do, besides closing."""
        return "↑↓ scroll"

    def lines(self, width: int) -> list[Line]:
        """The text for a width."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the text."""
        self.view.show(self.lines)

    @property
    def view(self) -> LineView:
        """The text."""
        return self.query_one(LineView)

    def key_of(self, binding_id: str) -> str:
        """What the key of a binding is called, remapped or not."""
        for active in self.active_bindings.values():
            if active.binding.id == binding_id:
                return self.app.get_key_display(active.binding)
        return ""

    def on_click(self, event: events.Click) -> None:
        """A click beside the box, or on the word, closes."""
        clicked = event.widget
        if clicked is self or (isinstance(clicked, Widget) and clicked.has_class("overlay--close")):
            event.stop()
            self.action_close()

    def action_close(self) -> None:
        """Back to the screen below."""
        _ = self.dismiss(None)

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll by lines."""
        self.view.go_by(lines)

    def action_scroll_pages(self, pages: int) -> None:
        """Scroll by pages."""
        self.view.go_by(pages * max(self.view.page - 1, 1))

    def action_scroll_to_end(self, is_bottom: bool) -> None:
        """To the first or the last line."""
        self.view.top = self.view.last_top if is_bottom else 0
