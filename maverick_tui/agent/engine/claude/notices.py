"""What the CLI tells beside the answer: its system messages, as events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maverick_tui.agent.record import count_of
from maverick_tui.events import kinds as ev
from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.masking.redact import beginning

_WATCHES = "Monitor"
"""The tool whose command wakes the model with each line that it prints."""
_COMPACTED = ("pre_tokens", "post_tokens")


@dataclass(frozen=True, slots=True)
class RunningTask:
    """A subagent or background task: the call that started it, and what it is called."""

    call: str
    name: str


class Notices:
    """Reads system messages; remembers which task belongs to which call, since some messages name only the task."""

    def __init__(self) -> None:
        self.tasks: dict[str, RunningTask] = {}
        self.alive: set[str] = set()
        """The ids of tasks that go on."""
        self._watches: set[str] = set()

    def called(self, call: str, tool: str) -> None:
        """A tool was called."""
        if tool == _WATCHES:
            self._watches.add(call)

    @property
    def watching(self) -> dict[str, str]:
        """What would wake the model again and again: what it is called, by the ids of these tasks."""
        going_on = ((task, self.tasks[task]) for task in sorted(self.alive) if task in self.tasks)
        return {task: about.name for task, about in going_on if about.call in self._watches}

    def task_of(self, call: str) -> str | None:
        """The id of the task that this call has started, if it goes on."""
        return next((task for task in self.alive if task in self.tasks and self.tasks[task].call == call), None)

    def read(self, kind: str, data: Mapping[str, Any], at: float) -> list[ev.Event]:
        """The events of one system message; most kinds have none."""
        if kind.startswith("task_"):
            return self._task(kind, data, at)
        if kind == "status":
            if data.get("status") == "requesting":
                return [ev.RequestStarted(at)]
            if data.get("status") == "compacting":
                return [ev.Noticed(at, "compacting", ev.COMPACTING)]
            return []
        if kind == "api_retry":
            return [_retry(data, at)]
        text = _notice(kind, data)
        if not text:
            return []
        task = self.tasks.get(str(data.get("agent_id") or ""))
        return [ev.Noticed(at, kind, beginning(text, ev.LONGEST_NOTICE), task.call if task else "")]

    def _task(self, kind: str, data: Mapping[str, Any], at: float) -> list[ev.Event]:
        task_id = str(data.get("task_id") or "")
        known = self.tasks.get(task_id)
        call = str(data.get("tool_use_id") or (known.call if known else ""))
        description = str(data.get("description") or data.get("summary") or "")
        if kind == "task_started":
            self.tasks[task_id] = RunningTask(call, str(data.get("subagent_type") or description))
        patch = data.get("patch")
        status = data.get("status") or (patch.get("status") if isinstance(patch, Mapping) else None)
        if kind in ("task_started", "task_progress"):
            status = "running"
        if status == "running":
            self.alive.add(task_id)
        elif status in ENDED_TASKS:
            self.alive.discard(task_id)
        if not call or not status:
            return []
        usage = data.get("usage")
        used = usage if isinstance(usage, Mapping) else {}
        tokens, tool_uses = count_of(used, "total_tokens"), count_of(used, "tool_uses")
        return [ev.TaskProgressed(at, call, str(status), beginning(description, ev.LONGEST_NOTICE), tokens, tool_uses)]


def _retry(data: Mapping[str, Any], at: float) -> ev.RetryScheduled:
    status = data.get("error_status")
    return ev.RetryScheduled(
        at,
        attempt=count_of(data, "attempt"),
        limit=count_of(data, "max_retries"),
        delay=float(data.get("retry_delay_ms") or 0) / 1000,
        status=status if isinstance(status, int) else None,
        reason=str(data.get("error") or ""),
    )


def _notice(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "compact_boundary":
        about = data.get("compact_metadata")
        before, after = (count_of(about, name) if isinstance(about, Mapping) else 0 for name in _COMPACTED)
        was = f": from {before:,} to {after:,} tokens" if before and after else f"; it had {before:,} tokens"
        return f"The conversation was compacted{was if before else ''}."
    if kind == "permission_denied":
        why = str(data.get("message") or data.get("decision_reason") or "")
        return f"{data.get('tool_name') or 'A tool'} was refused{f': {why}' if why else '.'}"
    if kind in ("model_fallback", "model_refusal_fallback"):
        return str(
            data.get("content") or f"Another model answers: {data.get('fallback_model') or 'its name is unknown'}."
        )
    if kind == "informational":
        return str(data.get("content") or "")
    if kind == "notification" and data.get("priority") != "low":
        return str(data.get("text") or "")
    return ""
