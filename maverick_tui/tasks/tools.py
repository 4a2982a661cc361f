"""The tools of the task list as they are described to a model, and how one is called."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from maverick_tui.executor.tools import FunctionTool, ToolContext, ToolError
from maverick_tui.tasks import texts
from maverick_tui.tasks.models import Priority
from maverick_tui.tasks.store import Status
from maverick_tui.tasks.toolbox import UNCLEAR, Answer, Toolbox, failed

Named = Annotated[str, Field(description="Words that name the task: its title, or a part of it.")]
NewTitle = Annotated[str | None, Field(description="Its new title.")]
Due = Annotated[str | None, Field(description="A date, as 2026-12-31.")]
NewDue = Annotated[str | None, Field(description="A date, as 2026-12-31; empty for none.")]
Confirmation = Annotated[
    str, Field(description="The words that confirm it, as the user has said them; empty at first.")
]


async def call(toolbox: Toolbox, name: str, arguments: Mapping[str, Any], *, with_phrase: bool = False) -> Answer:
    """What a tool answers; arguments that it does not have are left out, such as whose tasks a caller wants."""
    tool = tools(with_phrase=with_phrase).get(name)
    if tool is None:
        return failed("unknown", texts.needs(UNCLEAR), missing=UNCLEAR)
    known = {key: value for key, value in arguments.items() if key in tool.parameters["properties"]}
    try:
        found: Answer = await tool.execute(known, toolbox.context)
    except ToolError as error:
        what = _WRONG.get(_wrong_field(error), UNCLEAR)
        return failed("invalid", texts.needs(what), missing=what)
    return found


async def add_task(
    title: Annotated[str, Field(description="What is to be done.")],
    context: ToolContext,
    notes: str = "",
    priority: Priority = "Medium",
    due: Due = None,
    tags: list[str] | None = None,
) -> Answer:
    """Add a task to the list."""
    box = _box(context)
    return await box.safely(lambda: box.add(title, notes, priority, due, tags or []))


async def list_tasks(
    context: ToolContext,
    status: Literal["open", "completed", "all"] = "open",
    priority: Priority | None = None,
    tag: str | None = None,
) -> Answer:
    """List the tasks."""
    box = _box(context)
    return await box.safely(lambda: box.list(status, priority, tag))


async def complete_task(task: Named, context: ToolContext) -> Answer:
    """Mark a task as done."""
    box = _box(context)
    return await box.safely(lambda: box.named(task, box.complete))


async def update_task(
    task: Named,
    context: ToolContext,
    title: NewTitle = None,
    notes: str | None = None,
    priority: Priority | None = None,
    due: NewDue = None,
    tags: list[str] | None = None,
    completed: bool | None = None,
) -> Answer:
    """Change a task: only what is given."""
    box = _box(context)
    given: dict[str, Any] = {
        "title": title, "notes": notes, "priority": priority, "due": due, "tags": tags, "completed": completed,
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    return await box.safely(lambda: box.named(task, lambda found: box.change(found, changes)))


async def delete_task(task: Named, context: ToolContext, confirmation: Confirmation = "") -> Answer:
    """Remove a task."""
    box = _box(context)
    return await box.safely(lambda: box.delete(task, confirmation))


async def complete_all_tasks(context: ToolContext, confirmation: Confirmation = "") -> Answer:
    """Mark every open task as done."""
    box = _box(context)
    return await box.safely(lambda: box.bulk("complete", "open", confirmation))


async def delete_all_tasks(which: Status, context: ToolContext, confirmation: Confirmation = "") -> Answer:
    """Remove many tasks at once."""
    box = _box(context)
    return await box.safely(lambda: box.bulk("delete", which, confirmation))


_ASKED_FIRST = "It is asked for a confirmation first."
_CONFIRMED_HERE = "Without a confirmation it says which words confirm it."
_NAMED_WHOLE = (
    "Without a confirmation it says which words the user must confirm it with.\n\n"
    "To confirm, name the task by its whole title, as the question does."
)


@cache
def tools(*, with_phrase: bool) -> Mapping[str, FunctionTool]:
    """The tools by name; with a phrase they can be confirmed by whoever calls them."""
    made = [FunctionTool(function) for function in (add_task, list_tasks, complete_task, update_task)]
    risky = ((delete_task, _NAMED_WHOLE), (complete_all_tasks, _CONFIRMED_HERE), (delete_all_tasks, _CONFIRMED_HERE))
    for function, confirmed in risky:
        tool = FunctionTool(function, description=f"{function.__doc__} {confirmed if with_phrase else _ASKED_FIRST}")
        if not with_phrase:
            del tool.parameters["properties"]["confirmation"]
        made.append(tool)
    return {tool.name: tool for tool in made}


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
"""What the user is asked for when a model called a tool with something that it cannot accept."""


def _wrong_field(error: ToolError) -> str:
    cause = error.__cause__
    first = cause.errors()[0]["loc"] if isinstance(cause, ValidationError) else ()
    return str(first[0]) if first else ""


def _box(context: ToolContext) -> Toolbox:
    box = context.inputs["toolbox"]
    assert isinstance(box, Toolbox)
    return box
