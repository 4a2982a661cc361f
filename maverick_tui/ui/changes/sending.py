"""SendScreen: all comments on a run's changes, before they go to the agent as one prompt."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.ui.changes.asking import MOST_ROWS, STYLES, WordsScreen
from maverick_tui.ui.changes.comments import Comments, Noted, shown
from maverick_tui.ui.changes.file_list import shown_path
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.lines import Line, RoleLooks


class SendScreen(ArmedDialog[bool]):
    """Shows them, to be changed or dropped; whether they are to be sent."""

    CSS_PATH = STYLES
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Row up", id="send.up", show=False),
        Binding("down,j", "move(1)", "Row down", id="send.down", show=False),
        Binding("enter,S", "send", "Send them", id="send.send", show=False),
        Binding("e", "edit", "Change it", id="send.edit", show=False),
        Binding("x,d,delete", "drop", "Drop it", id="send.drop", show=False),
        Binding("escape", "leave", "Back", key_display="Esc", id="send.leave", show=False),
    ]

    def __init__(self, comments: Comments, waits: str) -> None:
        """`waits` says what they wait for, if they are not read at once."""
        super().__init__(classes="dialog")
        self._comments = comments
        self._shown: list[Noted] = []
        self._waits = waits

    def compose(self) -> ComposeResult:
        """The comments, and what the keys do."""
        with RoleLooks(classes="dialog--box"):
            yield Static(Content("Send these to the agent, as one prompt?"), classes="dialog--title", markup=False)
            if self._waits:
                yield Static(Content(self._waits), classes="dialog--text", markup=False)
            yield ChoiceList(lambda _at: self.action_edit())
            keys = "Enter send   e change   x drop   Esc back"
            yield Static(Content(keys), classes="field--description", markup=False)

    def on_mount(self) -> None:
        """Show them."""
        self._show()

    def _show(self) -> None:
        rows, self._shown = self.query_one(ChoiceList), list(self._comments.items)
        found: list[tuple[Line, Line]] = []
        for noted in self._comments.items:
            comment = noted.comment
            where = f"{shown_path(comment.path)}:{comment.first}  "
            found.append(((("✎ ", "warning"), (where, "muted"), (one_line(shown(comment)), "text")), ()))
        rows.styles.height = max(1, min(len(found), MOST_ROWS))
        rows.show(found, rows.at, notice="No comment is left.")

    def action_move(self, by: int) -> None:
        """Highlight another one."""
        self.query_one(ChoiceList).move(by)

    def action_edit(self) -> None:
        """Change the highlighted one."""
        at = self.query_one(ChoiceList).at
        if at >= len(self._comments.items):
            return
        noted = self._comments.items[at]

        def change(words: str | None) -> None:
            if words is not None:
                self._comments.put(noted._replace(comment=noted.comment._replace(text=words)), at)
                self._show()

        title = f"Comment on {shown_path(noted.comment.path)}:{noted.comment.first}"
        may_be_empty = noted.comment.is_rejected
        dialog = WordsScreen(title, noted.comment.code, noted.comment.text, verb="keep", may_be_empty=may_be_empty)
        _ = self.app.push_screen(dialog, change)

    def action_drop(self) -> None:
        """Drop the highlighted one."""
        at = self.query_one(ChoiceList).at
        if at < len(self._comments.items):
            self._comments.drop(at)
            self._show()

    def action_send(self) -> None:
        """Send them all, once they have been seen: a hunk that is taken back brings its reason when that is done."""
        if self._comments.items != self._shown:
            self._show()
            self.wait_still()
            self.notify("There are others by now: look at them, then press it again.", timeout=4)
        elif self._comments.items:
            _ = self.dismiss(True)

    def action_leave(self) -> None:
        """Not yet."""
        _ = self.dismiss(False)
