"""InertInput: a line of text in which nothing that is pasted can steer the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.cut_text import cut_in
from maverick_tui.ui.keys import edit_in_turn


class InertInput(Input):
    """An input that makes what is pasted inert before it takes it, and brings back what was cut."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+y", "yank", "Bring back what was cut", show=False)]

    async def on_key(self, event: events.Key) -> None:
        """Edit in the order of the keys; whatever was cut may still be brought back."""
        cut_in(self.app).go_on()
        await edit_in_turn(self, event)

    @property
    def is_redoing(self) -> bool:
        """Whether somebody may be about to bring back what they cut."""
        return cut_in(self.app).is_awaited

    def action_yank(self) -> None:
        """Bring back what was cut."""
        self.insert_text_at_cursor(one_line(cut_in(self.app).bring_back()))

    def action_delete_left_word(self) -> None:
        """Cut to the beginning of the word."""
        self._cut(super().action_delete_left_word)

    def action_delete_left_all(self) -> None:
        """Cut all before the cursor."""
        self._cut(super().action_delete_left_all)

    def action_delete_right_word(self) -> None:
        """Cut to the end of the word."""
        self._cut(super().action_delete_right_word)

    def action_delete_right_all(self) -> None:
        """Cut all behind the cursor."""
        self._cut(super().action_delete_right_all)

    def _cut(self, delete: Callable[[], None]) -> None:
        before = self.value
        delete()
        at = self.cursor_position
        cut_in(self.app).keep(before[at : at + len(before) - len(self.value)])

    def on_paste(self, event: events.Paste) -> None:
        """Whatever way it comes, it comes through here."""
        event.text = _in_a_line(event.text)

    def action_paste(self) -> None:
        """Paste what the application itself has copied."""
        self.replace(_in_a_line(self.app.clipboard), *self.selection)


def _in_a_line(text: str) -> str:
    """All of a text of several lines: Textual would take the first one, and pass over the others without a word."""
    lines = [inert(line.expandtabs(1)) for line in text.splitlines()]
    return lines[0] if len(lines) == 1 else " ".join(filter(None, map(str.strip, lines)))
