"""The part of a run's state that is about tools: their calls, the questions before them, and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maverick_tui.inert import inert
from maverick_tui.runs.entries import Entry, ToolEntry, ToolState
from maverick_tui.runs.entry_list import EntryList
from maverick_tui.runs.own_questions import ASKS_PERSON
from maverick_tui.runs.own_questions import is_own as is_question_of_ours
from maverick_tui.runs.todos import Todos
from maverick_tui.runs.tool_text import WRITING_TOOLS

if TYPE_CHECKING:
    from maverick_tui.events import kinds as ev


class RunCalls:
    """Every call that was made, whether it runs, waits for an answer or goes on by itself in the background."""

    def __init__(self, entries: EntryList) -> None:
        self._list = entries
        self.questions: dict[str, ev.PermissionAsked] = {}
        self.todos = Todos()
        self.files: set[str] = set()
        """What its calls have written to."""
        self.running: dict[str, ToolEntry] = {}
        """Calls that the turn waits for, running or waiting; what background tasks do is not among them."""
        self.tasks: dict[str, ToolEntry] = {}
        """Calls that started a subagent or a background task, by call."""
        self.spent: dict[str, dict[str, tuple[int, float]]] = {}
        """Tokens and estimated dollars of each answer of a subagent, by the call that has started it."""
        self._calls: dict[str, ToolEntry] = {}
        self._open: dict[str, ToolEntry] = {}
        self._began: dict[str, float] = {}
        """When calls began whose message has not come yet."""
        self._asked: dict[str, float] = {}
        """Calls that somebody was asked about, whose arguments are those of the question."""

    def get(self, call: str) -> ToolEntry | None:
        """The tool call with that id."""
        return self._calls.get(call)

    def depth(self, parent: str) -> int:
        """How deep what this call does is nested."""
        entry = self._calls.get(parent)
        return entry.depth + 1 if entry else 0

    def add(self, entry: Entry) -> None:
        """Put an entry where it belongs: below the call that it is part of, or at the end."""
        self._list.add(entry, self._calls.get(entry.parent))

    # -- calls and their results --------------------------------------------------------------------------------------

    def called(self, event: ev.ToolCalled, turn: int, written: Entry | None) -> None:
        """The model calls a tool; `written` is the block in which its arguments came, if there was one."""
        entry = self._calls.get(event.call)
        if entry is None:
            entry = self._new_call(event, turn, written)
        elif event.parent != entry.parent:
            self._move(entry, event.parent)
        if event.call not in self._asked:
            entry.name, entry.arguments = event.name, event.arguments
        if not event.parent:
            self.todos.called(event.call, event.name, event.arguments)
        self._list.touch(entry)

    def _new_call(self, event: ev.ToolCalled, turn: int, entry: Entry | None) -> ToolEntry:
        if not isinstance(entry, ToolEntry) or entry.call or not entry.is_open:
            entry = ToolEntry(self._list.number(), event.at, turn, event.name, event.parent, self.depth(event.parent))
            self.add(entry)
        entry.call, entry.state, entry.at = event.call, "waiting", event.at
        self._calls[event.call] = self._open[event.call] = entry
        self._wait_for(entry)
        if (began := self._began.pop(event.call, None)) is not None:
            entry.begin(began)
        return entry

    def _wait_for(self, entry: ToolEntry) -> None:
        if not self._is_in_background(entry):
            self.running[entry.call] = entry

    def began(self, event: ev.ToolBegan) -> None:
        """The call runs."""
        entry = self._calls.get(event.call)
        if entry is None:  # the way of a call's message is longer
            self._began[event.call] = event.at
        elif entry.state == "waiting":
            entry.begin(event.at)
            self._list.touch(entry)

    def _move(self, entry: ToolEntry, parent: str) -> None:
        """It was asked about before it was known whose call it is."""
        entry.parent, entry.depth = parent, self.depth(parent)
        self._list.move(entry, self._calls.get(parent))
        if self._is_in_background(entry):
            self.running.pop(entry.call, None)

    def finished(self, event: ev.ToolFinished, *, is_interrupting: bool) -> None:
        """The tool has answered, perhaps because its turn is being stopped."""
        if (entry := self._calls.get(event.call)) is None:
            return
        entry.output, entry.detail = event.output, event.detail
        is_denied = event.is_error and entry.decision == "deny"
        is_cut = event.is_error and (is_interrupting or entry.is_stopped or entry.decision == "withdrawn")
        state: ToolState = "denied" if is_denied else "cut" if is_cut else "failed" if event.is_error else "done"
        if entry.name in ASKS_PERSON:  # what took time is the person's answer
            entry.at = self._asked.get(event.call, entry.at)
        self.end(entry, state, event.at)
        if state == "done" and isinstance(path := entry.arguments.get(WRITING_TOOLS.get(entry.name, "")), str):
            self.files.add(path)
        self.todos.finished(event.call, event.output, has_failed=event.is_error)

    def end(self, entry: ToolEntry, state: ToolState, at: float) -> None:
        """Nothing more comes of this call, or of arguments that never became one."""
        entry.state, entry.ended_at, entry.question = state, at, None
        if self._calls.get(entry.call) is entry:
            self.running.pop(entry.call, None)
            self._open.pop(entry.call, None)
            for question in [one for one in self.questions.values() if one.call == entry.call]:
                del self.questions[question.request]
        self._list.touch(entry)

    def stopping(self, event: ev.CallStopping) -> None:
        """Somebody wants this call to stop, or nobody does any more."""
        if (entry := self._calls.get(event.call)) is not None:
            entry.stop_state = event.state
            self._list.touch(entry)

    @property
    def stoppable(self) -> list[ToolEntry]:
        """Calls that run, and tasks that go on in the background: what could be stopped by itself, newest last."""
        tasks = (entry for entry in self.tasks.values() if entry.is_task_alive)
        found = {entry.call: entry for entry in (*self._open.values(), *tasks)}
        return [entry for entry in found.values() if entry.state == "running" or entry.is_task_alive]

    # -- subagents and background tasks -------------------------------------------------------------------------------

    def progressed(self, event: ev.TaskProgressed) -> None:
        """A task has come further, or to its end."""
        if (entry := self._calls.get(event.call)) is not None:
            was_alive = entry.is_task_alive
            entry.task_state, entry.task_words = event.state, event.description or entry.task_words
            entry.tokens, entry.tool_uses = event.tokens or entry.tokens, event.tool_uses or entry.tool_uses
            self.tasks[event.call] = entry
            self._list.touch(entry)
            if was_alive and not entry.is_task_alive:  # its end is told again with the news of it
                self._end_task(entry, event.at)
            if not entry.is_task_alive:
                self._cut_children(event.call, event.at)

    def reported(self, event: ev.UsageReported) -> None:
        """An answer of a subagent has used something; a later report replaces an earlier one."""
        if event.parent:
            self.spent.setdefault(event.parent, {})[event.message] = event.usage.total, event.cost_usd or 0.0

    def used_by(self, call: str) -> tuple[int, float]:
        """Tokens and estimated dollars of the subagent that this call has started, as far as they were told."""
        told = self.spent.get(call, {}).values()
        return sum(tokens for tokens, _ in told), sum(dollars for _, dollars in told)

    def _cut_children(self, call: str, at: float) -> None:
        for entry in list(self._open.values()):
            if entry.parent == call:
                self.end(entry, "cut", at)
                self._cut_children(entry.call, at)

    def cut_open(self, at: float, *, with_background: bool) -> None:
        """Nothing that is open will go on, but for background tasks, if those are spared."""
        for entry in list(self._open.values()):
            if with_background or not self._is_in_background(entry):
                self.end(entry, "cut", at)

    def stop_tasks(self, at: float) -> None:
        """No task goes on."""
        for task in self.tasks.values():
            if task.is_task_alive:
                task.task_state = "stopped"
                self._end_task(task, at)
                self._list.touch(task)

    def _end_task(self, entry: ToolEntry, at: float) -> None:
        """One that went on in the background took until now, and not only until its call returned."""
        if not entry.is_open:
            entry.ended_at = at

    def _is_in_background(self, entry: ToolEntry) -> bool:
        """Whether the call belongs to a task that was launched and goes on by itself."""
        parent, seen = entry.parent, {""}
        while parent not in seen and (owner := self._calls.get(parent)) is not None:
            if owner.is_task_alive and not owner.is_open:
                return True
            seen.add(parent)
            parent = owner.parent
        return False

    # -- permissions --------------------------------------------------------------------------------------------------

    def asked(self, event: ev.PermissionAsked, turn: int) -> None:
        """The call waits for a person."""
        self.questions[event.request] = event
        if (entry := self._calls.get(event.call)) is None:
            # A subagent's call may be asked about before its message has come.
            from maverick_tui.events.kinds import ToolCalled

            self.called(ToolCalled(event.at, event.call, event.tool, event.arguments), turn, None)
            entry = self._calls[event.call]
        # What is asked about is what will run; a hook may have changed it since the model said it.
        self._asked[event.call] = event.at
        entry.name, entry.arguments = event.tool, _with_plan(event, entry.arguments)
        entry.question, entry.state, entry.ended_at = event, "asking", None
        self._open[event.call] = entry
        self.running.pop(event.call, None)
        self._list.touch(entry)

    def settled(self, event: ev.PermissionSettled, by: str) -> None:
        """The question is answered or withdrawn, by whom if not by whoever looks."""
        self.questions.pop(event.request, None)
        if (entry := self._calls.get(event.call)) is None:
            return
        entry.question, entry.decision = None, event.decision
        entry.reason, entry.by_rule = inert(event.reason), inert(event.by_rule)
        entry.answered_by = inert(by)
        if event.arguments is not None:
            entry.arguments, entry.is_edited = event.arguments, True
        if is_question_of_ours(event.call) and event.decision in ("once", "run"):
            entry.output = entry.reason
            self.end(entry, "done", event.at)
        elif entry.state in ("asking", "waiting"):
            if event.decision in ("once", "run"):
                entry.begin(event.at)
                self._wait_for(entry)
            else:
                self.end(entry, "denied" if event.decision == "deny" else "cut", event.at)
        self._list.touch(entry)


def _with_plan(question: ev.PermissionAsked, said: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a question, with the plan: the CLI passes it on from its file, but not as the model said it."""
    if question.tool == "ExitPlanMode" and "plan" in said:
        return {"plan": said["plan"], **question.arguments}
    return question.arguments
