"""Programs that are stand-ins of a version manager: which one they run, files of the folder say (`.tool-versions`)."""

from __future__ import annotations

import os
from pathlib import PurePath

_USUAL = tuple(f"~/{place}/shims" for place in (".asdf", ".local/share/mise", ".nodenv", ".pyenv", ".rbenv"))


def is_shim(program: str) -> bool:
    """Whether a program may be one. The shell of an agent may have more on its PATH than we, so usual places count."""
    folders = [place for place in os.environ.get("PATH", "").split(os.pathsep) if PurePath(place).name == "shims"]
    folders += map(os.path.expanduser, _USUAL)
    path = PurePath(program)
    if path.name != program:
        return str(path.parent) in folders
    return any(os.path.lexists(PurePath(folder, program)) for folder in folders)
