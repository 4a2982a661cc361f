"""Reads the files of sessions, which may be anything: no more than needed, and nothing that has no end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from maverick_tui.journal.claude_sessions import is_own_file

LARGEST = 64 * 1024 * 1024
"""Bytes of a session that are read; of a longer one its end."""
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line that is read; a longer one is passed over."""
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_LINKED = b'"uuid":'
"""In every entry that may belong to a conversation; the others, which are the larger part, need not be understood."""
_TITLES = (b'{"type":"custom-title"', b'{"type":"ai-title"')


def open_session(path: Path) -> IO[bytes]:
    """The file, if it is one: it may have become something else since it was listed. OSError if it is not."""
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    if not is_own_file(os.fstat(file.fileno())):
        file.close()
        raise PermissionError(f"{path} is not a file of this user")
    return file


class Stored(NamedTuple):
    """What a session's file holds."""

    entries: list[dict[str, Any]]
    """Those that may belong to the conversation."""
    title: str
    """What the session is called: by the person, else by the CLI."""
    is_cut: bool
    """Whether it is longer than what was read."""


def read_stored(path: Path) -> Stored:
    """Everything in a session that can be understood. OSError if it cannot be read."""
    entries: list[dict[str, Any]] = []
    titles = {"customTitle": "", "aiTitle": ""}
    with open_session(path) as file:
        is_cut = os.fstat(file.fileno()).st_size > LARGEST
        if is_cut:
            file.seek(-LARGEST, os.SEEK_END)
        for line in lines_of(file, LARGEST):
            if _LINKED not in line and not line.startswith(_TITLES):
                continue
            if (entry := parsed(line)) is None:
                continue
            if _is_linked(entry):
                entries.append(entry)
            for name in titles:
                if isinstance(title := entry.get(name), str):
                    titles[name] = title
    return Stored(entries, titles["customTitle"] or titles["aiTitle"], is_cut)


def _is_linked(entry: dict[str, Any]) -> bool:
    """Whether it may belong to a conversation: it is of some kind, has an id, and names what it follows on."""
    before = entry.get("parentUuid")
    return isinstance(entry.get("type"), str) and isinstance(entry.get("uuid"), str) and isinstance(before, str | None)


def lines_of(file: IO[bytes], most: int) -> Iterator[bytes]:
    """The lines among the next so many bytes; those that are too long, or have no end yet, are left out."""
    is_torn = False
    while most > 0 and (line := file.readline(min(LONGEST_LINE, most))):
        most -= len(line)
        is_whole = line.endswith(b"\n")
        if is_whole and not is_torn:
            yield line
        is_torn = not is_whole


def parsed(line: bytes) -> dict[str, Any] | None:
    """The object that a line is; None if it is none."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
