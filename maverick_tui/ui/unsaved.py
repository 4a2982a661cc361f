"""Unsaved: what somebody had typed into their editor, and what is in no prompt, when the window went.

What was not saved editors keep themselves, beside the file that they edit (vim `.prompt.md.swp`, nano `prompt.md.save`,
emacs `#prompt.md#`). So texts are edited in a folder of our state, which stays if there is something like that in it,
or if we were killed before a text that was saved there was taken into the prompt.
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
_TAKEN = "taken"
"""A file that says which text is in the prompt, too, by its digest."""
_TOLD = "told"
"""A file that says when somebody was last told of it."""
_DAY = 86_400.0
_KEPT_FOR = 14 * _DAY
"""Seconds after which nobody has wanted it."""


def editing_folder() -> AbstractContextManager[Path]:
    """A folder to edit a text in, which is removed at the end if the editor has left nothing there."""
    paths.make_private(_place())
    return scratch_folder("edit", _place(), keeps=_has_any)


def saved_text(folder: Path) -> str | None:
    """The text that was saved there; None if there is no file that can be read, as between two steps of saving.

    Editors end the last line, and it had no end.
    """
    path = folder / TEXT
    try:
        if not path.is_file():  # a pipe would be waited for
            return None
        return path.read_text(encoding="utf-8", errors="replace").removesuffix("\n")
    except OSError:
        return None


def note_taken(folder: Path, text: str) -> None:
    """This text is elsewhere, too: it need not be kept here."""
    (folder / _TAKEN).write_text(_digest(text))


def told_of(folder: Path) -> str:
    """What is left there and nowhere else, and how to have it back; nothing if there is nothing."""
    left = sorted(_left_in(folder))
    if not left:
        return ""
    if any(file.name.startswith(f".{TEXT}.sw") for file in left):
        return f"vim has kept what you had not saved: {shlex.join(['vim', '-r', str(folder / TEXT)])}"
    if left == [folder / TEXT]:
        return f"What you had saved in your editor is not in the prompt: {shlex.join(map(str, left))}"
    return f"The editor has kept what you had not saved: {shlex.join(map(str, left))}"


def left_by_editors() -> list[str]:
    """What is told of folders whose window is gone, of each once a day; what is old is removed."""
    left = [
        folder for folder in remove_abandoned(_place(), keeps=_is_wanted, is_ours=True) if not _was_told_today(folder)
    ]
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
    """Not what vim keeps to undo what was saved, or any other file that has nothing in it that would be lost."""
    yield from (path for path in folder.iterdir() if _KEPT_BY_EDITORS.fullmatch(path.name))
    if _is_saved_here_alone(folder):
        yield folder / TEXT


def _is_saved_here_alone(folder: Path) -> bool:
    """Whether a text was saved that is in no prompt; one with a secret in it is not kept, as in drafts."""
    from maverick_tui.masking.redact import redact

    text = saved_text(folder)
    try:
        taken = (folder / _TAKEN).read_text()
    except FileNotFoundError:  # nothing was edited yet
        return False
    return text is not None and bool(text.strip()) and _digest(text) != taken and redact(text) == text


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.removesuffix("\n").encode()).hexdigest()


def _has_any(folder: Path) -> bool:
    return any(_left_in(folder))


def _is_wanted(folder: Path) -> bool:
    return any(path.lstat().st_mtime > time.time() - _KEPT_FOR for path in _left_in(folder))
