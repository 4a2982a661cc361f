"""What links lead to in the working directory: of dotfiles, the project's file is the one that the shell starts with.

Links are followed from where they are known to matter: the settings in the home directory, Maverick's and Claude
Code's own, and what is known by its name in the working directory. Looking takes some milliseconds, so it is done
seldom, and only so far.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.agent.permissions.known_places import compared_names, is_of_keys, is_run_by_others

_DEPTH = 4
_MOST_FOLDERS = 2_000
"""Folders that are looked at below one, those near the top first."""
_MOST_ENTERED = 500
"""Names in a folder whose folders are entered: what has more is no settings."""
_MOST_NAMES = 20_000
_FIRST = (".config", ".local", ".claude", "bin", "maverick")
"""What is looked at before other folders beside it."""
_LASTS = 30.0
"""Seconds for which what was found counts."""
_MASSES = frozenset({".cache", ".git", "node_modules", "objects", "site-packages"})
"""What holds much that nobody links by hand."""


class Linked(NamedTuple):
    """Places in the working directory that are reached by another name, too."""

    keys: list[Path]
    run: list[Path]
    """What others run, or read as their settings."""


def linked_into(cwd: Path, home: Path | None) -> Linked:
    """What the links lead to there."""
    own = (paths.user_config(), paths.user_state(), paths.claude_config())
    return _linked_into(cwd, home, own, int(time.monotonic() / _LASTS))


@lru_cache(maxsize=32)
def _linked_into(cwd: Path, home: Path | None, own: tuple[Path, ...], _moment: int) -> Linked:
    linked = Linked([], [])
    for base, link, real in _leading_to(cwd, cwd, lambda _name: True):
        _sort_in(linked, real, compared_names(link.parts[len(base.parts) :]), is_at_home=False)
    if home is not None:
        for base, link, real in _leading_to(cwd, home, lambda name: name.startswith(".")):
            names = compared_names(link.parts[len(base.parts) :])
            if not _sort_in(linked, real, names, is_at_home=True) and real != cwd:
                linked.run.append(real)  # who knows by what it is read
    for folder in own:
        for _, link, real in _leading_to(cwd, folder, lambda _name: True):
            (linked.keys if link.name == "config.toml" else linked.run).append(real)
    return linked


def _sort_in(linked: Linked, real: Path, names: list[str], *, is_at_home: bool) -> bool:
    """Count a place as what it is by another name; whether that is known."""
    if is_of_keys(names, is_at_home=is_at_home):
        linked.keys.append(real)
    elif is_run_by_others(names):
        linked.run.append(real)
    else:
        return False
    return True


def _leading_to(cwd: Path, base: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[Path, Path, Path]]:
    """The links below a folder that lead into the working directory: where was looked, the link, and where it leads.

    The folder may be reached by a link itself, as a whole.
    """
    for link in _links_below(base, cwd, is_wanted):
        try:
            real = Path(os.path.realpath(link))
        except OSError:  # it cannot be read, as those of another user's process
            continue
        if real.parts[: len(cwd.parts)] == cwd.parts:
            yield base, link, real


def _links_below(base: Path, cwd: Path, is_wanted: Callable[[str], bool]) -> Iterator[Path]:
    """The links below a folder, level by level; what the working directory has itself is known by its names."""
    if base.is_symlink():
        yield base
    left, level = _MOST_FOLDERS, [str(base)]
    for depth in range(_DEPTH):
        following: list[os.DirEntry[str]] = []
        for folder in level[:left]:
            if folder == str(cwd) and base != cwd:
                continue
            try:
                with os.scandir(folder) as entries:
                    wanted = (entry for entry in entries if depth or is_wanted(entry.name))
                    found = [*islice(wanted, _MOST_NAMES)]
            except OSError:
                continue
            yield from (Path(entry.path) for entry in found if entry.is_symlink())
            if len(found) <= _MOST_ENTERED:
                following += (
                    entry for entry in found if entry.name not in _MASSES and entry.is_dir(follow_symlinks=False)
                )
        left -= len(level)
        if left <= 0:
            return
        level = [entry.path for entry in sorted(following, key=lambda entry: entry.name not in _FIRST)]
