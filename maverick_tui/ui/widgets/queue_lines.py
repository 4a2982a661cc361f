"""QueueLines: the prompts that wait for their turn, so that nobody has to remember what was sent."""

from __future__ import annotations

from collections.abc import Mapping

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
        self._keys: Mapping[str, str] = {}
        self._shown: tuple[tuple[str, bool], ...] = ()

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Say which keys take the last one back, and drop it."""
        self._keys = keys

    def refresh_queue(self) -> None:
        """Show what waits now; it only costs something when that has changed."""
        store = self._store
        queue = tuple((text, prompt_id in store.held) for prompt_id, text in store.queue.items())
        if queue != self._shown:
            self._shown = queue
            self.set_class(bool(queue), "-open")
            self._draw()

    def on_resize(self) -> None:
        """Another width: as much of each prompt as it has room for."""
        self._draw()

    def _draw(self) -> None:
        queue, width = self._shown, self.size.width or self.screen.size.width
        keys = self._keys
        hint = f"   ({keys['run.edit_queued']} edits, {keys['run.drop_queued']} drops)" if keys else ""
        lines = [f"  {len(queue) - MOST} more queued"] if len(queue) > MOST else []
        for number, (text, is_held) in enumerate(queue[-MOST:], start=max(0, len(queue) - MOST) + 1):
            last = hint if number == len(queue) else ""
            line = f"  {'held' if is_held else 'queued':6}  {one_line(text)}"
            lines.append(cut(line, max(width - cell_len(last), 1)) + last)
        self.update(Content("\n".join(lines)))
