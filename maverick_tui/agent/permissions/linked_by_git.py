"""Links that git has: with them in a clone, a file may have another name that nobody sees in its own folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from maverick_tui.agent.permissions.leading import entries_of
from maverick_tui.agent.permissions.looked_up import Seen
from maverick_tui.git.index import LINK, SUBMODULE, in_index
from maverick_tui.git.repository import Repository, find_repository
from maverick_tui.ownership import is_persons

_MOST_REPOSITORIES = 1_000
_MOST_NAMES = 500_000
"""Names that are looked at for links where git does not tell them."""
_MOST_KNOWN = 2 * _MOST_REPOSITORIES

_Found = tuple[list[Path], list[Path]]
"""Links, and submodules."""
_known: dict[Repository, tuple[object, _Found | None]] = {}
"""Those of repositories, each with the stamp of its index: git is not asked again for what has not changed."""


def repositories_around(folder: Path) -> Iterator[Repository]:
    """The repository that a folder is in, that which this is in, and so on; above the folder, those of the person."""
    while (found := find_repository(folder)) is not None:
        if found.top == folder or is_persons(str(found.top)):
            yield found
        if (folder := found.top.parent) == found.top:
            return


def linked_by_git(seen: Seen, repositories: Iterable[Repository]) -> list[Path] | None:
    """The links in repositories, and in submodules of theirs; None if they cannot be known.

    In a large project they may be deeper, or among more, than is looked at, and whoever may write files makes as many
    folders as they like.
    """
    waiting, known, links = [*repositories], set[Repository](), dict[Path, None]()
    while waiting:
        if (repository := waiting.pop()) in known:
            continue
        known.add(repository)
        found = _found_in(seen, repository)
        if found is None or len(known) > _MOST_REPOSITORIES:
            return None
        links |= dict.fromkeys(found[0])
        there = (top for top in found[1] if os.path.lexists(seen.see(str(top / ".git"))))
        waiting += (inner for top in there if (inner := find_repository(top)) is not None)
    return [link for link in links if os.path.islink(link)]  # noqa: PTH114


def _found_in(seen: Seen, repository: Repository) -> _Found | None:
    stamp = seen.stamp(str(repository.own / "index"))
    known = _known.get(repository)
    if known is None or known[0] != stamp:
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        told = in_index(repository, LINK, SUBMODULE)
        found = (told[LINK], told[SUBMODULE]) if told is not None else _links_below(repository.top)
        known = _known[repository] = stamp, found
    return known[1]


def _links_below(top: Path) -> _Found | None:
    """All links below a folder, where git tells nothing: it is not there, say, or the repository is another user's."""
    left, links, waiting = _MOST_NAMES, list[Path](), [str(top)]
    while waiting:
        found = entries_of(waiting.pop())
        left -= 1 + len(found)
        if left < 0:
            return None
        links += (Path(one.path) for one in found if one.is_symlink())
        waiting += (one.path for one in found if one.name != ".git" and one.is_dir(follow_symlinks=False))
    return links, []
