"""QueueLines: the prompts that wait for their turn, so that nobody has to remember what was sent."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.runs.store import RunStore

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
        if queue == self._shown:
            return
        self._shown = queue
        lines = [f"  queued  {one_line(text)}" for text in queue[-MOST:]]
        if len(queue) > MOST:
            lines.insert(0, f"  {len(queue) - MOST} more queued")
        if lines and self.key:
            lines[-1] += f"   ({self.key} edits)"
        self.set_class(bool(lines), "-open")
        self.update(Content("\n".join(lines)))
