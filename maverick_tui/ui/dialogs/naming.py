"""NameScreen: asks what a run is to be called."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from maverick_tui.paths import shipped
from maverick_tui.ui.widgets.inert_input import InertInput


class NameScreen(ModalScreen[str | None]):
    """One line; an empty one takes the name away, and None leaves it as it was."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", id="name.leave", show=False)
    ]

    def __init__(self, name: str = "") -> None:
        super().__init__(classes="dialog")
        self._name_now = name

    def compose(self) -> ComposeResult:
        """Title, line, and what the keys do."""
        with Vertical(classes="dialog--box -small"):
            yield Static(Content("What is this run called?"), classes="dialog--title", markup=False)
            with Vertical(classes="dialog--fields"):
                yield InertInput(
                    self._name_now,
                    placeholder="its first prompt",
                    compact=True,
                    classes="field--control",
                    max_length=60,
                )
            yield Static(Content("Enter name it   Esc back"), classes="dialog--hint", markup=False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        _ = self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Leave it as it was."""
        _ = self.dismiss(None)
