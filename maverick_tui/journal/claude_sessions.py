"""Which sessions the plain `claude` CLI has kept: they are Claude Code's, listed beside runs, and never changed.

The SDK's `list_sessions` opens every file each time, waits for pipes, and takes long to import; to know which sessions
there are, and which have changed, none needs to be opened.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths

MOST_FILES = 20_000
"""Sessions that are looked at."""
_NAME = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl")


class SessionFile(NamedTuple):
    """A session's file, as the system tells of it."""

    session_id: str
    path: str
    about: os.stat_result


def session_files() -> Iterator[SessionFile]:
    """All sessions of this user, in no order; none of them is opened."""
    left = MOST_FILES
    for folder in _projects():
        for entry in _entries(folder):
            if (name := _NAME.fullmatch(entry.name)) is None:
                continue
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if is_own_file(about):
                yield SessionFile(name[1], entry.path, about)
                if not (left := left - 1):
                    return


def session_file(session_id: str) -> Path | None:
    """The file of that session, the latest if several projects have one; None if there is none."""
    found: list[tuple[float, Path]] = []
    if _NAME.fullmatch(f"{session_id}.jsonl"):
        for folder in _projects():
            path = Path(folder, f"{session_id}.jsonl")
            try:
                about = path.lstat()
            except OSError:
                continue
            if is_own_file(about):
                found.append((about.st_mtime, path))
    return max(found)[1] if found else None


def is_own_file(about: os.stat_result) -> bool:
    """Whether it is a file, and this user's: what others have put there nobody here has said."""
    return stat.S_ISREG(about.st_mode) and (not hasattr(os, "geteuid") or about.st_uid == os.geteuid())


def _projects() -> list[str]:
    try:
        return [entry.path for entry in _entries(str(paths.claude_config() / "projects"))]
    except RuntimeError:  # nobody knows the home directory
        return []


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """What is in a folder; nothing if it is none, or is not for us to read."""
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError:
        return
