"""ConfirmScreen: a question that is answered with yes or no."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped


class ConfirmScreen(ModalScreen[bool]):
    """Asks; the answer is no unless somebody says yes."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "#no"
    BINDINGS = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", id="confirm.no"),
        Binding("left,right,up,down", "app.focus_next", "Other answer", show=False, id="confirm.other"),
    ]

    def __init__(self, title: str, text: str, yes: str = "Yes", no: str = "No") -> None:
        super().__init__(classes="dialog")
        self._title = one_line(title)
        self._text = inert(text)
        self._yes = one_line(yes)
        self._no = one_line(no)

    def compose(self) -> ComposeResult:
        """Title, text, and two buttons."""
        with Vertical(classes="dialog--box -small"):
            yield Static(Content(self._title), classes="dialog--title", markup=False)
            yield Static(Content(self._text), classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("y", self._yes), id="yes", compact=True)
                yield Button(answer("n", self._no), id="no", compact=True)

    def action_answer(self, answer: bool) -> None:
        """Leave with this answer."""
        _ = self.dismiss(answer)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        _ = self.dismiss(event.button.id == "yes")


def answer(key: str, words: str) -> Content:
    """The label of a button: its key, and what it does."""
    return Content.assemble((key, "bold"), "  ", words)
