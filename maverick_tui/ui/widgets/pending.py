"""What is still to come: prompts that wait for their turn, and jobs that the agent has scheduled for itself."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from maverick_tui.events.background import BY_ITSELF, soonest
from maverick_tui.inert import one_line
from maverick_tui.runs.moments import moment
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.rendering.wrap import cut

MOST = 3
_LEAST = 30
"""Columns of a prompt that are worth more than the keys."""


class QueueLines(Static):
    """One line for each waiting prompt, at most three; nothing while none waits."""

    def __init__(self, store: RunStore) -> None:
        """Show the store's queue."""
        super().__init__("", markup=False)
        self._store = store
        self._keys: Mapping[str, str] = {}
        self._shown: tuple[tuple[str, str], ...] = ()

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Say which keys take the last one back, and drop it."""
        self._keys = keys

    def refresh_queue(self) -> None:
        """Show what waits now; it only costs something when that has changed."""
        store = self._store
        queue = tuple((text, self._state(prompt_id)) for prompt_id, text in store.queue.items())
        if queue != self._shown:
            self._shown = queue
            self.set_class(bool(queue), "-open")
            self._draw()

    def _state(self, prompt_id: str) -> str:
        is_held, is_urgent = prompt_id in self._store.held, prompt_id in self._store.urgent
        return "held" if is_held else "now" if is_urgent else "queued"

    def on_resize(self) -> None:
        """Another width: as much of each prompt as it has room for."""
        self._draw()

    def _draw(self) -> None:
        queue, width = self._shown, self.size.width or self.screen.size.width
        keys = self._keys
        edit, drop, more = (keys.get(f"run.{name}") for name in ("edit_queued", "drop_queued", "queue"))
        is_ours = self._store.looked_at is None  # what waits in another process is not ours to change
        hint = f"   ({edit} edits, {drop} drops, {more} more)" if edit and drop and more and is_ours else ""
        lines = [f"  {len(queue) - MOST} more queued"] if len(queue) > MOST else []
        for number, (text, state) in enumerate(queue[-MOST:], start=max(0, len(queue) - MOST) + 1):
            last = hint if number == len(queue) else ""
            line = f"  {state:6}  {one_line(text)}"
            room = width - cell_len(last)
            if room < min(cell_len(line), _LEAST):
                last, room = "", width
            lines.append(cut(line, max(room, 1)) + last)
        self.update(Content("\n".join(lines)))


class JobLine(Static):
    """One line: how many jobs are scheduled, and which comes next; nothing while there are none."""

    def __init__(self, store: RunStore) -> None:
        """Show the store's jobs."""
        super().__init__("", markup=False)
        self._store = store
        self._shown = ""

    def refresh_jobs(self, now: float, key: str) -> None:
        """Show what is scheduled now, and the key that ends it if there is one; what looks the same costs nothing."""
        line = self._line(now, key)
        if line == self._shown:
            return
        self._shown = line
        self.set_class(bool(line), "-open")
        self.update(Content(line))

    def _line(self, now: float, key: str) -> str:
        job = soonest(self._store.jobs, now)
        if job is None:
            return ""
        count = len(self._store.jobs)
        ends = f" ({key} ends {'them' if count > 1 else 'it'})" if key else ""
        next_at = job.next_after(now)
        when = ", ".join(filter(None, (f"next {moment(next_at, now)}" if next_at else "", job.when)))
        # The prompt is last: it is what is cut off where there is no room.
        return f"  {BY_ITSELF}{f' {count}' if count > 1 else ''}{ends}  {when}: {job.prompt}"
