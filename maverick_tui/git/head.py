"""Which branch is checked out in a folder, read from files: git is not run for it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import find_repository, read_small

_ELSEWHERE = "refs/heads/.invalid"
"""What HEAD says where references are not kept in files."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.")


def head_of(folder: Path) -> str | None:
    """The checked-out branch, even one without commits; the first 7 digits of a detached commit; None if unknown."""
    repository = find_repository(folder)
    if repository is None:
        return None
    head = repository.own / "HEAD"
    text = f"ref: {os.readlink(head)}" if head.is_symlink() else read_small(head) or ""  # noqa: PTH115
    target = text.rstrip()
    if target == f"ref: {_ELSEWHERE}":
        target = _asked(folder)
    if target.startswith("ref:"):
        name = target.removeprefix("ref:").strip().removeprefix("refs/heads/")
        return None if not name or _NO_NAME.search(name) else name
    return target[:7] if _COMMIT.fullmatch(target) else None


def _asked(folder: Path) -> str:
    """The same from git itself, since only git can read its newer ways of keeping references."""
    if branch := ask(folder, "symbolic-ref", "--quiet", "HEAD"):
        return f"ref: {os.fsdecode(branch)}".rstrip("\n")
    return os.fsdecode(ask(folder, "rev-parse", "--verify", "--quiet", "HEAD") or b"").rstrip("\n")
