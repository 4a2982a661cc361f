"""`maverick tasks` for scripts, and `maverick mcp tasks` for any MCP client: the list of the to-do assistant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.tasks.server import MCPToolServer

tasks_app = typer.Typer(help="Your to-do list, for scripts.", rich_markup_mode=None, no_args_is_help=True)
mcp_app = typer.Typer(help="Serve tools to any MCP client.", rich_markup_mode=None, no_args_is_help=True)

Words = Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words that name the task.")]


@tasks_app.command("list")
def list_tasks(
    everything: Annotated[bool, typer.Option("--all", help="Also what is done.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="Only those with this tag.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List what is open."""
    found = _call("list_tasks", {"status": "all" if everything else "open", "tag": tag})
    if as_json:
        typer.echo(json.dumps(found["tasks"], indent=2, ensure_ascii=False))
        return
    for task in found["tasks"]:
        details = [task["priority"].lower()] if task["priority"] != "Medium" else []
        details += [f"due {task['due']}"] if task["due"] else []
        details += [f"#{tag}" for tag in task["tags"]]
        shown = f"  ({', '.join(details)})" if details else ""
        typer.echo(one_line(f"{'✓' if task['completed'] else '☐'} {task['title']}{shown}"))
    if (more := found["total"] - len(found["tasks"])) > 0:
        typer.echo(f"…and {more:,} more; --tag shows fewer.")
    if not found["tasks"]:
        typer.echo("Your list is empty.")


@tasks_app.command("add")
def add(
    words: Annotated[list[str], typer.Argument(metavar="TITLE...", help="What is to be done.")],
    notes: Annotated[str, typer.Option("--notes", help="More about it.")] = "",
    priority: Annotated[str, typer.Option("--priority", help="Low, Medium or High.")] = "Medium",
    due: Annotated[str | None, typer.Option("--due", metavar="DATE", help="As 2026-12-31.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be given more than once.")] = None,
) -> None:
    """Add a task."""
    given = {"title": " ".join(words), "notes": notes, "priority": priority.capitalize(), "due": due, "tags": tags}
    typer.echo(one_line(f"☐ {_call('add_task', given)['title']}"))


@tasks_app.command("done")
def done(words: Words) -> None:
    """Mark a task as done."""
    typer.echo(one_line(f"✓ {_call('complete_task', {'task': ' '.join(words)})['title']}"))


@tasks_app.command("rm")
def remove(words: Words, is_sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove a task; it asks first, and without a terminal it needs --yes."""
    import sys

    arguments = {"task": " ".join(words)}
    if not is_sure:
        asked = _answer("delete_task", arguments)["error"]
        if asked["code"] != "confirm":
            raise MaverickError(asked["message"], hint="Run maverick tasks list --all to see them.")
        title = asked["message"].removeprefix("Do you really want to delete ").partition("? Reply")[0]
        if not sys.stdin.isatty():
            raise MaverickError(f"Nobody can be asked whether {title} is to be deleted.", hint="Add --yes.")
        if not typer.confirm(one_line(f"Delete {title}?")):
            raise typer.Exit(1)
    typer.echo(one_line(f"removed {_call('delete_task', arguments, asks=False)['title']}"))


@mcp_app.command("tasks")
def serve_tasks() -> None:
    """Serve your to-do list over standard input and output, to Claude Code or any other MCP client."""
    import asyncio

    asyncio.run(_serve())


async def _serve() -> None:
    from mcp.server.stdio import stdio_server

    from maverick_tui.tasks.local import local_user

    server = _server().for_user(local_user(), phrase=True)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _server() -> MCPToolServer:
    from maverick_tui.config import MaverickConfig
    from maverick_tui.tasks import MCPToolServer, open_database

    return MCPToolServer(open_database(MaverickConfig.load().tasks_url))


def _call(tool: str, arguments: dict[str, Any], *, asks: bool = True) -> dict[str, Any]:
    """What a tool has done; that it could not is an error, in its own words."""
    found = _answer(tool, arguments, asks=asks)
    if not found["success"]:
        code = found["error"]["code"]
        hint = "Run maverick tasks list --all to see them." if code in ("not_found", "ambiguous") else "Correct it."
        raise (ConfigError if code == "invalid" else MaverickError)(found["error"]["message"], hint=hint)
    data: dict[str, Any] = found["data"]
    return data


def _answer(tool: str, arguments: dict[str, Any], *, asks: bool = True) -> dict[str, Any]:
    """What a tool answers, asked as any client would ask it."""
    import asyncio

    from maverick_tui.tasks.local import local_user

    async def ask() -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        async with _server().connected(local_user(), asks=asks) as client:
            answer: dict[str, Any] = json.loads(getattr((await client.call_tool(tool, given)).content[0], "text", "{}"))
        return answer

    return asyncio.run(ask())
