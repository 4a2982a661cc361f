"""What was done in a worktree: what git tells of, what it leaves out, and what was made of what came along."""

from __future__ import annotations

import math
import os
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git
from maverick_tui.git.repository import find_repository
from maverick_tui.real_paths import real_path
from maverick_tui.worktrees.brought import Brought
from maverick_tui.worktrees.caches import is_known
from maverick_tui.worktrees.making import changed_files
from maverick_tui.worktrees.overlooked import Overlooked, overlooked
from maverick_tui.worktrees.records import Worktree


def git_of(worktree: Worktree, seconds: float = math.inf) -> Git:
    """Git in it, for so long. ConfigError if it is no worktree of the project any more: what it is of by now may go
    with it.
    """
    found, project = find_repository(worktree.top), find_repository(Path(worktree.project))
    top = real_path(worktree.top)
    if found is None or project is None or str(found.top) != top or found.common != project.common:
        raise ConfigError(
            f"{worktree.path} is no worktree of {worktree.project} any more.",
            path=worktree.path,
            hint="Take from that folder what you need, and remove it yourself.",
        )
    return Git(worktree.top, seconds)


class Work:
    """What was done in one, each path from its top; what came along, and is as it was, is none of it."""

    def __init__(self, worktree: Worktree, seconds: float = math.inf) -> None:
        self.git = git_of(worktree, seconds)
        self._came = Brought(worktree)
        self._base = worktree.base

    @cached_property
    def uncommitted(self) -> list[tuple[str, str]]:
        """What is not committed, with git's two letters. What came along, and git does not know, is to stay so."""
        return [(how, path) for how, path in changed_files(self.git) if how != "??" or not self._came.has(path)]

    @cached_property
    def ignored(self) -> list[str]:
        """What git leaves out, a folder as one."""
        return [path for path in self._left_out if not self._came.is_around(path)]

    @cached_property
    def overlooked(self) -> Overlooked:
        """What git does not tell of: in submodules, in other repositories, in files that it was told to overlook."""
        told = {f"{path}.git" for _, path in self.uncommitted if path.endswith("/")}
        listed = overlooked(self.git, self._base, self._left_out)
        return Overlooked(*([path for path in found if path not in told and self._is_new(path)] for found in listed))

    @cached_property
    def brought(self) -> list[str]:
        """What is new or changed in what came along, and would be in no commit."""
        told = {path for _, path in self.uncommitted}.union(*self.overlooked)
        found = [path for path in self._changed if path not in told and not self._is_cached(path)]
        known = {*os.fsdecode(self.git.run("ls-files", "-z")).split("\0")} if found else set()
        perhaps = [f"perhaps {name}" for name in self._came.unknown if not self._is_cached(name)]
        return [path for path in found if path not in known] + perhaps

    @cached_property
    def put_aside(self) -> str:
        """What was begun there, if git has put changes aside until it is finished (autostash): they go with it."""
        if self.git.commit("MERGE_AUTOSTASH"):
            return "a merge"
        repository = find_repository(self.git.folder)
        names = ("rebase-merge/autostash", "rebase-apply/autostash")
        is_there = repository is not None and any(os.path.lexists(repository.own / name) for name in names)
        return "a rebase" if is_there else ""

    @cached_property
    def _left_out(self) -> list[str]:
        listed = self.git.run("status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=normal")
        return [line[3:] for line in os.fsdecode(listed).split("\0")[:-1] if line.startswith("!! ")]

    @cached_property
    def _changed(self) -> list[str]:
        return list(dict.fromkeys(self._came.changed()))  # one of what came along may be in another

    def _is_cached(self, path: str) -> bool:
        """Whether it is in a cache that came along, or is new there: what is committed around it is not asked."""
        folders = filter(self._came.is_around, accumulate(path.split("/"), "{}/{}".format))
        return any(is_known(self.git.folder / folder) for folder in folders)

    def _is_new(self, path: str) -> bool:
        """Whether something was done there since all was there that came along."""
        below = f"{path.rstrip('/')}/"
        return not self._came.is_around(path) or any(f"{one}/".startswith(below) for one in self._changed)
