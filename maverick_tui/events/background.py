"""What an agent does beside its answers: jobs that come by themselves, and tasks. Light, for those who draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maverick_tui.inert import one_line

ENDED_TASKS = frozenset({"completed", "failed", "stopped", "killed"})
"""States of subagents and background tasks that do not go on."""

COMMANDS, SUBAGENTS = ("Bash", "PowerShell"), ("Agent", "Task")
"""Tools of Claude Code whose calls it knows as tasks: it can stop them, and nothing else, by themselves."""

BY_ITSELF = "◷ scheduled"
"""How a prompt is marked that nobody has sent."""


class Behind(NamedTuple):
    """A task that goes on though its call has returned: the tool that began it, and what it is about, on one line."""

    tool: str
    about: str


def behind_words(tasks: Sequence[Behind]) -> str:
    """How much goes on: 2 commands and 1 subagent in the background; empty for nothing."""
    kinds = Counter(_kind(task.tool) for task in tasks)
    counts = [f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in sorted(kinds.items())]
    return f"{' and '.join(filter(None, (', '.join(counts[:-1]), counts[-1])))} in the background" if counts else ""


def behind_names(tasks: Sequence[Behind]) -> str:
    """What goes on: the first, and how many more."""
    more = f", and {len(tasks) - 1} more" if len(tasks) > 1 else ""
    return f"{tasks[0].about or tasks[0].tool or 'a task'}{more}" if tasks else ""


def behind_of(told: object) -> list[Behind]:
    """What a host has told of, which may be of any version."""
    tasks = told if isinstance(told, list) else []
    return [
        Behind(one_line(str(task.get("tool", ""))), one_line(str(task.get("about", ""))))
        for task in tasks
        if isinstance(task, Mapping)
    ]


def _kind(tool: str) -> str:
    return "command" if tool in COMMANDS else "subagent" if tool in SUBAGENTS else "task"


class Job(NamedTuple):
    """A prompt that will come by itself; `next_at` is only known until it has come for the first time."""

    id: str
    prompt: str
    when: str
    next_at: float | None = None

    def next_after(self, now: float) -> float | None:
        """When it comes next, if that is known."""
        return self.next_at if self.next_at is not None and self.next_at > now else None


def soonest(jobs: Sequence[Job], now: float) -> Job | None:
    """The job to be told first: the one that comes next, as far as that is known."""
    return min(jobs, key=lambda job: job.next_after(now) or float("inf"), default=None)


def job_of(data: Mapping[str, Any]) -> Job:
    """The job that an event tells of."""
    next_at = data.get("next_at")
    return Job(
        str(data.get("id") or ""),
        one_line(str(data.get("prompt") or "")),
        one_line(str(data.get("when") or "")),
        float(next_at) if isinstance(next_at, int | float) else None,
    )
