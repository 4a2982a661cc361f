"""Todos: the agent's list, from whichever tools it keeps it with."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs.todos import Todo, Todos
from tests.runs.story import asked, call


def written(*items: Any) -> dict[str, Any]:
    return {"todos": list(items)}


def test_todo_write_replaces_the_whole_list() -> None:
    todos = Todos()
    todos.called("a", "TodoWrite", written({"content": "read", "status": "completed"}, {"content": "write"}))
    assert todos.items == [Todo("read", "completed"), Todo("write", "pending")]
    todos.called("b", "TodoWrite", written({"content": "test", "status": "in_progress"}))
    assert todos.items == [Todo("test", "in_progress")]
    todos.called("c", "TodoWrite", written())
    assert todos.items == []


def test_a_list_that_was_refused_is_none() -> None:
    todos = Todos()
    todos.called("a", "TodoWrite", written({"content": "read"}))
    todos.finished("a", "fine")
    for _ in range(2):  # the call is told again when its whole message has come
        todos.called("b", "TodoWrite", written({"content": "write"}))
    todos.finished("b", "There is no such tool.", has_failed=True)
    assert todos.items == [Todo("read", "pending")]


def test_an_item_is_inert_and_one_line() -> None:
    todos = Todos()
    todos.called("a", "TodoWrite", written({"content": "one\ntwo \x1b[31m", "status": "pending"}))
    assert todos.items == [Todo("one two ␛[31m", "pending")]


@pytest.mark.parametrize("arguments", [{}, {"todos": "x"}, {"todos": None}, written("x", 3, None)])
def test_arguments_that_are_no_list_are_an_empty_one(arguments: dict[str, Any]) -> None:
    todos = Todos()
    todos.called("a", "TodoWrite", arguments)
    assert todos.items == []


def test_tasks_are_created_updated_and_deleted() -> None:
    todos = Todos()
    todos.called("a", "TaskCreate", {"subject": "read", "description": "long"})
    assert todos.items == [], "it has no id yet"
    todos.finished("a", "Task #1 created successfully: read")
    todos.called("b", "TaskCreate", {"description": "write"})
    todos.finished("b", "Task #2 created successfully: write")
    todos.called("c", "TaskUpdate", {"taskId": "1", "status": "in_progress"})
    todos.called("d", "TaskUpdate", {"taskId": "2", "subject": "write it"})
    assert todos.items == [Todo("read", "in_progress"), Todo("write it", "pending")]
    todos.called("e", "TaskUpdate", {"taskId": 1, "status": "completed"})
    todos.called("f", "TaskUpdate", {"taskId": "2", "status": "deleted"})
    assert todos.items == [Todo("read", "completed")]


def test_what_is_not_understood_changes_nothing() -> None:
    todos = Todos()
    todos.called("a", "TaskCreate", {"subject": "read"})
    todos.finished("a", "Error: no")
    todos.called("b", "TaskUpdate", {"taskId": "9", "status": "completed"})
    todos.called("c", "Bash", {"todos": [{"content": "x"}]})
    todos.finished("c", "Task #3 created")
    assert todos.items == []


def test_the_store_shows_the_agents_own_list_and_not_a_subagents() -> None:
    mine = written({"content": "mine", "status": "pending"})
    store = asked(call("TodoWrite", mine, id="t1"), call("Agent", id="a"))
    store.apply(call("TodoWrite", written({"content": "its own"}), id="t2", parent="a"))
    store.apply(call("TaskCreate", {"subject": "its own"}, id="t3", parent="a"))
    store.apply(ev.ToolFinished(9, "t3", "Task #1 created"))
    assert store.todos.items == [Todo("mine", "pending")]


def test_a_new_conversation_has_none() -> None:
    store = asked(call("TodoWrite", written({"content": "read", "status": "pending"})))
    assert store.todos.items
    store.apply(ev.Noticed(3, "cleared", "A new conversation begins."))
    assert store.todos.items == []
