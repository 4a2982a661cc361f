"""Other names of a place: of dotfiles, the project's file is the one that the shell starts with.

Links are found where they are known to matter: among the settings in the home directory, in Maverick's and Claude
Code's own folders, and in the working directory. It takes some milliseconds, so it goes only so far, and what was found
is kept while these folders are as they were.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from maverick_tui import paths
from maverick_tui.agent.permissions.known_places import completed_by, is_run_by_others
from maverick_tui.agent.permissions.looked_up import Seen, looked_up
from maverick_tui.masking.key_files import compared_names, is_of_keys
from maverick_tui.real_paths import real_path

_DEPTH = 4
_MOST_FOLDERS = 2_000
"""Folders that are looked at below one, those near the top first."""
_MOST_ENTERED = 500
"""Names in a folder whose folders are entered: what has more is no settings."""
_MOST_NAMES = 20_000
_FIRST = (".config", ".local", ".claude", "bin", "maverick")
"""What is looked at before other folders beside it."""
_MASSES = frozenset({".cache", ".git", "node_modules", "objects", "site-packages"})
"""What holds much that nobody links by hand."""


class Alias(NamedTuple):
    """A link: where it leads, and the names on the way to it, from the folder that it was found in."""

    real: Path
    names: list[str]
    of: Literal["home", "project", "own"]
    """Whose it is: the person's settings, the working directory's, or Maverick's and Claude Code's own."""

    def names_of(self, place: Path) -> list[str] | None:
        """The names of a place by way of the link; None if it is not there."""
        own = self.real.parts
        if place.parts[: len(own)] != own:
            return None
        return [*self.names, *compared_names(place.parts[len(own) :])]


def aliases(cwd: Path, home: Path | None) -> list[Alias]:
    """The links by which something may be known that is not known by its own name."""
    own = (paths.user_config(), paths.user_state(), paths.claude_config())
    return _aliases(cwd, home, own)


@looked_up
def _aliases(seen: Seen, cwd: Path, home: Path | None, own: tuple[Path, ...]) -> list[Alias]:
    # In worktrees of runs there are projects' own links.
    is_wanted: Callable[[str], bool] = lambda name: name != paths.worktrees().name  # noqa: E731
    found = [Alias(real, names, "own") for folder in own for real, names in _followed(seen, folder, cwd, is_wanted)]
    if home is not None:
        of_home = _followed(seen, home, cwd, lambda name: name.startswith("."))
        found += (Alias(real, names, "home") for real, names in of_home)
    in_project = _followed(seen, cwd, cwd, lambda _name: True)
    found += (
        Alias(real, names, "project")
        for real, names in in_project
        if is_of_keys(names, is_at_home=False) or is_run_by_others(names) or any(completed_by(names))
    )
    return found


def _followed(seen: Seen, base: Path, cwd: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[Path, list[str]]]:
    """Where the links below a folder lead, and by which names."""
    for link in _links_below(seen, base, cwd, is_wanted):
        yield Path(real_path(link)), compared_names(link.parts[len(base.parts) :])


def _links_below(seen: Seen, base: Path, cwd: Path, is_wanted: Callable[[str], bool]) -> Iterator[Path]:
    """The links below a folder, level by level; what the working directory has itself is known by its names."""
    if os.path.islink(base):  # noqa: PTH114 - Path.is_symlink raises where its folder is closed to us
        yield base
    left, level, entered = _MOST_FOLDERS, [str(base)], {real_path(base)}
    for depth in range(_DEPTH):
        following: list[os.DirEntry[str]] = []
        for folder in level[:left]:
            if folder == str(cwd) and base != cwd:
                continue
            try:
                with os.scandir(seen.see(folder)) as entries:
                    wanted = (entry for entry in entries if depth or is_wanted(entry.name))
                    found = [*islice(wanted, _MOST_NAMES)]
            except OSError:
                continue
            yield from (Path(entry.path) for entry in found if entry.is_symlink())
            if len(found) <= _MOST_ENTERED:
                inner = (entry for entry in found if entry.name not in _MASSES)
                following += (entry for entry in inner if _is_entered(entry, entered, follows=base != cwd))
        left -= len(level)
        if left <= 0:
            return
        level = [entry.path for entry in sorted(following, key=lambda entry: entry.name not in _FIRST)]


def _is_entered(entry: os.DirEntry[str], entered: set[str], *, follows: bool) -> bool:
    """Whether a folder is looked into: behind a link of the person's own there may be others, but no folder twice."""
    try:
        if not entry.is_symlink():
            return entry.is_dir(follow_symlinks=False)
        real = real_path(entry.path)
        is_new = follows and real not in entered and entry.is_dir()
    except OSError:
        return False
    entered.add(real)
    return is_new
