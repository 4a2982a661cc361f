"""What is checked out in a folder: the branch, read from files where that is enough, and how much is changed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import persons_repository, read_small
from maverick_tui.inert import one_line

_ELSEWHERE = "refs/heads/.invalid"
"""What HEAD says where references are not kept in files."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.")
STATUS_SECONDS = 2.0
"""Longest that git is waited for to count what is changed."""


class Checkout(NamedTuple):
    """The checked-out branch, or the first digits of a commit, and how many files are changed."""

    branch: str
    changed: int


def read_checkout(folder: Path) -> Checkout | None:
    """What git says about the folder; None without git, outside a repository, or if it takes too long."""
    told = ask(folder, "status", "--porcelain=v2", "--branch", seconds=STATUS_SECONDS)
    if told is None:
        return None
    lines = told.decode(errors="replace").splitlines()
    about = {key: value for key, _, value in (line.removeprefix("# branch.").partition(" ") for line in lines)}
    head = about.get("head", "")
    branch = about.get("oid", "")[:7] if head == "(detached)" else head
    return Checkout(one_line(branch), sum(not line.startswith("#") for line in lines))


def head_of(folder: Path) -> str | None:
    """The checked-out branch, even one without commits; the first 7 digits of a detached commit; None if unknown."""
    repository = persons_repository(folder)
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


def commit_of(folder: Path) -> str:
    """The commit that is checked out, in full; empty without one, or if git cannot say."""
    return os.fsdecode(ask(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or b"").rstrip("\n")


def _asked(folder: Path) -> str:
    """The same from git itself, since only git can read its newer ways of keeping references."""
    if branch := ask(folder, "symbolic-ref", "--quiet", "HEAD"):
        return f"ref: {os.fsdecode(branch)}".rstrip("\n")
    return os.fsdecode(ask(folder, "rev-parse", "--verify", "--quiet", "HEAD") or b"").rstrip("\n")
