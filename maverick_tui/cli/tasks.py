"""`maverick tasks` for scripts, and `maverick mcp tasks` for any MCP client: the list of the to-do assistant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maverick_tui.cli.asking import is_anybody_there, says_yes
from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.tasks.database import SessionFactory
    from maverick_tui.tasks.store import Status

SHOWN = 50
"""Tasks that a person is shown at once."""

tasks_app = typer.Typer(help="Your to-do list, for scripts.", rich_markup_mode=None, no_args_is_help=True)
mcp_app = typer.Typer(help="Serve tools to any MCP client.", rich_markup_mode=None, no_args_is_help=True)

Words = Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words that name the task.")]


@tasks_app.command("list")
def list_tasks(
    everything: Annotated[bool, typer.Option("--all", help="Include what is done.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="Only those with this tag.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most this many; 50 by default, and all of them as JSON.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List what is open."""
    from maverick_tui.config import MaverickConfig
    from maverick_tui.tasks.local import Listed, default_url, local_user, read_list

    most = limit or (None if as_json else SHOWN)
    url = MaverickConfig.load().tasks_url or default_url()
    page = read_list(url, local_user(), everything=everything, tag=tag, limit=most)
    if page is None:
        from maverick_tui.tasks.store import TaskStore

        with _sessions() as factory:
            status: Status = "all" if everything else "open"
            found = TaskStore(factory).list(local_user(), status=status, tag=tag, limit=most)
        page = Listed([task.view() for task in found.tasks], found.total)
    tasks = page.tasks
    if as_json:
        typer.echo(json.dumps(tasks, indent=2, ensure_ascii=False))
        return
    for task in tasks:
        details = [task["priority"].lower()] if task["priority"] != "Medium" else []
        details += [f"due {task['due']}"] if task["due"] else []
        details += [f"#{tag}" for tag in task["tags"]]
        shown = f"  ({', '.join(details)})" if details else ""
        typer.echo(one_line(f"{'✓' if task['completed'] else '☐'} {task['title']}{shown}"))
    if (more := page.total - len(tasks)) > 0:
        typer.echo(f"…and {more:,} more; --limit shows them.")
    if not tasks:
        typer.echo("Your list is empty." if tag is None else "There are no such tasks in your list.")


@tasks_app.command("add")
def add(
    words: Annotated[list[str], typer.Argument(metavar="TITLE...", help="What is to be done.")],
    notes: Annotated[str, typer.Option("--notes", help="More about it.")] = "",
    priority: Annotated[str, typer.Option("--priority", help="Low, Medium or High.")] = "Medium",
    due: Annotated[str | None, typer.Option("--due", metavar="DATE", help="As 2026-12-31, today or tomorrow.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be given more than once.")] = None,
) -> None:
    """Add a task."""
    day = None if due is None else _day(due)
    given = {"title": " ".join(words), "notes": notes, "priority": priority.capitalize(), "due": day, "tags": tags}
    typer.echo(one_line(f"☐ {_call('add_task', given)['title']}"))


def _day(text: str) -> str:
    """The date that is meant, as the tools take it; anything that is not a date is left for them to judge."""
    from datetime import datetime, timedelta

    later = {"today": 0, "tomorrow": 1}.get(text.strip().lower())
    return text if later is None else (datetime.now().astimezone().date() + timedelta(days=later)).isoformat()


@tasks_app.command("done")
def done(words: Words) -> None:
    """Mark a task as done."""
    typer.echo(one_line(f"✓ {_call('complete_task', {'task': ' '.join(words)})['title']}"))


@tasks_app.command("rm")
def remove(words: Words, is_sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove a task. It asks first; without a terminal it needs --yes."""
    from maverick_tui.tasks.lookup import is_clear
    from maverick_tui.tasks.texts import did_you_mean

    asked = _answer("delete_task", {"task": " ".join(words)})["error"]
    if asked["code"] != "confirm":
        raise _error(asked)
    title = str(asked["title"])
    if is_sure and not is_clear(" ".join(words), title):
        raise MaverickError(did_you_mean(" ".join(words), title), hint="Name it by words from its title.")
    if not is_sure:
        if not is_anybody_there():
            raise MaverickError(f"There is nobody to ask whether '{title}' should be deleted.", hint="Add --yes.")
        if not says_yes(one_line(f"Delete '{title}'?")):
            raise typer.Exit(FAILED)
    # What was asked about, and nothing else: the words could mean another task by now.
    typer.echo(one_line(f"removed {_call('delete_task', {'task': title}, is_confirmed=True)['title']}"))


@mcp_app.command("tasks")
def serve_tasks() -> None:
    """Serve your to-do list over standard input and output, to Claude Code or any other MCP client."""
    import asyncio

    asyncio.run(_serve())


async def _serve() -> None:
    from mcp.server.stdio import stdio_server

    from maverick_tui.tasks.local import local_user
    from maverick_tui.tasks.server import MCPToolServer
    from maverick_tui.tasks.unread import answering_unread

    with _sessions() as factory:
        server = MCPToolServer(factory).for_user(local_user(), phrase=True)
        async with stdio_server() as (incoming, outgoing), answering_unread(incoming, outgoing) as messages:
            await server.run(messages, outgoing, server.create_initialization_options())


@contextmanager
def _sessions() -> Iterator[SessionFactory]:
    """The database that the settings name."""
    from sqlalchemy.exc import SQLAlchemyError

    from maverick_tui.config import MaverickConfig
    from maverick_tui.tasks.database import close_database, open_database, unusable
    from maverick_tui.ui.log_file import kept_log

    with kept_log():  # what went wrong in a tool is for the log, not for the terminal
        factory = open_database(MaverickConfig.load().tasks_url)
        try:
            yield factory
        except SQLAlchemyError as error:
            raise unusable(error, factory) from error
        finally:
            close_database(factory)


def _call(tool: str, arguments: dict[str, Any], *, is_confirmed: bool = False) -> dict[str, Any]:
    """What a tool has done; if it could not, that is an error in its own words."""
    found = _answer(tool, arguments, is_confirmed=is_confirmed)
    if not found["success"]:
        raise _error(found["error"])
    data: dict[str, Any] = found["data"]
    return data


def _error(told: dict[str, Any]) -> MaverickError:
    match told["code"]:
        case "invalid":
            return ConfigError(
                told["message"],
                hint="A due date is written as 2026-12-31, today or tomorrow; a priority is Low, Medium or High.",
            )
        case "ambiguous":
            return MaverickError(told["message"], hint="Name one of them; in quotes a title means that one only.")
        case "not_found":
            return MaverickError(told["message"], hint="Run maverick tasks list --all to see them.")
        case _:
            from maverick_tui.ui.log_file import log_path

            return MaverickError(told["message"], hint=f"If this goes on, look at what is written in {log_path()}.")


def _answer(tool: str, arguments: dict[str, Any], *, is_confirmed: bool = False) -> dict[str, Any]:
    """What a tool answers. It is asked without the protocol, whose library takes longer to import than all the rest."""
    import asyncio

    from maverick_tui.tasks.local import local_user
    from maverick_tui.tasks.store import TaskStore
    from maverick_tui.tasks.toolbox import Toolbox
    from maverick_tui.tasks.tools import call

    given = {name: value for name, value in arguments.items() if value is not None}
    with _sessions() as factory:
        toolbox = Toolbox(TaskStore(factory), local_user(), asks=not is_confirmed, is_confirmed=is_confirmed)
        return asyncio.run(call(toolbox, tool, given))
