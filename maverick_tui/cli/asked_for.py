"""Of the forty commands the one that was asked for: to make them all takes longer than most of them run."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer


def asked_for(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
    """The same application with that command alone.

    It is the whole one where no command comes first: help, completions and suggestions need them all.
    """
    name, *rest = arguments or [""]
    commands = [command for command in app.registered_commands if name and command.name == name]
    groups = [copy.copy(group) for group in app.registered_groups if name and group.name == name]
    if not commands and not groups:
        return app
    for group in groups:
        if group.typer_instance is not None:
            group.typer_instance = asked_for(group.typer_instance, rest)
    lean = copy.copy(app)
    lean.registered_commands = commands
    lean.registered_groups = groups
    return lean
