"""Reads an agent file that may be anything: a pipe, a folder, endless, gone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from maverick_tui.agent.catalog.problems import Problem

MAX_BYTES = 150_000
"""Largest agent file that is read."""

# A pipe must neither block the open nor, on Windows, may the bytes be translated.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_file(path: Path) -> bytes | Problem:
    """The bytes of a regular file of a sensible size, or why there are none."""
    try:
        if problem := _refusal(path, path.stat()):
            return problem
        descriptor = os.open(path, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            # It may have been replaced since.
            if problem := _refusal(path, os.fstat(descriptor)):
                return problem
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return unreadable(path, error)
    return content if len(content) <= MAX_BYTES else _too_large(path, len(content))


def unreadable(path: Path, error: Exception) -> Problem:
    """The problem for a file or folder that the system does not let us read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Problem(str(path), None, f"Cannot be read: {reason}.", "Correct its permissions or its link, or remove it.")


def _refusal(path: Path, status: os.stat_result) -> Problem | None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        return Problem(str(path), None, f"Is {kind}, not a file.", "Rename it, or move it to another folder.")
    return _too_large(path, status.st_size) if status.st_size > MAX_BYTES else None


def _too_large(path: Path, size: int) -> Problem:
    return Problem(
        str(path),
        None,
        f"Is too large to be an agent file: {size:,} bytes or more, {MAX_BYTES:,} are allowed.",
        "Shorten it, or move it to another folder.",
    )
