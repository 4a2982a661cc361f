"""Where no snapshots are taken, and how much of a folder they hold at most."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Caps:
    """The most of each that a snapshot may take; beyond `files`, `new_bytes` or `seconds` there is none."""

    files: int = 250_000
    new_bytes: int = 1_000 * _MB
    """Of files that are new or may have changed, in one snapshot."""
    adopted_bytes: int = 4_000 * _MB
    """Of what git has stored of them already, which need not be packed."""
    file_bytes: int = 250 * _MB
    """Of one file; a larger one is left out."""
    seconds: float = 30.0
    nested: int = 100
    """Repositories inside the folder; further ones are left out."""
    ignored_files: int = 2_000
    """Of one folder that git ignores; a larger one is left out."""
    ignored_bytes: int = 20 * _MB
    all_ignored_files: int = 10_000
    """Of all such folders together; once there are so many, further ones are left out."""
    all_ignored_bytes: int = 100 * _MB


class NotTrackedError(ConfigError):
    """There are no snapshots of a folder; `reason` ends the sentence that begins with "because"."""

    def __init__(self, reason: str, folder: Path, *, hint: str = "") -> None:
        super().__init__(
            f"Changes are not tracked here, because {reason}.",
            path=str(folder),
            hint=hint or "The run goes on as ever; what it changes cannot be shown or undone.",
        )
        self.reason = reason


def why_not(folder: Path) -> str:
    """Why there are no snapshots of a folder, whatever is in it; empty if there can be."""
    if sys.platform == "win32":
        return "there are no snapshots on Windows"
    if paths.too_much(folder):
        return "this is a home directory or the root of the file system, or holds one"
    place, state = os.path.realpath(folder), os.path.realpath(paths.user_state())
    if os.path.commonpath((place, state)) == place:
        return "Maverick keeps its own files in this folder"
    if os.path.commonpath((place, state)) == state and paths.worktree_around(folder) is None:
        return "this folder is Maverick's own"
    if not os.path.isdir(place):  # noqa: PTH112 - Path.is_dir raises where it may not look
        return "there is no such folder"
    return ""
