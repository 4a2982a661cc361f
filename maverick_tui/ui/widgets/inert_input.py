"""InertInput: a line of text in which nothing that is pasted can steer the terminal."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from maverick_tui.inert import inert


class InertInput(Input):
    """An input that makes what is pasted inert before it takes it."""

    def on_paste(self, event: events.Paste) -> None:
        """Whatever way it comes, it comes through here."""
        event.text = _harmless(event.text)

    def action_paste(self) -> None:
        """Paste what the application itself has copied."""
        self.replace(_harmless(self.app.clipboard), *self.selection)


def _harmless(text: str) -> str:
    return inert(text.expandtabs(1))
