"""JobLine: what the agent is going to do by itself, so that nobody is surprised when it does."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content
from textual.widgets import Static

from maverick_tui.events.background import BY_ITSELF, soonest
from maverick_tui.runs.store import RunStore


class JobLine(Static):
    """One line: how many jobs are scheduled, and which comes next; nothing while there are none."""

    def __init__(self, store: RunStore) -> None:
        """Show the store's jobs."""
        super().__init__("", markup=False)
        self._store = store
        self._shown = ""

    def refresh_jobs(self, now: float, key: str) -> None:
        """Show what is scheduled now, and the key that ends it; it only costs something when that has changed."""
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
        ends = f" ({key} ends {'them' if count > 1 else 'it'})"
        next_at = job.next_after(now)
        when = ", ".join(filter(None, (f"next {_moment(next_at, now)}" if next_at else "", job.when)))
        # The prompt is last: it is what is cut off where there is no room.
        return f"  {BY_ITSELF}{f' {count}' if count > 1 else ''}{ends}  {when}: {job.prompt}"


def _moment(at: float, now: float) -> str:
    try:
        then, today = (datetime.fromtimestamp(moment).astimezone() for moment in (at, now))
    except (OverflowError, ValueError, OSError):  # no calendar has it
        return "never"
    return f"{then:%H:%M}" if then.date() == today.date() else f"{then:%a %d %b %H:%M}"
