"""LeavingScreen: what is to become of agents at work that can do without us."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.short_questions import answer

Fate = Literal["leave", "interrupt", "end"]


class LeavingScreen(ModalScreen[Fate | None]):
    """Asks; Enter leaves them at work, and None is to stay."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "#leave"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "choose('leave')", "Leave at work", id="leaving.leave"),
        Binding("i", "choose('interrupt')", "Interrupt", id="leaving.interrupt"),
        Binding("e", "choose('end')", "End", id="leaving.end"),
        Binding("n,escape", "stay", "Stay", key_display="Esc", id="leaving.stay"),
        Binding("left,up", "app.focus_previous", "Answer before", show=False, id="leaving.before"),
        Binding("right,down", "app.focus_next", "Next answer", show=False, id="leaving.next"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__(classes="dialog")
        self._title = one_line(title)
        self._text = inert(text)

    def compose(self) -> ComposeResult:
        """Title, text, and what can be done."""
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content(self._title), classes="dialog--title", markup=False)
            yield Static(Content(self._text), classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("l", "Leave at work"), id="leave", compact=True)
                yield Button(answer("i", "Interrupt"), id="interrupt", compact=True)
                yield Button(answer("e", "End"), id="end", compact=True)
                yield Button(answer("Esc", "Stay"), id="stay", compact=True)

    def action_choose(self, fate: Fate) -> None:
        """Leave, with this for the agents."""
        _ = self.dismiss(fate)

    def action_stay(self) -> None:
        """Leave nothing."""
        _ = self.dismiss(None)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        fates: dict[str | None, Fate] = {"leave": "leave", "interrupt": "interrupt", "end": "end"}
        _ = self.dismiss(fates.get(event.button.id))
