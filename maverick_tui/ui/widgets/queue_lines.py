"""QueueLines: the prompts that wait for their turn, so that nobody has to remember what was sent."""

from __future__ import annotations

from collections.abc import Mapping

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
        self._keys: Mapping[str, str] = {}
        self._shown: tuple[tuple[str, bool], ...] = ()

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Say which keys take the last one back, and drop it."""
        self._keys = keys

    def refresh_queue(self) -> None:
        """Show what waits now; it only costs something when that has changed."""
        store = self._store
        queue = tuple((text, prompt_id in store.held) for prompt_id, text in store.queue.items())
        if queue == self._shown:
            return
        self._shown = queue
        lines = [f"  {'held' if is_held else 'queued':6}  {one_line(text)}" for text, is_held in queue[-MOST:]]
        if len(queue) > MOST:
            lines.insert(0, f"  {len(queue) - MOST} more queued")
        if lines and self._keys:
            lines[-1] += f"   ({self._keys['run.edit_queued']} edits, {self._keys['run.drop_queued']} drops)"
        self.set_class(bool(lines), "-open")
        self.update(Content("\n".join(lines)))
