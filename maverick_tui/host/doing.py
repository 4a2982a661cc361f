"""Doing: what a run does at the moment, by its events and without keeping them, for a board of many runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.events.background import ENDED_TASKS, Behind
from maverick_tui.events.kinds import Event
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact
from maverick_tui.runs.card import DOES_NOTHING, LONGEST, call_words, commands_words, failure_words, retry_words
from maverick_tui.runs.spoken import last_spoken
from maverick_tui.runs.status import AT_REST, behind
from maverick_tui.runs.todos import Todos
from maverick_tui.runs.tool_text import WRITING_TOOLS, describe

_BLOCKS = {"text": "writing", "thinking": "thinking", "tool": "calling"}
_REMEMBERED = 6_000
"""Characters of the last answer: its last line is told, and a secret that ends there may have begun long before."""


@dataclass(slots=True)
class Doing:
    """Takes the events of one run, in their order; `LiveState` knows whether it works at all."""

    since: float = 0.0
    """When what it does at the moment began."""
    _folder: str = ""
    _block: int | None = None
    _block_phase: str = ""
    _block_name: str = ""
    _text_block: int | None = None
    """The block of the last answer."""
    _text: str = ""
    _before: str = ""
    """What was said before that: it counts until that says something."""
    _calls: dict[str, ev.ToolCalled] = field(default_factory=dict)
    """Calls that were made and have not come back."""
    _writes: dict[str, str] = field(default_factory=dict)
    """What those would write to."""
    _commands: dict[str, str] = field(default_factory=dict)
    """What the person runs beside the agent."""
    _tasks: dict[str, Behind] = field(default_factory=dict)
    """Subagents and background tasks that go on, by their calls."""
    _files: set[str] = field(default_factory=set)
    _tracked: ev.SnapshotTaken | None = None
    """The last snapshot of its folder, if its changes are tracked."""
    _asked: dict[str, ev.PermissionAsked] = field(default_factory=dict)
    _todos: Todos = field(default_factory=Todos)
    _retry: ev.RetryScheduled | None = None
    _limit_until: float | None = None
    _planned_until: float | None = None
    _failure: ev.Failure | None = None
    _is_interrupting: bool = False

    def grew(self, event: ev.BlockGrew) -> None:
        """Some words more."""
        if event.block == self._text_block:
            self._text += event.text
            if len(self._text) > 2 * _REMEMBERED:
                self._text = self._text[-_REMEMBERED:].partition("\n")[2] or self._text[-_REMEMBERED:]

    def take(self, event: Event) -> None:
        """The next event, other than words."""
        before = self.phase
        self._take(event)
        if self.phase != before or isinstance(event, ev.TurnStarted | ev.TurnEnded):
            self.since = event.at

    def _take(self, event: Event) -> None:
        match event:
            case ev.AgentLoaded():
                self._folder = event.cwd
            case ev.TurnStarted():
                self._end_turn(None)
            case ev.RequestStarted():
                self._retry = None
            case ev.BlockStarted() if not event.parent:
                self._begin(event)
            case ev.BlockEnded() if event.block == self._block:
                self._block = None
            case ev.ToolCalled():
                self._call(event)
            case ev.ToolFinished():
                self._finish(event)
            case ev.TaskProgressed():
                self._progress(event)
            case ev.Connecting():
                self._tasks.clear()  # they were the CLI's, which is gone
            case ev.PermissionAsked():
                self._asked[event.request] = event
            case ev.PermissionSettled():
                self._asked.pop(event.request, None)
            case ev.RetryScheduled():
                self._retry = event
            case ev.RateLimited():
                self._limit_until = event.resets_at if event.status == "rejected" else None
            case ev.ContinuePlanned():
                self._planned_until = event.due
            case ev.ContinueCalledOff() | ev.ContinueDue():
                self._planned_until = None
            case ev.InterruptRequested():
                self._is_interrupting = True
            case ev.ConnectFailed():
                self._failure = event.failure
            case ev.Connected():
                self._failure = None
            case ev.TurnEnded():
                self._end_turn(event.failure)
            case ev.Noticed() if event.kind == "cleared":
                self._todos.forget()
            case ev.ShellStarted():
                self._commands[event.shell] = event.command
            case ev.ShellEnded():
                self._commands.pop(event.shell, None)
            case ev.RunForked():
                self._files.clear()
                self._commands.clear()
                self._tasks.clear()
            case ev.RunReopened():
                self._commands.clear()
            case ev.SnapshotTaken():
                self._tracked = event
            case ev.ChangesUntracked():
                self._tracked = None
            case ev.RunEnded():
                self._end_turn(self._failure)
                self._commands.clear()
                self._tasks.clear()

    def _begin(self, event: ev.BlockStarted) -> None:
        self._retry, self._block = None, event.block
        self._block_phase, self._block_name = _BLOCKS.get(event.kind, "writing"), event.name
        if event.kind == "text":
            self._before = self._text if self._text.strip() else self._before
            self._text_block, self._text = event.block, ""

    def _call(self, event: ev.ToolCalled) -> None:
        self._block = None if event.block == self._block else self._block
        if not event.parent:
            self._calls[event.call] = event
            self._todos.called(event.call, event.name, event.arguments)
        if (name := WRITING_TOOLS.get(event.name)) and isinstance(path := event.arguments.get(name), str):
            self._writes[event.call] = path

    def _finish(self, event: ev.ToolFinished) -> None:
        self._calls.pop(event.call, None)
        self._todos.finished(event.call, event.output, has_failed=event.is_error)
        if (path := self._writes.pop(event.call, "")) and not event.is_error:
            self._files.add(path)

    def _progress(self, event: ev.TaskProgressed) -> None:
        if event.state in ENDED_TASKS:
            self._tasks.pop(event.call, None)
        elif event.call not in self._tasks:
            call = self._calls.get(event.call)
            told = Behind("", one_line(event.description))
            self._tasks[event.call] = behind(call.name, call.arguments, self._folder) if call is not None else told

    def _end_turn(self, failure: ev.Failure | None) -> None:
        """Begin a turn, or end it: nothing of the one before is open."""
        self._calls.clear()
        self._writes.clear()
        self._block = self._retry = None
        self._is_interrupting, self._failure = False, failure

    def _words(self, tool: str, arguments: dict[str, Any]) -> str:
        return call_words(tool, arguments, self._folder)

    @property
    def phase(self) -> str:
        """What it does in a turn, as the store of a run calls it."""
        if self._is_interrupting:
            return "interrupting"
        if self._retry is not None:
            return "retrying"
        if self._block is not None:
            return self._block_phase
        return "tool" if self._calls else "sending"

    def to_json(self, phase: str) -> dict[str, Any]:
        """As a host tells it; `phase` is what the run is about."""
        doing = self.phase if phase == "working" else ""
        todos, tracked = self._todos.items, self._tracked
        return {
            "doing": doing,
            "doing_since": self.since,
            "about": redact(self._about(phase, doing))[:LONGEST],
            "commands": [redact(command)[:LONGEST] for command in self._commands.values()],
            "background": [
                {"tool": task.tool, "about": redact(task.about)[:LONGEST]}
                for task in (self._tasks.values() if phase in AT_REST else ())
            ],
            "until": self._until(phase),
            "last_line": last_spoken([redact(self._text)]) or last_spoken([redact(self._before)]),
            "steps_done": sum(todo.state == "completed" for todo in todos),
            "steps": len(todos),
            "files": tracked.files if tracked is not None else len(self._files),
            "added": tracked.added if tracked is not None else None,
            "deleted": tracked.deleted if tracked is not None else None,
        }

    def _about(self, phase: str, doing: str) -> str:
        if phase == "asks":
            return next((self._words(asked.tool, asked.arguments) for asked in self._asked.values()), "")
        if doing == "tool":
            return next(self._words(call.name, call.arguments) for call in self._calls.values())
        if doing == "calling":
            return describe(self._block_name)
        if doing == "retrying" and self._retry is not None:
            return retry_words(self._retry.attempt, self._retry.limit, self._retry.reason)
        if phase in DOES_NOTHING:
            return commands_words([*self._commands.values()])
        return failure_words(self._failure) if phase == "failed" and self._failure is not None else ""

    def _until(self, phase: str) -> float | None:
        if phase == "waits":
            return self._planned_until
        if phase == "failed":
            return self._failure.retry_at if self._failure is not None else None
        return self._limit_until
