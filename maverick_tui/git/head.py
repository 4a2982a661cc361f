"""Where a folder's repository is and which branch is checked out there, read from files: git is not run for it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from maverick_tui.git.asking import ask

_MOST = 8_192
"""Bytes that one of git's small files may have."""
_ELSEWHERE = "refs/heads/.invalid"
"""What HEAD says where references are not kept in files."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.")


class Repository(NamedTuple):
    """The folder that is worked in, git's own folder for it, and the one that all its worktrees share."""

    top: Path
    own: Path
    common: Path


def find_repository(folder: Path) -> Repository | None:
    """The repository around a folder; a bare one is none, for a clone may contain what looks like it."""
    folder = Path(os.path.realpath(folder))
    for top in (folder, *folder.parents):
        linked = _read(top / ".git")
        own = _linked(top, linked) if linked is not None else top / ".git"
        if os.path.lexists(own / "HEAD"):
            shared = _read(own / "commondir")
            common = own / shared.rstrip("\n") if shared else own
            if os.path.isdir(common / "objects"):  # noqa: PTH112 - Path.is_dir raises where it may not look
                return Repository(top, own, Path(os.path.realpath(common)))
        if linked is not None:  # git looks no further, either
            return None
    return None


def head_of(folder: Path) -> str | None:
    """The checked-out branch, also one without commits; the first 7 digits of a detached commit; None if unknown."""
    repository = find_repository(folder)
    if repository is None:
        return None
    head = repository.own / "HEAD"
    text = f"ref: {os.readlink(head)}" if head.is_symlink() else _read(head) or ""  # noqa: PTH115
    target = text.rstrip()
    if target == f"ref: {_ELSEWHERE}":
        target = _asked(folder)
    if target.startswith("ref:"):
        name = target.removeprefix("ref:").strip().removeprefix("refs/heads/")
        return None if not name or _NO_NAME.search(name) else name
    return target[:7] if _COMMIT.fullmatch(target) else None


def _linked(top: Path, text: str) -> Path:
    """Where the file `.git` of a worktree or a submodule points; nowhere if it is another file."""
    return top / text.removeprefix("gitdir: ").rstrip("\n") if text.startswith("gitdir: ") else top / ".git" / "none"


def _asked(folder: Path) -> str:
    """The same from git itself, which alone can read its newer ways to keep references."""
    if branch := ask(folder, "symbolic-ref", "--quiet", "HEAD"):
        return f"ref: {os.fsdecode(branch)}".rstrip("\n")
    return os.fsdecode(ask(folder, "rev-parse", "--verify", "--quiet", "HEAD") or b"").rstrip("\n")


def _read(path: Path) -> str | None:
    """The text of a small ordinary file; None if it is anything else. A pipe would be waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST:
            return None
        return os.fsdecode(os.read(descriptor, _MOST))
    finally:
        os.close(descriptor)
