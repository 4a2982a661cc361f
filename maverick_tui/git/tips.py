"""What a commit, or anything else of a repository, may be found by besides its hash."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.repository import Repository, find_repository, read_small

SECONDS = 3.0
"""How long git may look: somebody waits for a call to be judged."""
_HEADS = ("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_ALL = ("--all", "--reflog", "--ignore-missing", *_HEADS)
_UNFINISHED = ("", "rebase-merge", "rebase-apply", "sequencer")
"""Folders in git's own where files name commits, each with its hash."""
_HASH = re.compile(r"(?i)([0-9a-f]{40}|[0-9a-f]{64})(?:\s|\Z)")
_LONGEST_HASH = 64
_MOST_FILES = 5_000
_MOST_TIPS = 1_000
_others: dict[Path, tuple[bytes, frozenset[str]]] = {}
"""What `names_of_others` found, for as long as all references are as they were."""


def tips_of(top: Path) -> tuple[str, ...] | None:
    """The words by which git is told to begin at all that commits may be found by; None if that is too much.

    By its name a file in the folder of git's own is a reference, too, if a hash stands in it: `BISECT_HEAD`, or for any
    worktree `worktrees/x/FETCH_HEAD`.
    """
    repository = find_repository(top)
    if repository is None:
        return _ALL
    files = list(islice(_files_of(repository), _MOST_FILES + 1))
    found = {
        found[1] for file in files if (found := _HASH.match(read_small(file, _LONGEST_HASH + 1, is_cut=True) or ""))
    }
    return (*_ALL, *sorted(found)) if len(files) <= _MOST_FILES and len(found) <= _MOST_TIPS else None


def names_of_others(top: Path) -> frozenset[str] | None:
    """By what references may be called that lead to no commit, but to a folder or a file: the last part of their names.
    None if git does not tell it in time.
    """
    references = ask(top, "for-each-ref", "--format=%(objectname) %(refname)", seconds=SECONDS)
    known_of, names = _others.get(top, (None, None))
    if references is not None and references == known_of:
        return names
    # To look at what each one leads to takes git a second for 20,000 of them.
    told = ask(top, "for-each-ref", "--format=%(objecttype) %(*objecttype) %(refname)", seconds=SECONDS)
    if told is None or references is None:
        return None
    lines = (os.fsdecode(line).split(" ", 2) for line in told.splitlines())
    others = [name for kind, inner, name in lines if "commit" not in (kind, inner)]
    # `refs/remotes/x/HEAD` may be called `x` as well.
    names = frozenset(last for name in others for last in (_last(name), _last(name.removesuffix("/HEAD"))))
    _others[top] = references, names
    return names


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _files_of(repository: Repository) -> Iterator[Path]:
    worktrees = list(_entries_of(repository.common / "worktrees"))
    for folder in dict.fromkeys((repository.own, repository.common, *worktrees)):
        yield from chain.from_iterable(_entries_of(folder / name) for name in _UNFINISHED)
    for worktree in worktrees:
        for inner, _, names in os.walk(worktree / "refs"):
            yield from (Path(inner, name) for name in names)


def _entries_of(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return
