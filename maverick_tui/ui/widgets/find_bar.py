"""FindBar: the line in which a text to find is typed."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from maverick_tui.ui.widgets.inert_input import InertInput


class FindBar(Horizontal):
    """Made when it is first opened, not before the first frame; it finds while one types."""

    BINDING_GROUP_TITLE = "Find"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next match", id="find.next", show=False, priority=True),
        Binding("up", "step(-1)", "Match before", id="find.before", show=False, priority=True),
    ]

    class Wanted(Message):
        """This text is to be found; `step` goes on from match to match."""

        def __init__(self, needle: str, step: int = 0) -> None:
            super().__init__()
            self.needle = needle
            self.step = step

    class Left(Message):
        """The person is done with typing; the matches stay."""

    def compose(self) -> ComposeResult:
        """What it is, where one types, and how much was found."""
        yield Static("find", id="find-label")
        yield InertInput(id="find-input", compact=True)
        yield Static("", id="find-result")

    def open(self) -> None:
        """Show the line and take the focus."""
        self.add_class("-open")
        self.screen.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")
        self.query_one(Input).value = ""
        self.show_result(0, 0)

    def show_result(self, at: int, total: int) -> None:
        """Say where in the matches the view is."""
        has_text = bool(self.query_one(Input).value)
        text = f"{at} of {total}" if total else "nothing found" if has_text else ""
        self.query_one("#find-result", Static).update(Content(text))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Wanted(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Left())

    def action_step(self, direction: int) -> None:
        """To the next match, or the one before."""
        self.post_message(self.Wanted(self.query_one(Input).value, direction))
