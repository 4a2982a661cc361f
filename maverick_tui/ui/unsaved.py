"""Unsaved: what somebody had typed into their editor and not saved when the window went.

Editors keep that themselves, beside the file that they edit (vim `.prompt.md.swp`, nano `prompt.md.save`, emacs
`#prompt.md#`). So texts are edited in a folder of our state, which stays if there is something like that in it.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from maverick_tui import paths
from maverick_tui.folder_locks import remove_abandoned, scratch_folder

TEXT = "prompt.md"
"""The file that is edited."""
_KEPT_BY_EDITORS = re.compile(r"\.prompt\.md\.s[a-z]{2}|prompt\.md\.save(?:\.\d+)?|#prompt\.md#|DEADJOE")
"""What vim, nano, emacs and joe call what they keep."""
_TOLD = "told"
"""A file that says when somebody was last told of it."""
_DAY = 86_400.0
_KEPT_FOR = 14 * _DAY
"""Seconds after which nobody has wanted it."""


def editing_folder() -> AbstractContextManager[Path]:
    """A folder to edit a text in, which is removed at the end if the editor has left nothing there."""
    paths.make_private(_place())
    return scratch_folder("edit", _place(), keeps=_has_any)


def told_of(folder: Path) -> str:
    """What an editor has left there, and how to have it back; nothing if it has left nothing."""
    left = sorted(_left_in(folder))
    if not left:
        return ""
    if any(file.name.startswith(f".{TEXT}.sw") for file in left):
        return f"vim has kept what you had not saved: {shlex.join(['vim', '-r', str(folder / TEXT)])}"
    return f"The editor has kept what you had not saved: {shlex.join(map(str, left))}"


def left_by_editors() -> list[str]:
    """What is told of folders whose window is gone, of each once a day; what is old is removed."""
    left = [folder for folder in remove_abandoned(_place(), keeps=_is_wanted) if not _was_told_today(folder)]
    told = [f"{told_of(folder)}\nIf you do not want it: {shlex.join(['rm', '-r', str(folder)])}" for folder in left]
    for folder in left:
        (folder / _TOLD).touch()
    return told


def _was_told_today(folder: Path) -> bool:
    marker = folder / _TOLD
    return marker.exists() and marker.stat().st_mtime > time.time() - _DAY


def _place() -> Path:
    return paths.user_state() / "editing"


def _left_in(folder: Path) -> Iterator[Path]:
    """Not what vim keeps to undo what was saved, or any other file that has nothing unsaved in it."""
    return (path for path in folder.iterdir() if _KEPT_BY_EDITORS.fullmatch(path.name))


def _has_any(folder: Path) -> bool:
    return any(_left_in(folder))


def _is_wanted(folder: Path) -> bool:
    return any(path.lstat().st_mtime > time.time() - _KEPT_FOR for path in _left_in(folder))
