"""Short questions: yes or no, and one line such as what a run is to be called."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.widgets.inert_input import InertInput


class ConfirmScreen(ReadDialog[bool]):
    """Asks; the answer is no unless somebody says yes, once all of it has been on the screen."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "#no"
    BOX: ClassVar[str] = "-small"
    """How wide it is: see `dialogs.tcss`."""
    BINDINGS = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", id="confirm.no"),
        Binding("left,right,up,down", "app.focus_next", "Other answer", show=False, id="confirm.other"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="confirm.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="confirm.page_down"),
    ]

    def __init__(self, title: str, text: str, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self._title = one_line(title)
        self._text = inert(text)
        self._yes = one_line(yes)
        self._no = one_line(no)

    def compose(self) -> ComposeResult:
        """Title, text, and two buttons."""
        with Vertical(classes=f"dialog--box {self.BOX}"):
            yield Static(Content(self._title), classes="dialog--title", markup=False)
            yield Static(Content(self._text), classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("y", self._yes), id="yes", compact=True)
                yield Button(answer("n", self._no), id="no", compact=True)

    def retell(self, title: str, text: str) -> None:
        """Ask with these words from now on."""
        if (told := (one_line(title), inert(text))) == (self._title, self._text):
            return
        self._title, self._text = told
        if self.is_mounted:
            self.ask_anew(title, text)

    def action_answer(self, answer: bool) -> None:
        """Leave with this answer; a yes has to wait until everything that it is about has been seen."""
        if not answer or not self.show_unread():
            _ = self.dismiss(answer)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_answer(event.button.id == "yes")


def answer(key: str, words: str) -> Content:
    """The label of a button: its key, and what it does."""
    return Content.assemble((key, "bold"), "  ", words)


class NameScreen(Dialog[str | None]):
    """One line; an empty one takes the name away, and None leaves it as it was."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", id="name.leave", show=False)
    ]

    def __init__(
        self,
        name: str = "",
        *,
        title: str = "What is this run called?",
        placeholder: str = "its first prompt",
        verb: str = "name it",
        longest: int = 60,
    ) -> None:
        """With another title it asks for something else."""
        super().__init__(classes="dialog")
        self._name_now = name
        self._asked, self._placeholder, self._verb = title, placeholder, verb
        self._longest = longest

    def compose(self) -> ComposeResult:
        """Title, line, and what the keys do."""
        with Vertical(classes="dialog--box -small"):
            yield Static(Content(self._asked), classes="dialog--title", markup=False)
            with Vertical(classes="dialog--fields"):
                yield InertInput(
                    self._name_now,
                    placeholder=self._placeholder,
                    compact=True,
                    classes="field--control",
                    max_length=self._longest,
                )
            yield Static(Content(f"Enter {self._verb}   Esc back"), classes="dialog--hint", markup=False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        _ = self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Leave it as it was."""
        _ = self.dismiss(None)
