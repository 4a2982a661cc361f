"""Memory files: what Claude Code takes in by itself with the settings of a project, and what of that it may.

A `CLAUDE.md` of the working directory and of those above it is taken in when it starts, one of a folder below with the
first file there that is read, edited or printed; and each brings what it names by an `@`. No hook is asked about any of
that, and a clone may have put a link there, or an agent a name. So from the beginning Claude Code is told to leave out
all such files but those that are there and would be read unasked: what comes later, what is not looked at here, or is
named in a way that only it knows, it does not take in. It adds up what it is told, so that nothing of that can be taken
back later (measured); `rereading.py` tells it what may not be read any more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.known_places import MEMORY_FILES
from maverick_tui.git.repository import read_small
from maverick_tui.real_paths import real_path
from maverick_tui.walking import walk

_NAMED = re.compile(r"(?:^|\s)@((?:[^\s\\]|\\ )+)")
_DEEPEST = 5
"""So many times Claude Code follows what a file names that is named by another."""
_LARGEST = 4 * 1024 * 1024
_MOST = 1_000
_MOST_FOLDERS = 5_000
_MASSES = frozenset({".git", "node_modules", ".venv", "venv", "target", "__pycache__", ".cache"})
_SIGNS = re.compile(r"[^\w/.\- ]")
"""What may be a sign of a pattern in a path."""
_ITSELF = "[](){},@+~#%=:;&'$"
"""Those of them that stand for themselves within brackets."""


class MemoryFile(NamedTuple):
    """A file that Claude Code may take in; `is_let_in` says that it is there by its own name, and named by no other."""

    path: str
    is_let_in: bool


def memory_files(judge: Judge) -> list[MemoryFile]:
    """Those that may be taken in where an agent works, with what they name; none unless the person lets it."""
    if not judge.takes_memory:
        return []
    found = (one for path in _begun(judge.cwd) if os.path.isfile(path) for one in _with_named(path))  # noqa: PTH113
    known = dict.fromkeys(found)
    return [one for one in list(known)[:_MOST] if judge.may_be_reread(one.path, is_let_in=one.is_let_in)]


def left_out(judge: Judge) -> list[str]:
    """The patterns of all memory files but these."""
    places = {place for one in memory_files(judge) for place in (one.path, real_path(one.path))}
    kept = sorted(filter(None, map(_exactly, places)))
    if not kept:
        return ["/**"]
    return [f"!{kept[0]}" if len(kept) == 1 else f"!{{{','.join(kept)}}}"]


def as_pattern(place: str) -> str:
    """A pattern that a path fits, and few others."""
    return _SIGNS.sub("?", place)


def _exactly(place: str) -> str:
    """The pattern that a path fits, and no other; empty if there is none: to Claude Code a backslash is a slash."""
    signs = set(_SIGNS.findall(place))
    return _SIGNS.sub(r"[\g<0>]", place) if signs <= set(_ITSELF) else ""


def _begun(cwd: Path) -> Iterator[str]:
    """The files that are taken in by where they are: the person's own, and those above a folder and below it."""
    own = paths.claude_config()
    yield from (str(own / "CLAUDE.md"), *_rules_in(own))
    for folder in cwd.parents:
        yield from (str(folder / name) for name in MEMORY_FILES)
        yield from _of_settings(folder / ".claude")
    level, left = [str(cwd)], _MOST_FOLDERS
    while level and left > 0:  # the nearest first, and through no link
        following: list[str] = []
        for top in level[:left]:
            _, folders, files = next(walk(top), ("", [], []))
            yield from (os.path.join(top, name) for name in MEMORY_FILES if name in files)  # noqa: PTH118
            if ".claude" in folders:
                yield from _of_settings(Path(top, ".claude"))
            following += (os.path.join(top, name) for name in folders if name not in _MASSES)  # noqa: PTH118
        left -= len(level)
        level = [one for one in following if not os.path.islink(one)]  # noqa: PTH114


def _of_settings(folder: Path) -> Iterator[str]:
    yield from (str(folder / name) for name in MEMORY_FILES)
    yield from _rules_in(folder)


def _rules_in(folder: Path) -> Iterator[str]:
    """The rules that a folder has, which may lie in folders of their own."""
    for inner, _, files in walk(folder / "rules"):
        yield from (os.path.join(inner, name) for name in files if name.endswith(".md"))  # noqa: PTH118


def _with_named(path: str) -> Iterator[MemoryFile]:
    """A file, and what is named by it and by what it names."""
    level = [path]
    for depth in range(_DEEPEST):
        following: list[str] = []
        for one in level[:_MOST]:
            real = real_path(one)
            yield MemoryFile(one, is_let_in=not depth and real == one)
            following += _named_in(real)
        level = list(dict.fromkeys(following))


def _named_in(file: str) -> Iterable[str]:
    """What a file names by an `@`, as Claude Code understands that, or more."""
    text = read_small(Path(file), _LARGEST) or ""  # what is no plain file, or larger, it does not read, either
    folder = os.path.dirname(file)  # noqa: PTH120
    for found in _NAMED.findall(text):
        if name := found.partition("#")[0].replace("\\ ", " ").replace("\0", ""):
            yield os.path.abspath(os.path.join(folder, os.path.expanduser(name)))  # noqa: PTH100, PTH111, PTH118
