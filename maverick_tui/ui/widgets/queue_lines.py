"""QueueLines: the prompts that wait for their turn, so that nobody has to remember what was sent."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.lines.wrapping import cut

MOST = 3


class QueueLines(Static):
    """One line for each waiting prompt, at most three; nothing while none waits."""

    def __init__(self, store: RunStore) -> None:
        """Show the store's queue."""
        super().__init__("", markup=False)
        self._store = store
        self.key = ""
        """What the key is called that takes the last one back."""
        self._shown: tuple[str, ...] = ()

    def refresh_queue(self) -> None:
        """Show what waits now; it only costs something when that has changed."""
        queue = tuple(self._store.queue.values())
        if queue != self._shown:
            self._shown = queue
            self.set_class(bool(queue), "-open")
            self._draw()

    def on_resize(self) -> None:
        """Another width: as much of each prompt as it has room for."""
        self._draw()

    def _draw(self) -> None:
        queue, width = self._shown, self.size.width or self.screen.size.width
        hint = f"   ({self.key} edits)" if self.key else ""
        lines = [f"  {len(queue) - MOST} more queued"] if len(queue) > MOST else []
        for number, text in enumerate(queue[-MOST:], start=max(0, len(queue) - MOST) + 1):
            last = hint if number == len(queue) else ""
            lines.append(cut(f"  queued  {one_line(text)}", max(width - cell_len(last), 1)) + last)
        self.update(Content("\n".join(lines)))
