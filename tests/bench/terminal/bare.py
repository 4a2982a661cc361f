"""The least that a Textual application with a header, a log and a prompt can be: the floor for our start."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Input, RichLog, Static


class BareApp(App[None]):
    """Shows a frame, and what is typed."""

    CSS = "Static { height: 1; } RichLog { height: 1fr; } Input { border: none; height: 1; }"

    def compose(self) -> ComposeResult:
        """Three widgets."""
        yield Static("bare Textual", markup=False)
        yield RichLog()
        yield Input(placeholder="prompt", id="prompt")

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()


if __name__ == "__main__":
    BareApp().run()
