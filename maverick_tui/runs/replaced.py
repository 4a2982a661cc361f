"""What a call of Write would replace: told with its question, so that nobody takes it for a new file."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.bounded import read_to_end
from maverick_tui.markup.hunks import hunks_between
from maverick_tui.masking.redact import without_keys_of

MOST = 100_000
"""Bytes of a file, and characters of what comes, that are compared."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Replaced(NamedTuple):
    """In words, and as the hunks of a `structuredPatch`; both empty where nothing is lost."""

    words: str = ""
    patch: tuple[dict[str, Any], ...] = ()


def replaced_by(tool: str, arguments: Mapping[str, Any], cwd: Path, *, may_read: bool) -> Replaced:
    """What is there where a call would write. It reads a file, so in a thread; of one that is not to be read, or that
    is large or no text, its size is all that is told.
    """
    path, content = arguments.get("file_path"), arguments.get("content")
    if tool != "Write" or not isinstance(path, str) or not isinstance(content, str):
        return Replaced()
    try:
        place = cwd / Path(path).expanduser()
        about = place.stat()
        if not stat.S_ISREG(about.st_mode) or not about.st_size:
            return Replaced()
        only_size = Replaced(f"It replaces what is there: {about.st_size:,} byte{'' if about.st_size == 1 else 's'}.")
        old = _text(place) if may_read and len(content) <= MOST else None
    except (OSError, ValueError, RuntimeError):  # it is not there; or no place, no home directory
        return Replaced()
    if old is None:
        return only_size
    if old == content:
        return Replaced("It has these very lines already.")
    count = old.count("\n") + (not old.endswith("\n"))
    patch = [
        {"oldStart": hunk.old_start, "newStart": hunk.new_start, "lines": [*hunk.lines]}
        for hunk in hunks_between(old, content)
    ]
    words = f"It replaces what is there, {count:,} line{'' if count == 1 else 's'}"
    if (
        without_keys_of([old, content], patch) != patch
    ):  # masked, it would not say all that is written; nor is it stored
        return Replaced(f"{words}.")
    return Replaced(f"{words}: this is what changes.", tuple(patch))


def _text(place: Path) -> str | None:
    """What a file holds; None if that is too much, or no text."""
    try:
        with os.fdopen(os.open(place, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            text = read_to_end(file, MOST).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text
