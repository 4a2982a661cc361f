"""The editor that the person has told git to use."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.git.asking import read_settings

_THEIRS = ("system", "global")
_SECONDS = 2.0


def chosen_editor(folder: Path) -> str:
    """`core.editor` of the person or the machine; a repository's own is not taken, for whoever made it would run it."""
    found = read_settings(folder, seconds=_SECONDS)
    settings = found[1] if found is not None else []
    return next((one.value for one in reversed(settings) if one.key == "core.editor" and one.scope in _THEIRS), "")
