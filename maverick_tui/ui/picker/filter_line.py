"""FilterLine: takes what is typed, wherever the eye is, and tells how much matches."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.lines.roles import role_look
from maverick_tui.ui.lines.wrapping import cut

LONGEST = 80
PLACEHOLDER = "type to filter"


class FilterLine(Widget, can_focus=True):
    """One line of text that only grows and shrinks at its end, so that all other keys are free for the list."""

    text: reactive[str] = reactive("")
    count: reactive[str] = reactive("")

    class Changed(Message):
        """Another text is to be filtered by."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def on_key(self, event: events.Key) -> None:
        """Take a character, or take some away; everything else is for the screen."""
        if event.key in ("backspace", "ctrl+h"):
            self._change(event, self.text[:-1])
        elif event.key in ("ctrl+w", "ctrl+backspace", "alt+backspace"):
            self._change(event, self.text.rstrip().rpartition(" ")[0])
        elif event.is_printable and event.character and not self._is_a_key(event.character):
            self._change(event, inert(self.text + event.character))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text here, so that what it would do elsewhere is not promised."""
        return character is not None and character.isprintable() and not self._is_a_key(character)

    def _is_a_key(self, character: str) -> bool:
        """Whether it means something else while nothing is typed yet."""
        return not self.text and character.isspace()

    def on_paste(self, event: events.Paste) -> None:
        """Take the first line of what is pasted."""
        lines = event.text.strip().splitlines()
        event.stop()
        self.text = (self.text + one_line(lines[0] if lines else ""))[:LONGEST]

    def _change(self, event: events.Key, text: str) -> None:
        event.stop()
        event.prevent_default()
        # Fingers that know other programs type a slash to search.
        self.text = text[:LONGEST].removeprefix("/").lstrip()

    def watch_text(self, text: str) -> None:
        """Tell the screen."""
        self.post_message(self.Changed(text))

    def render_line(self, y: int) -> Strip:
        """The text, a cursor behind it, and the count at the right."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        width = self.size.width
        count = cut(self.count, max(width - 20, 0))
        # The end of a long text is what is being typed.
        shown = self.text
        while cell_len(shown) > max(width - cell_len(count) - 5, 1):
            shown = shown[1:]
        hint = "" if self.text else PLACEHOLDER
        segments = [
            Segment("/ ", role_look(self, "accent")),
            Segment(shown, role_look(self, "strong")),
            Segment(hint[:1] or " ", role_look(self, "cursor")),
            Segment(cut(hint[1:], max(width - 3 - cell_len(count), 0)), role_look(self, "muted")),
        ]
        left = width - sum(cell_len(segment.text) for segment in segments) - cell_len(count)
        segments += [Segment(" " * max(left, 0), self.rich_style), Segment(count, role_look(self, "muted"))]
        return Strip(segments).crop_extend(0, width, self.rich_style)
