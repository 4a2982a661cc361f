"""A snapshot as a value, and how it is written down."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
PLAIN, EXECUTABLE, LINK = "100644", "100755", "120000"
PRIVATE = 0o700
"""The permissions of a folder that is its owner's alone; without these, nothing could be put back into it."""
BESIDE = ".maverick-undo-"
"""What names of files begin with that are there only while something is restored."""
RESTORES = "restores"
"""The folder, beside the snapshots, with what is known of restores that are not finished."""
SECRET = "its name says that it holds secrets"
UNREADABLE = "it cannot be read"
ENOUGH = "git ignores it, and much of that is kept already"
"""What is left out by this alone may have been kept before, and need not have changed."""


@dataclass(frozen=True, slots=True)
class Part:
    """The folder itself (`at` is empty) or a repository inside it (`lib/`), as trees."""

    at: str
    kept: str
    """What git tracks there, or would if it was told to."""
    ignored: str
    """What git ignores there."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was in a folder. Paths are relative to it; bytes that are no UTF-8 stand in them as `os.fsdecode` has it."""

    id: str
    parts: tuple[Part, ...]
    usual: tuple[int, int]
    """The permissions of files that are in no way special: plain ones, executable ones."""
    modes: Mapping[str, int] = field(default_factory=dict)
    """The permissions of the others."""
    empty: frozenset[str] = frozenset()
    """Folders in which there was nothing."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What is not in it, with the reason; a name with a slash at its end is a folder with all that was in it."""
    folders: Mapping[str, int] = field(default_factory=dict)
    """The permissions of folders; by an empty name, those of all that are not named."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How many bytes files hold that were left out, but for secrets."""
    number: int = field(default=0, compare=False)
    """Its place among all that were taken of the folder, by whomever; 0 of one that was only read."""

    def leaves_out(self, path: str) -> bool:
        """Whether nothing is known of a path, because it was left out."""
        return bool(self.why_left_out(path))

    def why_left_out(self, path: str) -> str:
        """Why nothing is known of a path: it was left out, or a folder that it is in; empty if it was not."""
        if why := self.left_out.get(path, ""):
            return why
        folders = (path[: at + 1] for at, sign in enumerate(path) if sign == "/")
        return next((why for folder in folders if (why := self.left_out.get(folder, ""))), "")

    def permissions(self, path: str, mode: str) -> int:
        """The permissions that a file had, of which git knows only this much."""
        return self.modes.get(path, self.usual[mode == EXECUTABLE])

    def folder_permissions(self, path: str) -> int:
        """The permissions that a folder had; one of which they are not known is nobody else's."""
        return self.folders.get(path, self.folders.get("", PRIVATE)) | PRIVATE

    def as_text(self) -> str:
        """All but its id and its trees; the same for the same content."""
        about = {
            "parts": [[part.at, part.kept, part.ignored] for part in self.parts],
            "usual": self.usual,
            "modes": dict(sorted(self.modes.items())),
            "empty": sorted(self.empty),
            "left_out": dict(sorted(self.left_out.items())),
            "folders": dict(sorted(self.folders.items())),
            "sizes": dict(sorted(self.sizes.items())),
        }
        return json.dumps(about, separators=(",", ":"))


def from_text(snapshot_id: str, text: str) -> Snapshot:
    """The snapshot that was written down so. ValueError if it is none."""
    about: Any = json.loads(text)
    try:
        return Snapshot(
            snapshot_id,
            tuple(Part(*part) for part in about["parts"]),
            (about["usual"][0], about["usual"][1]),
            about["modes"],
            frozenset(about["empty"]),
            about["left_out"],
            about.get("folders", {}),  # snapshots of earlier versions have neither
            about.get("sizes", {}),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"This is no snapshot: {error!r}.") from error


def git_mode(about: os.stat_result) -> str:
    """What git calls this kind of file; empty for what it does not keep."""
    if stat.S_ISLNK(about.st_mode):
        return LINK
    if not stat.S_ISREG(about.st_mode):
        return ""
    return EXECUTABLE if about.st_mode & stat.S_IXUSR else PLAIN
