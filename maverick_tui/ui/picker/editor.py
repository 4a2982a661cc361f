"""Opens an agent's file in the person's own editor, at the line that matters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from maverick_tui.ui.editor import editor_command
from maverick_tui.ui.widgets.own_editor import run_editor

if TYPE_CHECKING:
    from textual.app import App

_TAKE_A_LINE = ("vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe")
"""Editors that take `+line` before the file."""


async def edit_file(app: App[Any], path: Path, line: int | None = None) -> str:
    """Edit the file while runs go on; what went wrong, or nothing. To be awaited in a worker."""
    command = editor_command()
    if not command:
        return f"Set $VISUAL or $EDITOR to the editor that you want. The file is {path}"
    place = [f"+{line}"] if line and Path(command[0]).name in _TAKE_A_LINE else []
    try:
        ended = await run_editor(app, [*command, *place, str(path)])
    except SuspendNotSupported:
        return f"This terminal cannot be handed to an editor. The file is {path}"
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}."
    return "" if ended == 0 else f"{command[0]} ended with {ended}."
