"""Scheduling: what makes the CLI act by itself later, how that is kept within one run, and how it is known.

The CLI keeps the jobs of a session in its process. It also runs those of `.claude/scheduled_tasks.json` in the working
directory, whoever has put that file there and whatever the agent may use, and a resumed session has its jobs back
(measured).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from maverick_tui import paths
from maverick_tui.agent.tools import SCHEDULING_TOOLS, parse_tool
from maverick_tui.events.background import Job
from maverick_tui.events.kinds import LONGEST_NOTICE, Event, JobsScheduled
from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning

# What our hooks learn of the CLI, on its way to whoever listens: system messages of our own, by their subtypes.
BEGAN = "maverick_call_began"
"""The call with this `tool_use_id` runs, and nobody has to be asked."""
UNANSWERED = "maverick_call_unanswered"
"""The call of this `question` is refused, for there is nobody to ask."""
JOBS = "maverick_jobs"
"""All jobs of the session, under `jobs`."""
FIRED = "maverick_job_fired"
"""A job begins a turn with the `prompt`."""

WOKEN = "maverick_woken"
"""News of a task begins a turn with this `prompt`."""
NEWS = "<task-notification>"
"""How a prompt begins by which the CLI tells the model of a task."""
_SAYS = re.compile("<(?:summary|event)>(.*?)</(?:summary|event)>", re.DOTALL)

_OF_JOBS = (*SCHEDULING_TOOLS, "CronDelete", "CronList")
"""Those that know of jobs at all, the project's among them."""

NO_JOBS = {"CLAUDE_CODE_DISABLE_CRON": "1"}
"""The variable that keeps the CLI from running any job, its own and the project's."""

_NOTICE = re.compile(
    r"<(?:task-notification|agent-message|teammate-message|cross-session-message|remote-review|system-reminder|tick)\b"
)
"""How a prompt begins that the CLI has written itself, such as the news of a background task."""
LONGEST = 2_000
"""Characters of a prompt that are kept."""
_ONCE = "once"
_LISTED = 900
"""Characters by which a job is known again: the CLI lists no more than the first thousand."""


def schedules(allowed_tools: Iterable[str]) -> bool:
    """Whether an agent with these tools can make jobs."""
    return any(parse_tool(entry).name in SCHEDULING_TOOLS for entry in allowed_tools)


def apart_from_project(allowed_tools: Iterable[str], setting_sources: Sequence[str]) -> dict[str, str | None]:
    """Arguments for the CLI of an agent that knows of jobs: none comes from the project's file, and none goes there or
    is taken from there.

    Not where the user wants the project's settings to be read: they would not be found any more.
    """
    knows = any(parse_tool(entry).name in _OF_JOBS for entry in allowed_tools)
    if not knows or {"project", "local"} & set(setting_sources):
        return {}
    folder = paths.user_state() / "no-project"
    try:
        paths.make_private(folder)
    except OSError as error:
        raise ConfigError(
            f"The folder {folder} cannot be made, which an agent with scheduled jobs needs: {error.strerror or error}.",
            path=str(folder),
            hint="Check the permissions and the disk, or set MAVERICK_STATE_DIR to another folder.",
        ) from error
    return {"project-config-root": str(folder.absolute())}


def woken_by(news: str) -> str:
    """What has woken the agent, by the prompt that tells the model of it; empty if that does not say."""
    says = "  ".join(filter(None, map(one_line, _SAYS.findall(news))))
    return beginning(f"Woken: {says}", LONGEST_NOTICE) if says else ""


class JobWatch:
    """Learns by the CLI's own hooks what is scheduled and when a job begins; `tell` takes the kind and the data."""

    def __init__(self, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._tell = tell
        self._sent: str | None = None
        self._scheduled: frozenset[str] = frozenset()

    def sent(self, prompt: str) -> None:
        """The person has sent a prompt. It begins once; whatever begins with the same words again is a job."""
        self._sent = prompt

    @property
    def hooks(self) -> dict[Any, list[Any]]:
        """What the SDK is given."""
        from claude_agent_sdk import HookMatcher

        return {
            "UserPromptSubmit": [HookMatcher(hooks=[self._prompt_begins])],
            "Stop": [HookMatcher(hooks=[self._turn_ends])],
        }

    async def _prompt_begins(self, call: Any, _tool_use_id: str | None, _context: Any) -> Any:
        prompt = str(call.get("prompt") or "")
        if prompt == self._sent:
            self._sent = None
        elif prompt and (prompt[:_LISTED] in self._scheduled or not _NOTICE.match(prompt)):
            self._tell(FIRED, {"prompt": prompt})
        return {}

    async def _turn_ends(self, call: Any, _tool_use_id: str | None, _context: Any) -> Any:
        if isinstance(jobs := call.get("session_crons"), list):
            told = [dict(job) for job in jobs if isinstance(job, dict)]
            self._scheduled = frozenset(str(job.get("prompt") or "")[:_LISTED] for job in told)
            self._tell(JOBS, {"jobs": told})
        return {}


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
        prompt = beginning(str(arguments.get("prompt") or ""), LONGEST)
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
        ident, prompt = str(told.get("id") or ""), beginning(str(told.get("prompt") or ""), LONGEST)
        for job in self.items:
            if job.id == ident or (not job.id and job.prompt == prompt):
                return job._replace(id=ident)
        return Job(ident, prompt, str(told.get("schedule") or "") if told.get("recurring") else _ONCE)

    def _become(self, jobs: Sequence[Job], at: float) -> list[Event]:
        before, self.items = self.items, tuple(jobs)
        if self.items == before:
            return []
        return [JobsScheduled(at, tuple(job._asdict() for job in self.items))]


def _seconds(milliseconds: Any) -> float | None:
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else None
