"""QuestionList: the open questions of all runs, one of them highlighted; only those in view are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from maverick_tui.ui.inbox.asked import Asked, line_of
from maverick_tui.ui.keys import is_character
from maverick_tui.ui.lines import Line, ScrolledLines, Span
from maverick_tui.ui.rendering.wrap import cut, wrap_words

MARKER = "▸"


class QuestionList(ScrolledLines, can_focus=True):
    """The highlight stays on its question while others come and go; where it was stays highlighted once that is gone.

    `notice` stands in the place of rows when there are none.
    """

    BINDING_GROUP_TITLE = "Questions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Question above", id="inbox.up", show=False),
        Binding("down,j", "move(1)", "Question below", id="inbox.down", show=False),
        Binding("home", "move(-1000000)", "First question", id="inbox.first", show=False),
        Binding("end", "move(1000000)", "Last question", id="inbox.last", show=False),
    ]

    def __init__(
        self,
        moved: Callable[[Asked | None], None],
        chosen: Callable[[Asked], None],
        typed: Callable[[str], bool],
        clock: Callable[[], float],
    ) -> None:
        """`moved` hears what is highlighted, `chosen` that it was clicked twice, and `typed` takes characters."""
        super().__init__(id="questions")
        self._moved = moved
        self._chosen = chosen
        self._typed = typed
        self._clock = clock
        self.rows: Sequence[Asked] = ()
        self._at = 0
        self.begins = True
        """Whether the first row is highlighted, whichever it is: nobody has looked at another one yet."""
        self.notice = ""

    @property
    def row(self) -> Asked | None:
        """What is highlighted."""
        return self.rows[self._at] if self.rows else None

    def show(self, rows: Sequence[Asked]) -> None:
        """Show these."""
        before = self.row
        same = [at for at, row in enumerate(rows) if before is not None and row.key == before.key and not self.begins]
        self.rows, self._at = rows, same[0] if same else max(0, min(self._at, len(rows) - 1))
        self.bring_into_view(self._at, self._at)
        self.refresh()
        if self.row != before:
            self._moved(self.row)

    def choose(self, at: int) -> None:
        """Highlight another one."""
        self.begins = False
        at = max(0, min(at, len(self.rows) - 1))
        if self.rows and at != self._at:
            self._at = at
            self.bring_into_view(self._at, self._at)
            self.refresh()
            self._moved(self.row)

    def action_move(self, by: int) -> None:
        """Go by so many questions, as far as there are any."""
        self.choose(self._at + by)

    @property
    def line_count(self) -> int:
        """How many lines there are, also of what stands there instead of rows."""
        return len(self.rows) or len(wrap_words(self.notice, self.room))

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the highlight in view."""
        self.bring_into_view(self._at, self._at)

    def on_key(self, event: events.Key) -> None:
        """What is typed may be the beginning of an answer; whoever does anything means what is highlighted now."""
        self.begins = False
        if is_character(event) and event.character and self._typed(event.character):
            event.stop()
            event.prevent_default()

    def on_blur(self) -> None:
        """Somebody types for what is highlighted."""
        self.begins = False

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; the second click of two chooses it."""
        offset = event.get_content_offset(self)
        at = len(self.rows) if offset is None or self._is_bar(event) else self.top + offset.y
        if at < len(self.rows):
            event.stop()
            self.choose(at)
            if event.chain == 2:
                self._chosen(self.rows[at])

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_line(self, index: int, width: int) -> Strip:
        """One row, or what stands there when there are none."""
        if not self.rows:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        is_marked = index == self._at
        line = line_of(self.rows[index], width - 2, self._clock())
        strip = Strip(self._painted((((f"{MARKER} " if is_marked else "  "), "text"), *line), width, is_marked))
        return strip.crop_extend(0, width, self.look("highlight") if is_marked else self.look())

    def _painted(self, line: Line, width: int, is_marked: bool) -> Iterator[Segment]:
        for text, role in _fitted(line, width):
            marked = "highlight-muted" if role == "muted" else "highlight"
            yield Segment(text, self.look(marked if is_marked else role))


def _fitted(line: Line, width: int) -> Iterator[Span]:
    """The line, or as much of it as fits, with an ellipsis."""
    for text, role in line:
        if (used := cell_len(text)) > width:
            yield cut(text, width), role
            return
        yield text, role
        width -= used
