"""Work in a worktree that `git status` does not tell of: in submodules, and in files that git was told to overlook.

No commit of the worktree would have it, and what git knows of its submodules goes with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.git.changing import Git
from maverick_tui.git.repository import find_repository

_GITLINK = "160000"
_DEEPEST = 8
"""Submodules inside each other that are looked into."""


def overlooked(git: Git, deepest: int = _DEEPEST) -> list[str]:
    """What is changed in a folder all the same: files and folders, from its top."""
    files, found = list[str](), list[str]()
    for line in os.fsdecode(git.run("ls-files", "-s", "-v", "-z")).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        tag, mode, commit, _stage = about.split(" ")
        if mode == _GITLINK:
            found += _work_in_submodule(git, path, commit, deepest)
        elif tag != "H" and (tag == "S" or tag.islower()) and os.path.lexists(git.folder / path):
            files.append(path)
    return [*found, *(_changed(git, files) if files else ())]


def _work_in_submodule(git: Git, path: str, commit: str, deepest: int) -> Iterator[str]:
    """What is only in a submodule that belongs to this commit; all of it where nobody can say."""
    folder = git.folder / path
    if folder.is_symlink() or not folder.is_dir() or not os.listdir(folder):  # noqa: PTH208 - names alone
        return
    repository = find_repository(folder)
    if repository is None or str(repository.top) != os.path.realpath(folder) or not deepest:
        yield path
        return
    try:
        inner = Git(folder)
        told = os.fsdecode(inner.run("status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=normal"))
        yield from (f"{path}/{line[3:]}" for line in told.split("\0")[:-1])
        yield from (f"{path}/{one}" for one in overlooked(inner, deepest - 1))
        known = [commit] if inner.commit(commit) else []
        if inner("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes", *known):
            yield path  # commits, or a stash, that no other repository has
    except ConfigError:
        yield path


def _changed(git: Git, paths: list[str]) -> set[str]:
    """Those of these files that are changed, by a list of ours in which none is to be overlooked."""
    repository = find_repository(git.folder)
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    with scratch_folder("look") as scratch:
        index = scratch / "index"
        if repository is not None:
            shutil.copy2(repository.own / "index", index)
        for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
            git.run("update-index", flag, "-z", "--stdin", stdin=names, index=index)
        told = git.run("status", "--porcelain=v1", "-z", "--untracked-files=no", index=index)
    return {line[3:] for line in os.fsdecode(told).split("\0")[:-1]} & {*paths}
