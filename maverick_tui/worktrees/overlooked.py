"""Work in a worktree that `git status` does not tell of: in submodules, in whatever else is called `.git` below its
top, in folders that cannot be looked into, and in files that git was told to overlook.

No commit of the worktree would have it, and what git knows of its submodules goes with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.git.changing import Git, GitError
from maverick_tui.git.repository import find_repository
from maverick_tui.real_paths import real_path

_GITLINK = "160000"
_DEEPEST = 8
"""Submodules inside each other that are looked into."""


class Overlooked(NamedTuple):
    """What is there all the same: files and folders, from the top."""

    changed: list[str]
    ignored: list[str]
    """What is ignored in submodules."""


def overlooked(git: Git, base: str, ignored: Collection[str], deepest: int = _DEEPEST) -> Overlooked:
    """What is changed in a folder since that commit, and not told of.

    What git ignores there, a folder with a slash, is told of.
    """
    found, files, passed_over = Overlooked([], []), list[str](), set(ignored)
    for line in os.fsdecode(git.run("ls-files", "-s", "-v", "-z")).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        tag, mode, _blob, _stage = about.split(" ")
        if mode == _GITLINK:
            passed_over.add(f"{path}/")
            inner = _in_submodule(git.folder / path, _recorded(git, base, path), deepest, git.seconds_left)
            found.changed.extend(f"{path}/{one}".rstrip("/") for one in inner.changed)
            found.ignored.extend(f"{path}/{one}" for one in inner.ignored)
        elif (tag == "S" or tag.islower()) and os.path.lexists(git.folder / path):
            files.append(path)
    found.changed.extend(_changed(git, files) if files else ())
    found.changed.extend(_passed_over(git.folder, passed_over))
    return found


def is_repository(path: str) -> bool:
    """Whether git takes it for its own, and has no word for it: it need be no repository."""
    return path.rpartition("/")[2].casefold() == ".git"


def _passed_over(top: Path, told: Collection[str]) -> Iterator[str]:
    """What git calls its own below the top, and folders that it cannot look into, but for those in these folders."""
    waiting = [""]
    while waiting:
        at = waiting.pop()
        try:
            with os.scandir(top / at) as entries:
                for entry in entries:
                    path = f"{at}{entry.name}"
                    if is_repository(path):
                        yield from [path] if at else []
                    elif entry.is_dir(follow_symlinks=False) and f"{path}/" not in told:
                        waiting.append(f"{path}/")
        except (FileNotFoundError, NotADirectoryError):  # whoever works there has removed it just now
            continue
        except OSError:  # closed to us, or too deep
            yield at.rstrip("/")


def _recorded(git: Git, base: str, path: str) -> str:
    """The commit that a submodule was at; empty if there was none."""
    with suppress(GitError):
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}:{path}") if base else ""
    return ""


def _in_submodule(folder: Path, base: str, deepest: int, seconds: float) -> Overlooked:
    """What is only in a submodule that was at this commit; an empty path stands for all of it."""
    all_of_it = Overlooked([""], [])
    try:
        if folder.is_symlink() or not folder.is_dir() or not os.listdir(folder):  # noqa: PTH208 - names alone
            return Overlooked([], [])
        repository = find_repository(folder)
        if repository is None or str(repository.top) != real_path(folder) or not deepest:
            return all_of_it
        git = Git(folder, seconds)
        told = os.fsdecode(git.run("status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=normal"))
        lines = told.split("\0")[:-1]
        ignored = [line[3:] for line in lines if line.startswith("!! ")]
        base = git.commit(base) if base else ""
        found = overlooked(git, base, ignored, deepest - 1)
        found.ignored.extend(ignored)
        found.changed.extend(line[3:] for line in lines if not line.startswith("!! "))
        if git("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes", *([base] if base else [])):
            found.changed.append("")  # commits, or a stash, that no other repository has
        return found
    except (ConfigError, OSError):
        return all_of_it


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
