"""Working folders to take snapshots of, made by the git that a person would use, and what is in them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from maverick_tui.git import making
from maverick_tui.snapshots.entries import bytes_of, files
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import LINK, Snapshot
from tests.worktrees.projects import commit, git

OWNER = "run-1"
Content = tuple[str, int, bytes]
"""The kind of a thing, its permissions, and what is in it."""


def project(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    making.init(folder, "main")
    commit(folder, "first", a__txt="one\ntwo\nthree\n", b__txt="b\n")
    return folder


def project_with_committer(folder: Path) -> Path:
    """The same, in which a person commits."""
    project(folder)
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    return folder


def content(folder: Path) -> dict[str, Content]:
    """All that is in a folder, but for git's own."""
    found: dict[str, Content] = {}
    waiting = [os.fsencode(folder)]
    while waiting:
        top = waiting.pop()
        entries = sorted(os.scandir(top), key=lambda entry: entry.name)
        path = os.fsdecode(os.path.relpath(top, os.fsencode(folder)))
        if not entries:
            found[path] = ("empty", 0, b"")
        for entry in entries:
            name = os.fsdecode(os.path.relpath(entry.path, os.fsencode(folder)))
            if entry.name == b".git":
                continue
            if entry.is_symlink():
                found[name] = ("link", 0, os.readlink(entry.path))  # noqa: PTH115 - they are bytes
            elif entry.is_dir():
                waiting.append(entry.path)
            else:
                with open(entry.path, "rb") as file:  # noqa: PTH123
                    found[name] = ("file", stat.S_IMODE(entry.stat().st_mode), file.read())
    return found


def kept(shadow: Shadow, snapshot: Snapshot) -> dict[str, Content]:
    """The same as a snapshot has it."""
    found: dict[str, Content] = dict.fromkeys(snapshot.empty, ("empty", 0, b""))
    entries = files(shadow, snapshot)
    blobs = _blobs(shadow, sorted({entry.blob for entry in entries.values()}))
    for path, entry in entries.items():
        data = blobs[entry.blob]
        is_link = entry.mode == LINK
        found[path] = ("link", 0, data) if is_link else ("file", snapshot.permissions(path, entry.mode), data)
    return found


def _blobs(shadow: Shadow, names: list[str]) -> dict[str, bytes]:
    told, found, at = shadow.git("cat-file", "--batch", stdin="\n".join(names).encode()), {}, 0
    while at < len(told):
        end = told.index(b"\n", at)
        name, _, size = told[at:end].split(b" ")
        found[name.decode()] = told[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2
    return found


def theirs(folder: Path) -> dict[str, bytes]:
    """Every file of git's own in a folder, and in the repositories in it."""
    own = [top for top in folder.rglob(".git") if top.is_dir()]
    return {
        str(path.relative_to(folder)): path.read_bytes() for top in own for path in top.rglob("*") if path.is_file()
    }


__all__ = ["OWNER", "bytes_of", "commit", "content", "git", "kept", "project", "theirs"]
