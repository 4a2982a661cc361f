"""Todos: the agent's list, from whichever tools it keeps it with."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs.todos import Todo, Todos
from tests.runs.story import asked, call


def written(*items: Any) -> dict[str, Any]:
    return {"todos": list(items)}


def done(todos: Todos, tool: str, arguments: dict[str, Any], output: str = "") -> None:
    """A tool was called, and has done it."""
    todos.called("a call", tool, arguments)
    todos.finished("a call", output, has_failed=False)


def test_todo_write_replaces_the_whole_list() -> None:
    todos = Todos()
    done(todos, "TodoWrite", written({"content": "read", "status": "completed"}, {"content": "write"}))
    assert todos.items == [Todo("read", "completed"), Todo("write", "pending")]
    done(todos, "TodoWrite", written({"content": "test", "status": "in_progress"}))
    assert todos.items == [Todo("test", "in_progress")]
    done(todos, "TodoWrite", written())
    assert todos.items == []


def test_what_was_refused_changes_nothing_however_many_are() -> None:
    todos = Todos()
    done(todos, "TodoWrite", written({"content": "read"}))
    done(todos, "TaskCreate", {"subject": "write"}, "Task #1 created")
    refused = (
        ("TodoWrite", written({"content": "b"})),
        ("TodoWrite", written()),
        ("TaskUpdate", {"taskId": "1", "status": "deleted"}),
    )
    for number, (tool, arguments) in enumerate(refused):
        todos.called(str(number), tool, arguments)
    for number in range(len(refused)):
        todos.finished(str(number), "There is no such tool.", has_failed=True)
    assert todos.items == [Todo("write", "pending")]


def test_an_item_is_inert_and_one_line() -> None:
    todos = Todos()
    done(todos, "TodoWrite", written({"content": "one\ntwo \x1b[31m", "status": "pending"}))
    assert todos.items == [Todo("one two ␛[31m", "pending")]


@pytest.mark.parametrize("arguments", [{}, {"todos": "x"}, {"todos": None}, written("x", 3, None)])
def test_arguments_that_are_no_list_are_an_empty_one(arguments: dict[str, Any]) -> None:
    todos = Todos()
    done(todos, "TodoWrite", arguments)
    assert todos.items == []


def test_tasks_are_created_updated_and_deleted() -> None:
    todos = Todos()
    todos.called("a", "TaskCreate", {"subject": "read", "description": "long"})
    assert todos.items == [], "it has no id yet"
    todos.finished("a", "Task #1 created successfully: read", has_failed=False)
    done(todos, "TaskCreate", {"description": "write"}, "Task #2 created successfully: write")
    done(todos, "TaskUpdate", {"taskId": "1", "status": "in_progress"})
    done(todos, "TaskUpdate", {"taskId": "2", "subject": "write it"})
    assert todos.items == [Todo("read", "in_progress"), Todo("write it", "pending")]
    done(todos, "TaskUpdate", {"taskId": 1, "status": "completed"})
    done(todos, "TaskUpdate", {"taskId": "2", "status": "deleted"})
    assert todos.items == [Todo("read", "completed")]


def test_what_is_not_understood_changes_nothing() -> None:
    todos = Todos()
    done(todos, "TaskCreate", {"subject": "read"}, "Error: no")
    done(todos, "TaskUpdate", {"taskId": "9", "status": "completed"})
    done(todos, "Bash", {"todos": [{"content": "x"}]}, "Task #3 created")
    assert todos.items == []


def test_the_store_shows_the_agents_own_list_and_not_a_subagents() -> None:
    mine = written({"content": "mine", "status": "pending"})
    store = asked(call("TodoWrite", mine, id="t1"), ev.ToolFinished(1, "t1", "fine"), call("Agent", id="a"))
    store.apply(call("TodoWrite", written({"content": "its own"}), id="t2", parent="a"))
    store.apply(ev.ToolFinished(9, "t2", "fine"))
    store.apply(call("TaskCreate", {"subject": "its own"}, id="t3", parent="a"))
    store.apply(ev.ToolFinished(9, "t3", "Task #1 created"))
    assert store.todos.items == [Todo("mine", "pending")]


def test_a_new_conversation_has_none() -> None:
    mine = written({"content": "read", "status": "pending"})
    store = asked(call("TodoWrite", mine, id="t1"), ev.ToolFinished(1, "t1", "fine"))
    assert store.todos.items
    store.apply(ev.Noticed(3, "cleared", "A new conversation begins."))
    assert store.todos.items == []
