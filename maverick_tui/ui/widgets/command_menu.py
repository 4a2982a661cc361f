"""CommandMenu: the commands that a slash in the prompt may become, each with what it does."""

from __future__ import annotations

from textual import events
from textual.message import Message

from maverick_tui.ui.lines.wrapping import Line, cut, pad
from maverick_tui.ui.widgets.command_choice import CommandChoice
from maverick_tui.ui.widgets.painted import Painted

_NAMES = 10
"""Columns of the names."""
_LEAST, _PART = 2, 3
"""It takes this part of the screen's rows, but room for this many."""


class CommandMenu(Painted):
    """Made when it is first needed; the prompt keeps the focus, and its keys move the mark."""

    class Clicked(Message):
        """The person wants the command at this place."""

        def __init__(self, at: int) -> None:
            super().__init__()
            self.at = at

    def __init__(self, choice: CommandChoice) -> None:
        """Show what there is to choose."""
        super().__init__()
        self._choice = choice
        self._first = 0

    def refresh_choice(self) -> None:
        """Show what there is to choose now; nothing if that is nothing."""
        most = max(_LEAST, self.screen.size.height // _PART)
        count = min(len(self._choice.names), most)
        self._first = min(max(self._first, self._choice.at - count + 1, 0), self._choice.at)
        self.display = count > 0
        if count and self.size.height != count:
            self.styles.height = count
        self.fill()

    def fill(self) -> None:
        """The rows from the first one in sight on, in the room that there is."""
        width = self.size.width or self.screen.size.width
        rows = list(enumerate(self._choice.rows()))[self._first :]
        self.paint([self._row(at == self._choice.at, name, about, width) for at, (name, about) in rows])

    def on_click(self, event: events.Click) -> None:
        """Take the command that was clicked."""
        event.stop()
        at = self._first + event.y
        if at < len(self._choice.names):
            self.post_message(self.Clicked(at))

    def _row(self, is_marked: bool, name: str, about: str, width: int) -> Line:
        start = f"{' ▸' if is_marked else '  '} {pad(f'/{name}', _NAMES)}"
        return ((start, "mode" if is_marked else "accent"), (cut(about, max(width - len(start) - 1, 1)), "text"))
