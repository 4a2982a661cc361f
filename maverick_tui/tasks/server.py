"""MCPToolServer: the tools of the task list, as a real MCP server, which knows whose list it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from maverick_tui import __version__
from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.tools import FunctionTool
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.store import TaskStore
from maverick_tui.tasks.toolbox import Toolbox, without_ids
from maverick_tui.tasks.tools import call, tools

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import Server

NAME = "tasks"
INSTRUCTIONS = "A to-do list. Tasks are named by words of their title; the user's own words will do."


class MCPToolServer:
    """Makes a server for each user, whose tools only work on that user's tasks."""

    def __init__(self, session_factory: SessionFactory) -> None:
        self.store = TaskStore(session_factory)

    def for_user(
        self,
        user_id: str,
        *,
        asks: bool = True,
        phrase: bool = False,
        is_confirmed: bool = False,
        most_changes: int | None = None,
        asked: Mapping[str, int | None] | None = None,
    ) -> Server[Any]:
        """A server whose every tool works on this user's tasks, and on nobody else's.

        It `asks` before it deletes, and before it changes more than `most_changes` tasks one by one. With `phrase` a
        client may confirm by itself, with the words that it was told before: for clients that have a person and no
        history of ours, so they are told no ids. One that `is_confirmed` does what a question was asked about: it asks
        no more, and takes a task by the name that the question gave it only. `asked` are those names, also of a
        question which task is meant, with the ids of the tasks where they are known.
        """
        from mcp.server import Server

        if not isinstance(user_id, str) or not user_id:
            raise ConfigError("A task server needs a user.", hint="Say whose tasks are meant.")
        toolbox = Toolbox(
            self.store,
            user_id,
            asks=asks and not is_confirmed,
            is_confirmed=is_confirmed,
            most_changes=most_changes,
            asked=asked,
            keeps_offers=phrase,
        )
        handlers = _handlers(toolbox, phrase)
        server: Server[Any] = Server(NAME, version=__version__, instructions=INSTRUCTIONS, **handlers)
        return server


def _handlers(toolbox: Toolbox, with_phrase: bool) -> dict[str, Any]:
    """What a server does when it is asked for its tools, and when one is called.

    Not `MCPServer`: that takes over the logging of the whole program, and writes it to the terminal.
    """
    from mcp import types

    by_name = tools(with_phrase=with_phrase)

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in by_name.values()])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        found = await call(toolbox, params.name, params.arguments or {}, with_phrase=with_phrase)
        told = without_ids(found) if with_phrase else found
        text = types.TextContent(type="text", text=json.dumps(told, ensure_ascii=False))
        # A question is an answer like any other; only what could not be done at all is an error.
        is_error = not found["success"] and found["error"]["code"] != "confirm"
        return types.CallToolResult(content=[text], is_error=is_error)

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


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
