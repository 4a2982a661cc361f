"""Jobs: what the CLI is going to do by itself, from the tools that schedule it and from what the CLI tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maverick_tui.events.background import Job
from maverick_tui.events.kinds import Event, JobsScheduled

LONGEST = 2_000
"""Characters of a prompt that are kept."""


class Jobs:
    """Knows what is scheduled. Each method returns the event that tells the change, or nothing if there is none."""

    def __init__(self) -> None:
        self.items: tuple[Job, ...] = ()
        self._calls: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def called(self, call: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """A tool was called; what comes of it is told by its result."""
        if tool in ("CronCreate", "CronDelete", "ScheduleWakeup"):
            self._calls[call] = (tool, arguments)

    def finished(self, call: str, detail: Any, *, is_error: bool, at: float) -> list[Event]:
        """A tool has answered."""
        tool, arguments = self._calls.pop(call, ("", {}))
        if not tool or is_error:
            return []
        known = detail if isinstance(detail, Mapping) else {}
        prompt = str(arguments.get("prompt") or "")[:LONGEST]
        if tool == "CronDelete":
            return self._become([job for job in self.items if job.id != str(arguments.get("id"))], at)
        if tool == "CronCreate":
            words = str(known.get("humanSchedule") or arguments.get("cron") or "")
            when = words if known.get("recurring", True) else _ONCE
            made = Job(str(known.get("id") or ""), prompt, when, _seconds(known.get("nextFireAt")))
        elif arguments.get("stop"):
            return []  # which ones it has ended, the list at the end of the turn says
        else:
            made = Job("", prompt, _ONCE, _seconds(known.get("scheduledFor")))
        return self._become([*self.items, made], at)

    def listed(self, jobs: Sequence[Mapping[str, Any]], at: float) -> list[Event]:
        """The CLI tells all that is scheduled: nothing else is, and what was not known is told now."""
        return self._become([self._known(job) for job in jobs], at)

    def _known(self, told: Mapping[str, Any]) -> Job:
        """A job as it was scheduled; a wakeup has no id of its own before it is listed."""
        ident, prompt = str(told.get("id") or ""), str(told.get("prompt") or "")[:LONGEST]
        for job in self.items:
            if job.id == ident or (not job.id and job.prompt == prompt):
                return job._replace(id=ident)
        return Job(ident, prompt, str(told.get("schedule") or "") if told.get("recurring") else _ONCE)

    def _become(self, jobs: Sequence[Job], at: float) -> list[Event]:
        before, self.items = self.items, tuple(jobs)
        if self.items == before:
            return []
        return [JobsScheduled(at, tuple(job._asdict() for job in self.items))]


_ONCE = "once"


def _seconds(milliseconds: Any) -> float | None:
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else None
