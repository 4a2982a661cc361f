"""Finds agent files below a folder that may hold anything, and reads them: a file may be a pipe, endless, or gone."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.real_paths import real_path
from maverick_tui.walking import is_folder

MAX_BYTES = 150_000
"""Largest agent file that is read."""

MAX_FILES = 1_000
"""Most agent files, and most folders, that are looked at below one folder."""

MAX_FOLDER_BYTES = 4_000_000
"""Most bytes that are read below one folder."""

MAX_SECONDS = 0.7
"""Most CPU time that one folder may take, parsing included: some files are made to be slow.

It is our own time, so on a busy machine no agents disappear.
"""

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


Identity = tuple[int, int]
"""Device and inode: the same for every name of a file."""


class ReadFile(NamedTuple):
    """A file and its bytes."""

    path: Path
    content: bytes


def read_agent_files(
    folder: Path, suffixes: Collection[str], seen: set[Identity], within: Path | None = None
) -> Iterator[ReadFile | Problem]:
    """Each agent file in the order of the names, and what cannot be read; `seen` ones are left out.

    Links that lead out of `within` are not followed.
    """
    left = MAX_FOLDER_BYTES
    until = time.thread_time() + MAX_SECONDS
    for found in _walk(folder, suffixes, seen, within):
        if time.thread_time() > until:
            yield _too_much(folder, f"can be read in {MAX_SECONDS} s")
            return
        content = read_file(found) if isinstance(found, Path) else found
        if isinstance(content, Problem):
            yield content
        elif isinstance(found, Path):
            left -= len(content)
            if left < 0:
                yield _too_much(folder, f"{MAX_FOLDER_BYTES:,} bytes of agent files")
                return
            yield ReadFile(found, content)


def _walk(
    folder: Path, suffixes: Collection[str], seen: set[Identity], within: Path | None
) -> Iterator[Path | Problem]:
    files = folders = 0
    if outside := leads_out(folder, within):
        yield outside
        return
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        entries = _entries(current, suffixes)
        if isinstance(entries, Problem):
            if current != folder or not is_missing(folder):  # having no agents is no problem
                yield entries
            continue
        below: list[Path] = []
        for path, is_file in entries:
            files, folders = files + is_file, folders + (not is_file)
            if max(files, folders) > MAX_FILES:
                yield _too_much(folder, f"{MAX_FILES:,} {'files' if is_file else 'folders'}")
                return
            is_link = os.path.islink(path)  # noqa: PTH114 - Path.is_symlink raises where it may not look
            new = (leads_out(path, within) if is_link else None) or _is_new(path, seen)
            if isinstance(new, Problem):
                yield new
            elif new and is_file:
                yield path
            elif new:
                below.append(path)
            elif not is_file:
                yield Problem(str(path), None, "Leads back to a folder that has already been read.", severity="warning")
        waiting += reversed(below)


def _entries(folder: Path, suffixes: Collection[str]) -> list[tuple[Path, bool]] | Problem:
    """What may be an agent file (True) or hold some (False), by name; a folder named like a file counts as one."""
    found: list[tuple[Path, bool]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith((".", "_")):
                    continue
                is_file = Path(entry.name).suffix in suffixes
                if is_file or is_folder(entry):
                    found.append((Path(entry.path), is_file))
                if len(found) > 2 * MAX_FILES:
                    break
    except OSError as error:
        return unreadable(_nearest_visible(folder), error)
    return sorted(found)


def is_missing(folder: Path) -> bool:
    """Whether there is certainly no such folder; where we may not look, nothing is certain."""
    try:
        folder.lstat()
    except OSError as error:
        return isinstance(error, (FileNotFoundError, NotADirectoryError))
    return False


def _nearest_visible(folder: Path) -> Path:
    """The folder itself, or the one above it that does not let us in."""
    for candidate in (folder, *folder.parents):
        with suppress(OSError):
            candidate.lstat()
            return candidate
    return folder


def leads_out(path: Path, within: Path | None) -> Problem | None:
    """What is wrong with a link that leads out of a project; nothing where there is none."""
    if within is None or Path(target := real_path(path)).is_relative_to(within):
        return None
    message = f"Leads out of the project, to {target}; it is not read."
    return Problem(str(path), None, message, "Copy it into the project, or move it to your own agents.", "warning")


def _is_new(path: Path, seen: set[Identity]) -> bool | Problem:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        return unreadable(path, error)
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        return False
    seen.add(identity)
    return True


def _too_much(folder: Path, what: str) -> Problem:
    message = f"Holds more than {what}; the rest is not read."
    return Problem(str(folder), None, message, "Move what is not needed to another folder.")
