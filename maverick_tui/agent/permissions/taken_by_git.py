"""Commands of git that take files away without naming each: `stash -u`, `clean`, `rm`. Git itself is asked which."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.permissions.known_places import may_matter
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.whole_folders import MADE, STATE
from maverick_tui.git.asking import ask
from maverick_tui.git.repository import find_repository
from maverick_tui.masking.key_files import compared

_UNTRACKED = re.compile(r"-[^-]*[ua]|--[ia]")
_ALSO_IGNORED = re.compile(r"-[^-]*a|--a")
_ONLY_SHOWS = re.compile(r"-[^-]*n|--d")
_ONLY_INDEX = re.compile(r"--c")
_EXCLUDES = re.compile(r"-[^-]*e|--e")
_FROM_FILE = re.compile(r"--p")
"""Options of these, which may be abbreviated."""


class Taking(NamedTuple):
    """What a call takes away: by which options git lists it, and at which paths, if not at all."""

    listing: Sequence[str]
    paths: Sequence[str] = ()
    from_top: bool = False
    """Whether all is all of the repository, and not what is below the folder of the call."""
    with_repositories: bool = False
    """Whether repositories inside go as well."""


def why_taking_asks(calls: Iterable[Sequence[str]], folders: Sequence[Path], places: Places) -> str:
    """Why calls ask that have git take away something protected, from one of the folders that they may be made in."""
    taking = (one for words in calls if words[0] == "git" for one in _takings(words[1:]))
    return next(filter(None, (_why(one, folder, places) for one in taking for folder in folders)), "")


def _why(taking: Taking, folder: Path, places: Places) -> str:
    repository = find_repository(folder)
    if repository is None:
        return ""
    top = repository.top if taking.from_top and not taking.paths else folder
    told = ask(top, "ls-files", "-z", *taking.listing, "--", *taking.paths)
    if told is None:
        return f"What git would take away from {top} cannot be known."
    for name in filter(None, os.fsdecode(told).split("\0")):
        if reason := _why_not_to_take(name, top, places, with_repositories=taking.with_repositories):
            return f"Git would take away what is in {top}: {reason}"
    return ""


def _why_not_to_take(name: str, top: Path, places: Places, *, with_repositories: bool) -> str:
    place = Path(os.path.normpath(top / name))
    if name.endswith("/"):  # git does not look into it
        return f"{place} is a repository of its own." if with_repositories else ""
    *folders, last = name.split("/")
    if not MADE.isdisjoint(map(compared, folders)):
        return ""
    if any(compared(part) in STATE for part in (*folders, last)):
        return places.why_not_to_write(place)
    return places.why_not_to_lose(place) if may_matter(last) else ""


# -- what calls say ----------------------------------------------------------------------------------------------------


def _takings(words: Sequence[str]) -> Iterator[Taking]:
    command, *rest = words or [""]
    dashes = rest.index("--") if "--" in rest else len(rest)
    own, behind = rest[:dashes], rest[dashes + 1 :]
    named = [*(word for word in own if not word.startswith("-")), *behind]
    if command == "stash" and any(map(_UNTRACKED.match, own)):
        first = "".join(rest[:1])
        others = _others(is_all=any(map(_ALSO_IGNORED.match, own)))
        if first == "push" or first.startswith("-"):
            yield Taking(others, named if behind else [], from_top=True)  # else a word may be the message
        elif first == "save":
            yield Taking(others, from_top=True)
    elif command == "clean":
        yield from _cleaned(own, named, is_limited=bool(behind))
    elif command == "rm" and not any(_ONLY_SHOWS.match(word) or _ONLY_INDEX.match(word) for word in own):
        yield Taking(["--cached"], [] if any(map(_FROM_FILE.match, own)) else named)


def _cleaned(own: Sequence[str], named: Sequence[str], *, is_limited: bool) -> Iterator[Taking]:
    """What stands behind `-e` is its value, whatever it looks like: neither an option, nor certainly a path."""
    excludes = any(map(_EXCLUDES.match, own))
    if not excludes and any(map(_ONLY_SHOWS.match, own)):
        return
    letters = "".join(word for word in own if re.match("-[^-]", word))
    paths = named if is_limited or not excludes else []
    is_deep = "d" in letters or bool(paths)
    is_forced_twice = letters.count("f") + sum(word.startswith("--f") for word in own) > 1
    listing = [*_others(is_all="x" in letters.lower()), *([] if is_deep else ["--directory"])]
    yield Taking(listing, paths, with_repositories=is_deep and is_forced_twice)


def _others(*, is_all: bool) -> list[str]:
    """What git does not track; what it ignores only if it is to be taken as well."""
    return ["--others", *([] if is_all else ["--exclude-standard"])]
