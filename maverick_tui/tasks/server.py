"""MCPToolServer: the tools of the task list, as a real MCP server, which knows whose list it is."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.threads import in_thread
from maverick_tui.executor.tools import FunctionTool, ToolContext, ToolError
from maverick_tui.inert import one_line
from maverick_tui.tasks import texts
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.lookup import MOST, Candidate
from maverick_tui.tasks.models import Task
from maverick_tui.tasks.store import Status, TaskStore, WrongInput

if TYPE_CHECKING:
    from mcp import Client, types
    from mcp.server import Server

log = logging.getLogger(__name__)

NAME = "tasks"
UNCLEAR = "what you would like to do"
"""What is missing where a call makes no sense at all."""
INSTRUCTIONS = "A to-do list. Tasks are named by words of their title; the user's own words will do."

Named = Annotated[str, Field(description="Words that name the task: its title, or a part of it.")]
Confirmation = Annotated[
    str, Field(description="The words that confirm it, as the user has said them; empty at first.")
]
Answer = dict[str, Any]

BULK_PHRASES: dict[tuple[str, Status], str] = {
    ("complete", "open"): "yes complete all",
    ("delete", "all"): "yes delete all",
    ("delete", "completed"): "yes delete completed",
    ("delete", "open"): "yes delete open",
}
"""What must be said before many tasks are changed at once."""


class MCPToolServer:
    """Makes a server for each user, whose tools work on that user's tasks alone."""

    def __init__(self, session_factory: SessionFactory) -> None:
        self.store = TaskStore(session_factory)

    def for_user(
        self, user_id: str, *, asks: bool = True, phrase: bool = False, is_confirmed: bool = False
    ) -> Server[Any]:
        """A server whose every tool works on this user's tasks, and on nobody else's.

        It `asks` before it deletes. With `phrase` a client may confirm by itself, with the words that it was told: for
        clients that have a person and no history of ours. One that `is_confirmed` does what a question was asked about:
        it asks no more, and takes a task by its whole title only.
        """
        from mcp.server import Server

        if not isinstance(user_id, str) or not user_id:
            raise ConfigError("A task server needs a user.", hint="Say whose tasks are meant.")
        tools = _Tools(self.store, user_id, asks=asks and not is_confirmed, is_confirmed=is_confirmed)
        server: Server[Any] = Server(NAME, instructions=INSTRUCTIONS, **_handlers(tools, phrase))
        return server

    @asynccontextmanager
    async def connected(self, user_id: str, *, asks: bool = True, is_confirmed: bool = False) -> AsyncIterator[Client]:
        """A client of such a server, in memory."""
        from mcp import Client

        async with Client(self.for_user(user_id, asks=asks, is_confirmed=is_confirmed)) as client:
            yield client


class _Tools:
    """The tools of one user."""

    def __init__(self, store: TaskStore, user_id: str, *, asks: bool, is_confirmed: bool) -> None:
        self._store = store
        self._user_id = user_id
        self._asks = asks
        self._is_confirmed = is_confirmed

    def functions(self, *, with_phrase: bool) -> list[Callable[..., Any]]:
        """The functions that a server offers; their signatures and docstrings are what a model is told."""
        add, change = self._add, self._change

        async def add_task(
            title: Annotated[str, Field(description="What is to be done.")],
            notes: str = "",
            priority: Literal["Low", "Medium", "High"] = "Medium",
            due: Annotated[str | None, Field(description="A date, as 2026-12-31.")] = None,
            tags: list[str] | None = None,
        ) -> Answer:
            """Add a task to the list."""
            return await self._safely(lambda: add(title, notes, priority, due, tags or []))

        async def list_tasks(
            status: Literal["open", "completed", "all"] = "open",
            priority: Literal["Low", "Medium", "High"] | None = None,
            tag: str | None = None,
        ) -> Answer:
            """List the tasks."""
            return await self._safely(lambda: self._list(status, priority, tag))

        async def complete_task(task: Named) -> Answer:
            """Mark a task as done."""
            return await self._safely(lambda: self._named(task, self._complete))

        async def update_task(
            task: Named,
            title: Annotated[str | None, Field(description="Its new title.")] = None,
            notes: str | None = None,
            priority: Literal["Low", "Medium", "High"] | None = None,
            due: Annotated[str | None, Field(description="A date, as 2026-12-31; empty for none.")] = None,
            tags: list[str] | None = None,
            completed: bool | None = None,
        ) -> Answer:
            """Change a task: only what is given."""
            given: dict[str, Any] = {"title": title, "notes": notes, "priority": priority, "due": due, "tags": tags}
            given["completed"] = completed
            changes = {name: value for name, value in given.items() if value is not None}
            return await self._safely(lambda: self._named(task, lambda found: change(found, changes)))

        async def delete_task(task: Named) -> Answer:
            """Remove a task. It is asked for a confirmation first."""
            delete = self._delete_titled if self._is_confirmed else self._delete_named
            return await self._safely(lambda: delete(task))

        async def complete_all_tasks() -> Answer:
            """Mark every open task as done. It is asked for a confirmation first."""
            return await self._safely(lambda: self._bulk("complete", "open"))

        async def delete_all_tasks(which: Literal["completed", "open", "all"]) -> Answer:
            """Remove many tasks at once. It is asked for a confirmation first."""
            return await self._safely(lambda: self._bulk("delete", which))

        plain: list[Callable[..., Any]] = [add_task, list_tasks, complete_task, update_task]
        if not with_phrase:
            return [*plain, delete_task, complete_all_tasks, delete_all_tasks]
        return [*plain, *self._with_phrase()]

    def _with_phrase(self) -> list[Callable[..., Any]]:
        """The same for a client that confirms by itself, after its user has said so."""

        async def delete_task(task: Named, confirmation: Confirmation = "") -> Answer:
            """Remove a task. Without a confirmation it says which words the user must confirm it with.

            To confirm, name the task by its whole title, as the question does.
            """
            delete = self._delete_titled if _is(confirmation, texts.DELETE_PHRASE) else self._delete_named
            return await self._safely(lambda: delete(task))

        async def complete_all_tasks(confirmation: Confirmation = "") -> Answer:
            """Mark every open task as done. Without a confirmation it says which words confirm it."""
            return await self._safely(lambda: self._bulk("complete", "open", str(confirmation)))

        async def delete_all_tasks(
            which: Literal["completed", "open", "all"],
            confirmation: Confirmation = "",
        ) -> Answer:
            """Remove many tasks at once. Without a confirmation it says which words confirm it."""
            return await self._safely(lambda: self._bulk("delete", which, str(confirmation)))

        return [delete_task, complete_all_tasks, delete_all_tasks]

    # -- what they do -------------------------------------------------------------------------------------------------

    async def _safely(self, work: Callable[[], Answer]) -> Answer:
        """The answer of a tool, whatever happens; the database is asked in a thread."""
        try:
            return await in_thread(work)
        except WrongInput as error:
            return failed("invalid", texts.needs(error.what), missing=error.what)
        except Exception:  # what it was is for the log; the user is told that it did not work
            log.exception("A tool of the task list failed")
            return failed("system", texts.SYSTEM_ERROR)

    def _add(self, title: str, notes: str, priority: str, due: str | None, tags: list[str]) -> Answer:
        task = self._store.add(self._user_id, title, notes=notes, priority=priority, due=due, tags=tags)
        return done(task)

    def _list(self, status: Status, priority: str | None, tag: str | None) -> Answer:
        page = self._store.list(self._user_id, status=status, priority=priority, tag=tag)
        return {"success": True, "data": {"tasks": [task.view() for task in page.tasks], "total": page.total}}

    def _named(self, words: str, act: Callable[[Candidate], Answer]) -> Answer:
        """Do something with the task that is meant, or ask which one it is."""
        words = one_line(words)
        if not words:
            return failed("invalid", texts.needs("the task"), missing="the task")
        found = self._store.find(self._user_id, words)
        if not found:
            return failed("not_found", texts.not_found(words), query=words)
        if len(found) > 1:
            options = [candidate.title for candidate in found][:MOST]
            return failed("ambiguous", texts.ambiguous(words, options), query=words, options=options)
        return act(found[0])

    def _complete(self, found: Candidate) -> Answer:
        return _or_gone(self._store.complete(self._user_id, found.id), found)

    def _change(self, found: Candidate, changes: Mapping[str, Any]) -> Answer:
        if not changes:
            return failed("invalid", texts.needs("what to change"), missing="what to change")
        return _or_gone(self._store.update(self._user_id, found.id, **changes), found, before=found.title)

    def _delete_named(self, words: str) -> Answer:
        return self._named(words, self._ask_to_delete if self._asks else self._delete)

    def _delete_titled(self, title: str) -> Answer:
        """Delete what was asked about: the task of that very title, and nothing that is only like it."""
        found = self._store.titled(self._user_id, title)
        return self._delete(found) if found else failed("not_found", texts.not_found(title), query=title)

    def _ask_to_delete(self, found: Candidate) -> Answer:
        return failed("confirm", texts.confirm_delete(found.title), phrase=texts.DELETE_PHRASE)

    def _delete(self, found: Candidate) -> Answer:
        return _or_gone(self._store.delete(self._user_id, found.id), found)

    def _bulk(self, action: str, status: Status, confirmation: str = "") -> Answer:
        phrase = BULK_PHRASES[action, status]
        if self._asks and not _is(confirmation, phrase) and self._store.count(self._user_id, status):
            return failed("confirm", texts.confirm_bulk(phrase), phrase=phrase)
        if action == "complete":
            count = self._store.complete_all(self._user_id)
        else:
            count = self._store.delete_all(self._user_id, status)
        return {"success": True, "data": {"count": count}}


def _handlers(tools: _Tools, with_phrase: bool) -> dict[str, Any]:
    """What a server does when it is asked for its tools, and when one is called.

    Not `MCPServer`: that takes the logging of the whole program over, which is the terminal's.
    """
    from mcp import types

    by_name = {function.__name__: FunctionTool(function) for function in tools.functions(with_phrase=with_phrase)}

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in by_name.values()])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            found = failed("unknown", texts.needs(UNCLEAR), missing=UNCLEAR)
        else:
            known = {
                name: value for name, value in (params.arguments or {}).items() if name in tool.parameters["properties"]
            }
            try:
                found = await tool.execute(known, ToolContext())
            except ToolError as error:
                what = _WRONG.get(_wrong_field(error), UNCLEAR)
                found = failed("invalid", texts.needs(what), missing=what)
        text = types.TextContent(type="text", text=json.dumps(found, ensure_ascii=False))
        return types.CallToolResult(content=[text], is_error=False)

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


_WRONG = {
    "title": "the title",
    "task": "the task",
    "notes": "the notes",
    "priority": "the priority",
    "due": "the due date",
    "tags": "the tags",
    "which": "which tasks",
    "status": "which tasks",
}
"""What the user is asked for when a model has called a tool with something that it cannot take."""


def _wrong_field(error: ToolError) -> str:
    cause = error.__cause__
    first = cause.errors()[0]["loc"] if isinstance(cause, ValidationError) else ()
    return str(first[0]) if first else ""


def _listed(tool: FunctionTool) -> types.Tool:
    from mcp import types

    hints = types.ToolAnnotations(
        read_only_hint=tool.name == "list_tasks",
        destructive_hint=tool.name.startswith("delete"),
        idempotent_hint=tool.name != "add_task",
        open_world_hint=False,
    )
    # Whatever else a model sends along, whose tasks it wants for one, is left out and not complained about.
    schema = {**tool.parameters, "additionalProperties": True}
    return types.Tool(name=tool.name, description=tool.description, input_schema=schema, annotations=hints)


def _is(said: object, phrase: str) -> bool:
    return isinstance(said, str) and said.strip().lower() == phrase


def done(task: Task, **more: Any) -> Answer:
    """What a tool answers when it has worked."""
    return {"success": True, "data": {**task.view(), **more}}


def _or_gone(task: Task | None, found: Candidate, **more: Any) -> Answer:
    """Somebody else may have removed it in the meantime."""
    if task is None:
        return failed("not_found", texts.not_found(found.title), query=found.title)
    return done(task, **more)


def failed(code: str, message: str, **details: Any) -> Answer:
    """What a tool answers when it has not; `message` is what the user is to be told."""
    return {"success": False, "error": {"code": code, "message": message, **details}}
