"""StatusLine: one line that always says what the run is doing, and what has arrived out of sight."""

from __future__ import annotations

import math

from rich.cells import cell_len, chop_cells, set_cell_size
from textual import events

from maverick_tui.runs.status import Tone, run_status
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.widgets.painted import Painted, row_width, spread

STEPS_A_SECOND = 2
"""How often a clock in the line moves: a phase that changes is shown at once, its seconds need not be."""

TONES: dict[Tone, str] = {
    "quiet": "muted",
    "busy": "accent",
    "good": "success",
    "attention": "warning",
    "bad": "error",
}
"""The role of each tone."""


class StatusLine(Painted):
    """On the left what the run is doing, on the right what waits: queued prompts, and lines not seen yet."""

    def __init__(self, store: RunStore) -> None:
        super().__init__()
        self._store = store
        self._now = 0.0
        self._unseen = 0
        self._is_following = True
        self._hint_from = 0
        self.interrupt_key = ""
        """The name of the key that interrupts."""
        self.changes_key = ""
        """The name of the key that shows what was changed."""

    def refresh_status(self, now: float) -> None:
        """Show what is happening now."""
        self._now = now
        if not self.display or not self.content_size:
            return
        self.paint([self._row(self.content_size.width)])

    def set_unseen(self, lines: int, is_following: bool = False) -> None:
        """Say how much of the transcript lies below what can be seen."""
        self._unseen, self._is_following = lines, is_following
        self.refresh_status(self._now)

    def fill(self) -> None:
        """The same in the room that there is now."""
        self.refresh_status(self._now)

    async def on_click(self, event: events.Click) -> None:
        """A click on the hint goes to the end."""
        event.stop()
        if not self._is_following and event.x - self.content_offset.x >= self._hint_from:
            await self.run_action("screen.follow")

    def _row(self, width: int) -> Line:
        moment = max(math.floor(self._now * STEPS_A_SECOND) / STEPS_A_SECOND, self._store.phase_since)
        glyph, word, detail, tone = run_status(
            self._store, moment, interrupt_key=self.interrupt_key, changes_key=self.changes_key
        )
        right = self._right()
        start: Line = ((f"{glyph} {word}", TONES[tone]),)
        room = width - row_width(start) - row_width(right) - (4 if right else 2)
        if room < 8 and right:  # what is happening matters more than what waits
            right, room = (), width - row_width(start) - 2
        self._hint_from = width - (cell_len(right[-1][0]) if right else 0)
        detail = cut_middle(detail, room)
        left: Line = (*start, (f"  {detail}" if detail else "", "text"))
        if row_width(left) > width:
            left = ((cut(f"{glyph} {word}", width), TONES[tone]),)
        return spread(left, right, width)

    def _right(self) -> Line:
        parts: list[tuple[str, str]] = []
        if queued := len(self._store.queue):
            held = len(self._store.held)
            words = [f"{queued - held} queued" if queued > held else "", f"{held} held" if held else ""]
            parts.append(("  ".join(filter(None, words)), "text"))
        if not self._is_following:
            lines = f"{self._unseen:,} new line{'' if self._unseen == 1 else 's'}" if self._unseen else "to the end"
            parts.append((f"{'   ' if parts else ''}▼ {lines}", "accent"))
        return tuple(parts)


def cut_middle(text: str, width: int) -> str:
    """The text, or its beginning and its end with an ellipsis between: its end is often a time."""
    if cell_len(text) <= width:
        return text
    if width < 5:
        return cut(text, width)
    tail_width = min((width - 1) // 2, 24)
    head = set_cell_size(text, width - 1 - tail_width).rstrip()
    tail = text[::-1]
    tail = chop_cells(tail, tail_width)[0][::-1].lstrip() if tail else ""
    return f"{head}…{tail}"
