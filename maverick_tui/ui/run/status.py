"""StatusLines: the lines around the transcript, and when they are brought up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from maverick_tui.ui.widgets.pending import JobLine, QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.status_line import StatusLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel

STATUS_EVERY = 1 / 8
_AT_ONCE = 0.01
_URGENT = (
    "continue_called_off",
    "continue_planned",
    "interrupt_requested",
    "permission_asked",
    "permission_settled",
    "prompts_held",
    "run_named",
    "turn_started",
    "turn_ended",
    "connect_failed",
)
"""What a person waits for: it is on the screen at once."""


class StatusLines:
    """Says how a run stands, in its header, figures, queue and status line."""

    def __init__(self, run: RunModel, badge: str, clock: Callable[[], float]) -> None:
        """The status of a run; `badge` says that nothing here is real."""
        self._run = run
        self._clock = clock
        self.header = RunHeader(run.store, name=run.agent, badge=badge)
        self.panel = UsagePanel(run.store)
        self.usage = UsageLine(run.store)
        self.queue = QueueLines(run.store)
        self.line = StatusLine(run.store)
        self._jobs: JobLine | None = None

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Say what keys are called, by the ids of their bindings."""
        self.queue.set_keys(keys)
        self.line.interrupt_key, self.line.changes_key = keys["run.interrupt"], keys["run.changes"]

    def refresh(self) -> None:
        """Show how the run stands now; what looks the same costs next to nothing."""
        now, store = self._clock(), self._run.store
        self.line.refresh_status(now)
        counted_until = now if store.looked_at is None else store.looked_at
        self.panel.refresh_figures(counted_until)
        self.usage.refresh_figures(counted_until)
        self.queue.refresh_queue()
        if self._jobs is None and store.jobs:  # few agents schedule anything
            self._jobs = JobLine(store)
            _ = self.queue.screen.mount(self._jobs, before=self.queue)
        if self._jobs is not None:
            self._jobs.refresh_jobs(now, self.line.interrupt_key)
        place, total, waiting = self._run.board_position()
        self.header.set_attachment(self._run.attached, is_read_only=self._run.is_only_watched)
        self.header.refresh_header(place=place, total=total, waiting=waiting)


class StatusClock:
    """Thousands of events may come in a second: several share one refresh, and what is urgent does not wait for it."""

    def __init__(self, refresh: Callable[[], None]) -> None:
        """`refresh` is called when it is time."""
        self._refresh = refresh
        self._is_urgent = False
        self.due: asyncio.TimerHandle | None = None
        """The refresh that is to come."""

    def hear(self, event_type: str) -> None:
        """An event has been applied: refresh soon."""
        is_urgent = event_type in _URGENT
        if self.due is not None and is_urgent and not self._is_urgent:
            self.due.cancel()
            self.due = None
        if self.due is None:
            self._is_urgent = is_urgent
            delay = STATUS_EVERY if event_type == "block_grew" else _AT_ONCE
            # Not a timer of Textual's: each of them is a task.
            self.due = asyncio.get_running_loop().call_later(delay, self.refresh_now)

    def refresh_now(self) -> None:
        """Refresh, and not once more for what has come before."""
        if self.due is not None:
            self.due.cancel()
            self.due = None
        self._refresh()
