"""Scheduling: what makes the CLI act by itself later, and how that is kept within one run.

The CLI keeps the jobs of a session in its process. It also runs those of `.claude/scheduled_tasks.json` in the working
directory, whoever has put that file there and whatever the agent may use, and a resumed session has its jobs back
(measured).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from maverick_tui import paths
from maverick_tui.agent.engine.claude.signals import FIRED, JOBS
from maverick_tui.agent.tools import parse_tool
from maverick_tui.exceptions import ConfigError

SCHEDULING_TOOLS = ("CronCreate", "ScheduleWakeup")
"""The tools that make a job."""

NO_JOBS = {"CLAUDE_CODE_DISABLE_CRON": "1"}
"""The variable that keeps the CLI from running any job, its own and the project's."""

_NOTICE = re.compile(
    r"<(?:task-notification|agent-message|teammate-message|cross-session-message|remote-review|system-reminder|tick)\b"
)
"""How a prompt begins that the CLI has written itself, such as the news of a background task."""
_LISTED = 900
"""Characters by which a job is known again: the CLI lists no more than the first thousand."""


def schedules(allowed_tools: Iterable[str]) -> bool:
    """Whether an agent with these tools can make jobs."""
    return any(parse_tool(entry).name in SCHEDULING_TOOLS for entry in allowed_tools)


def apart_from_project(allowed_tools: Iterable[str], setting_sources: Sequence[str]) -> dict[str, str | None]:
    """Arguments for the CLI of an agent that makes jobs: none comes from the project's file, none goes there.

    Not where the user wants the project's settings to be read: they would not be found any more.
    """
    if not schedules(allowed_tools) or {"project", "local"} & set(setting_sources):
        return {}
    folder = paths.user_state() / "no-project"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The folder {folder} cannot be made, which an agent with scheduled jobs needs: {error.strerror or error}.",
            path=str(folder),
            hint="Check the permissions and the disk, or set MAVERICK_STATE_DIR to another folder.",
        ) from error
    return {"project-config-root": str(folder.absolute())}


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
