"""FindBar: the line in which a text to find in the transcript is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from maverick_tui.ui.widgets.inert_input import InertInput

if TYPE_CHECKING:
    from maverick_tui.ui.transcript.view import Transcript


class FindBar(Horizontal):
    """Made when it is first opened, not before the first frame; it finds while one types."""

    BINDING_GROUP_TITLE = "Find"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next match", id="find.next", show=False, priority=True),
        Binding("up", "step(-1)", "Previous match", id="find.before", show=False, priority=True),
    ]

    def __init__(self, transcript: Transcript) -> None:
        """Find in this transcript."""
        super().__init__()
        self._transcript = transcript
        self._opened_from: Widget | None = None
        """What had the focus when the person began to find something."""

    def compose(self) -> ComposeResult:
        """What it is, where one types, and how much was found."""
        yield Static("find", id="find-label")
        yield InertInput(id="find-input", compact=True)
        yield Static("", id="find-result")

    def on_mount(self) -> None:
        """Its parts are there: say in them what is found."""
        self._transcript.tell_found = self.show_result

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self.has_class("-open")

    def open(self, *, takes_focus: bool = True) -> None:
        """Show the line; what is typed next is for it, unless it leaves the focus where it is."""
        if not self.is_open:
            self._opened_from = self.screen.focused
        self.add_class("-open")
        if takes_focus:
            self.screen.set_focus(self.query_one(Input))

    def show(self, text: str, *, takes_focus: bool) -> None:
        """Open it with a text that is being looked for."""
        self.open(takes_focus=takes_focus)
        with self.prevent(Input.Changed):
            self.query_one(Input).value = text

    def close(self, otherwise: Widget) -> None:
        """Leave everything as it was before: the entries, and who has the focus; if nobody had it, `otherwise` has."""
        self.remove_class("-open")
        self.query_one(Input).value = ""
        self.show_result(0, 0)
        self._transcript.find("")
        self.screen.set_focus(self._opened_from or otherwise)

    def show_result(self, at: int, total: int) -> None:
        """Say where in the matches the view is."""
        has_text = bool(self.query_one(Input).value)
        text = f"{at} of {total}" if total else "nothing found" if has_text else ""
        self.query_one("#find-result", Static).update(Content(text))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._transcript.page.search.needle:
            self._transcript.find(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        """On to what was found; it may have been closed since."""
        event.stop()
        if self.is_open:
            self.screen.set_focus(self._transcript)

    def action_step(self, direction: int) -> None:
        """To the next match, or the one before."""
        needle = self.query_one(Input).value
        if needle != self._transcript.page.search.needle:
            self._transcript.find(needle)
        else:
            self._transcript.action_match(direction)
