"""Other names of a place: of dotfiles, the project's file is the one that the shell starts with.

Links are found where they are known to matter: among the settings in the home directory, in Maverick's and Claude
Code's own folders, and in the working directory. It takes some milliseconds, so it goes only so far, and what was found
is kept while these folders are as they were. Links that git has are known however deep they and their repositories are.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from maverick_tui import paths
from maverick_tui.agent.permissions.known_places import completed_by, is_run_by_others
from maverick_tui.agent.permissions.leading import is_within
from maverick_tui.agent.permissions.linked_by_git import linked_by_git, repositories_around
from maverick_tui.agent.permissions.looked_up import Seen, looked_up
from maverick_tui.git.repository import find_repository
from maverick_tui.masking.key_files import compared_names, is_of_keys
from maverick_tui.real_paths import real_path

_DEPTH = 4
_MOST_FOLDERS = 2_000
"""Folders that are looked at below one, those near the top first."""
_MOST_SEARCHED = 50_000
"""Folders of a project that are searched for repositories: an agent makes as many as it likes, unasked."""
_MOST_KNOWN = 2 * _MOST_SEARCHED
_MOST_ENTERED = 500
"""Folders in one that are entered; of more, those with names as settings have them."""
_MOST_NAMES = 20_000
_FIRST = (".config", ".local", ".claude", "bin", "maverick")
"""What is looked at before other folders beside it."""
_LONGEST_WAY = 50
"""More links than any system follows one after the other."""
_ANYTHING = [".git"]
"""By which name a folder may be known whose links are not."""
_MASSES = frozenset({".cache", ".git", "node_modules", "objects", "site-packages"})
"""What holds much that nobody links by hand."""
_NOT_SEARCHED = {*_MASSES, "__pycache__"} - {"objects"}
"""What holds much, and no repositories; also a project may call its own things objects."""


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
    of_own = (link for folder in own for link in _followed(folder, _links_below(seen, folder, cwd, is_wanted)))
    found = [link.seen_by(seen, "own") for link in of_own]
    if home is not None:
        of_home = _links_below(seen, home, cwd, _is_hidden)
        found += (link.seen_by(seen, "home") for link in _followed(home, of_home))
    in_project, is_all = _links_of_project(seen, cwd, home)
    for base, links in in_project.items():
        named = (link for link in dict.fromkeys(links) if _matters(compared_names(link.parts[len(base.parts) :])))
        found += (link.seen_by(seen, "project") for link in _followed(base, named))
    return found if is_all else [*found, Alias(cwd, _ANYTHING, "project")]


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _matters(names: list[str]) -> bool:
    return is_of_keys(names, is_at_home=False) or is_run_by_others(names) or any(completed_by(names))


def _links_of_project(seen: Seen, cwd: Path, home: Path | None) -> tuple[dict[Path, list[Path]], bool]:
    """The links in the working directory, and around it in its repository, by the folders where their names begin; and
    whether these are all.
    """
    around = [*repositories_around(cwd)]
    top = around[-1].top if around else cwd
    found = {cwd: [*_links_below(seen, cwd, cwd, lambda _name: True, follows=False)]}
    for folder in cwd.parents:
        if not is_within(folder, top) or (home is not None and is_within(home, folder)):
            break
        found[folder] = [*_links_below(seen, folder, cwd, _is_hidden, follows=False)]
    below = _repositories_below(seen, cwd)
    inner = map(find_repository, below or ())
    tracked = linked_by_git(seen, (*around, *(one for one in inner if one is not None)))
    for link in tracked or ():
        found.setdefault(cwd if link.is_relative_to(cwd) else top, []).append(link)
    return found, below is not None and tracked is not None


def _repositories_below(seen: Seen, cwd: Path) -> list[Path] | None:
    """The folders that are repositories in the working directory, however deep; None if it is too large to say."""
    found, folders = list[Path](), [str(cwd)]
    for folder in folders:
        listing = _listed(seen, folder)
        if len(folders) > _MOST_SEARCHED or not listing.is_whole:
            return None
        if any(one.name == ".git" for one in listing.entries):
            found.append(Path(folder))
        inner = (one.name for one in listing.entries if one.is_folder and one.name not in _NOT_SEARCHED)
        folders += [f"{folder}/{name}" for name in inner]
    return found


class _Link(NamedTuple):
    """A link, where it leads, and by which names it is known."""

    path: Path
    real: str
    names: list[str]

    def seen_by(self, seen: Seen, of: Literal["home", "project", "own"]) -> Alias:
        """What it is another name for, perhaps by other links, which may lead elsewhere the next time."""
        seen.see(str(self.path))
        return Alias(Path(self.real), self.names, of)


def _followed(base: Path, links: Iterable[Path]) -> Iterator[_Link]:
    """Where links below a folder lead."""
    known: dict[str, str] = {}
    for link in links:
        if real := _real_of(link, known):
            yield _Link(link, real, compared_names(link.parts[len(base.parts) :]))


def _real_of(link: Path, known: dict[str, str]) -> str:
    """Where a link leads; nothing where no system follows it, through so many others.

    There may be thousands of links to links, and each is followed once: `known` says where others lead, and folders.
    """
    try:
        os.stat(link)  # noqa: PTH116
    except OSError as error:
        if error.errno == errno.ELOOP:
            return ""
    except ValueError:
        return ""
    above = str(link.parent)
    folder = known[above] if above in known else known.setdefault(above, real_path(above))
    way, at = list[str](), os.path.join(folder, link.name)  # noqa: PTH118
    while at not in known:
        way.append(at)
        try:
            target = os.readlink(at)  # noqa: PTH115
        except OSError:  # it is none
            known[at] = at
            break
        if "/" in target or target in (".", "..") or len(way) > _LONGEST_WAY:
            known[at] = real_path(at)
            break
        at = os.path.join(folder, target)  # noqa: PTH118
    real = known[at]
    known.update(dict.fromkeys(way, real))
    return real


def _links_below(
    seen: Seen,
    base: Path,
    cwd: Path,
    is_wanted: Callable[[str], bool],
    *,
    follows: bool = True,
) -> Iterator[Path]:
    """The links below a folder, level by level; what the working directory has itself is known by its names.

    Other folders are looked into by its links if it `follows` them: not those of a project.
    """
    if os.path.islink(base):  # noqa: PTH114 - Path.is_symlink raises where its folder is closed to us
        yield base
    left, level, entered = _MOST_FOLDERS, [str(base)], {real_path(base)}
    elsewhere = None if base == cwd else str(cwd)
    for depth in range(_DEPTH):
        following: list[str] = []
        for folder in level[:left]:
            if folder == elsewhere:
                continue
            found = [one for one in _listed(seen, folder).entries if depth or is_wanted(one.name)]
            yield from (Path(folder, one.name) for one in found if one.is_link)
            inner = [one for one in found if one.name not in _MASSES and (one.is_folder or one.is_link)]
            if len(inner) > _MOST_ENTERED:
                inner = [one for one in inner if one.name.startswith(".") or one.name in _FIRST]
            following += (
                os.path.join(folder, one.name)  # noqa: PTH118
                for one in inner[:_MOST_ENTERED]
                if _is_entered(folder, one, entered, follows=follows)
            )
        left -= len(level)
        if left <= 0:
            return
        level = sorted(following, key=lambda path: path.rpartition("/")[2] not in _FIRST)


class _Entry(NamedTuple):
    """A name in a folder, of a link, a folder, or what makes it a repository."""

    name: str
    is_link: bool
    is_folder: bool


class _Listing(NamedTuple):
    """What is in a folder, but for its other files."""

    entries: list[_Entry]
    is_whole: bool = True


_known: dict[str, tuple[object, _Listing]] = {}
"""What is in folders, each with its stamp: where one of many has changed, the others are not read again."""


def _listed(seen: Seen, folder: str) -> _Listing:
    stamp = seen.stamp(folder)
    known = _known.get(folder)
    if known is None or known[0] != stamp:
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        known = _known[folder] = stamp, _read(folder)
    return known[1]


def _read(folder: str) -> _Listing:
    try:
        with os.scandir(folder) as entries:
            read = [
                _Entry(entry.name, entry.is_symlink(), entry.is_dir(follow_symlinks=False))
                for entry in islice(entries, _MOST_NAMES)
            ]
            is_whole = next(entries, None) is None
    except OSError:
        return _Listing([])
    return _Listing([one for one in read if one.is_link or one.is_folder or one.name == ".git"], is_whole)


def _is_entered(folder: str, entry: _Entry, entered: set[str], *, follows: bool) -> bool:
    """Whether a folder is looked into: behind a link of the person's own there may be others, but no folder twice."""
    if not entry.is_link or not follows:
        return entry.is_folder
    path = os.path.join(folder, entry.name)  # noqa: PTH118
    real = real_path(path)
    is_new = real not in entered and os.path.isdir(path)  # noqa: PTH112
    entered.add(real)
    return is_new
