"""Todos: the agent's own list of what it is going to do, from the tools that it keeps it with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from maverick_tui.inert import one_line
from maverick_tui.runs.tool_text import todo_lines

TodoState = Literal["pending", "in_progress", "completed"]
_CREATED = re.compile(r"Task #(\w+)")


class Todo(NamedTuple):
    """One item of the list."""

    text: str
    state: TodoState


class KeptItem(NamedTuple):
    """One item of a list that an agent keeps for its user."""

    text: str
    is_done: bool
    detail: str = ""


class KeptList(NamedTuple):
    """A list that is shown beside the conversation; of `total` there are so many items here, the open ones first."""

    title: str
    items: tuple[KeptItem, ...]
    total: int

    @property
    def open_count(self) -> int:
        """How many are open: where all items are, those that are not here are too."""
        count = sum(not item.is_done for item in self.items)
        return max(count, self.total) if count == len(self.items) else count


class Todos:
    """TodoWrite replaces the whole list; TaskCreate and TaskUpdate change one item each, unless they are refused."""

    def __init__(self) -> None:
        self.items: list[Todo] = []
        self._tasks: dict[str, Todo] = {}
        self._called: dict[str, tuple[str, Mapping[str, Any]]] = {}
        """Tools, and what they were given, that have not answered yet."""

    def forget(self) -> None:
        """A new conversation has begun, in which nothing is planned yet."""
        self.items = []
        self._tasks.clear()
        self._called.clear()

    def called(self, call: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """A tool was called; it may be refused yet."""
        if tool in ("TodoWrite", "TaskCreate", "TaskUpdate"):
            self._called[call] = tool, arguments

    def finished(self, call: str, output: str, *, has_failed: bool) -> None:
        """A tool has answered: a created task has an id now."""
        tool, arguments = self._called.pop(call, ("", {}))
        if has_failed:
            return
        if tool == "TodoWrite":
            self.items = [Todo(text, _state(state)) for state, text in todo_lines(arguments)]
        elif tool == "TaskCreate" and (found := _CREATED.search(output)):
            subject = one_line(str(arguments.get("subject") or arguments.get("description") or ""))
            self._tasks[found[1]] = Todo(subject, "pending")
            self.items = list(self._tasks.values())
        elif tool == "TaskUpdate":
            self._update(str(arguments.get("taskId", "")), arguments)

    def _update(self, task: str, arguments: Mapping[str, Any]) -> None:
        todo = self._tasks.get(task)
        if todo is None:
            return
        if arguments.get("status") == "deleted":
            del self._tasks[task]
        else:
            text = one_line(str(arguments.get("subject") or todo.text))
            status = arguments.get("status")
            self._tasks[task] = Todo(text, _state(str(status)) if status else todo.state)
        self.items = list(self._tasks.values())


def _state(word: str) -> TodoState:
    return "completed" if word == "completed" else "in_progress" if word == "in_progress" else "pending"
