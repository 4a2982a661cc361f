"""Commands of git that take files away without naming each: `stash -u`, `clean`, `rm`. Git itself is asked which. And
worktrees, which git knows by the ends of their paths.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.permissions.known_places import may_matter
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.whole_folders import MADE, STATE
from maverick_tui.git.asking import ask
from maverick_tui.git.repository import find_repository, worktrees_of
from maverick_tui.masking.key_files import compared
from maverick_tui.real_paths import real_path

TOO_MUCH = "Git would take away more than can be looked at."
_UNTRACKED = re.compile(r"-[^-]*[ua]|--[ia]")
_ALSO_IGNORED = re.compile(r"-[^-]*a|--a")
_ONLY_SHOWS = re.compile(r"-[^-]*n|--d")
_ONLY_INDEX = re.compile(r"--c")
_TAKEN_BACK = re.compile(r"--n")
_EXCLUDES = re.compile(r"-[^-]*e|--e")
_FROM_FILE = re.compile(r"--p")
"""Options of these, which may be abbreviated."""


class Taking(NamedTuple):
    """What a call takes away: by which options git lists it, and at which paths, if not at all."""

    listing: tuple[str, ...]
    paths: tuple[str, ...] = ()
    from_top: bool = False
    """Whether all is all of the repository, and not what is below the folder of the call."""
    with_repositories: bool = False
    """Whether repositories inside go as well."""


def why_taking_asks(calls: Iterable[Sequence[str]], folders: Sequence[Path], places: Places, limits: Limits) -> str:
    """Why calls ask that have git take away something protected, from one of the folders that they may be made in."""
    of_git = [words[1:] for words in calls if words[0] == "git"]
    taking = dict.fromkeys(one for words in of_git for one in _takings(words))
    made_in = dict.fromkeys(folders)
    ends = {word.rstrip("/") for words in of_git if _takes_worktree(words) for word in words[2:]}
    reasons = chain(
        (_why_not_at(ends, folder, places) for folder in made_in if ends),
        (_why(one, folder, places, limits) for one in taking for folder in made_in),
    )
    return next(filter(None, reasons), "")


def taken_by(words: Sequence[str], folder: Path, limits: Limits) -> list[str] | None:
    """The paths that a call of git, without the word `git`, takes away; None if it cannot be told, or is too much."""
    found: list[str] = []
    for one in _takings(words):
        top = _top_of(one, folder)
        names = _listed(one, top) if top is not None and limits.spend(searches=1) else None
        has_repository = names is not None and one.with_repositories and any(name.endswith("/") for name in names)
        if top is None or names is None or has_repository:
            return None
        found += (str(_place(top, name)) for name in names if not name.endswith("/"))
    return found


def _top_of(taking: Taking, folder: Path) -> Path | None:
    """Where the names of what is taken begin; None where there is no repository."""
    if (repository := find_repository(folder)) is None:
        return None
    return repository.top if taking.from_top and not taking.paths else folder


def _listed(taking: Taking, top: Path) -> list[str] | None:
    told = ask(top, "ls-files", "-z", *taking.listing, "--", *taking.paths)
    return None if told is None else [name for name in os.fsdecode(told).split("\0") if name]


def _why_not_at(ends: Iterable[str], folder: Path, places: Places) -> str:
    """Why the worktrees whose paths end so are not to be taken away."""
    repository = find_repository(folder)
    found = worktrees_of(repository) if repository is not None else []
    named = [place for place in found if any(f"/{place}".casefold().endswith(f"/{end}".casefold()) for end in ends)]
    return next(filter(None, map(places.why_not_to_write, named)), "")


def _why(taking: Taking, folder: Path, places: Places, limits: Limits) -> str:
    if (top := _top_of(taking, folder)) is None:
        return ""
    if not limits.spend(searches=1):
        return TOO_MUCH
    if (names := _listed(taking, top)) is None:
        return f"What git would take away from {top} cannot be known."
    if (known := _first_known(names, top, places)) is not None:
        return f"Git would take away what is in {top}: {places.why_not_to_write(known) or f'{known} is in it.'}"
    for name in _in_no_made_folder(names):
        if not limits.spend(names=1):
            return TOO_MUCH
        if reason := _why_not_to_take(name, top, places, with_repositories=taking.with_repositories):
            return f"Git would take away what is in {top}: {reason}"
    return ""


def _first_known(names: Sequence[str], top: Path, places: Places) -> Path | None:
    """The first place among these that matters by where it is, such as a file that a link in the home leads to."""
    above, taken = Path(real_path(top)), sorted(names)
    for place in places.known_below(above):
        name = str(place.relative_to(above)) if place.is_relative_to(above) else ""
        for wanted in (name, f"{name}/") if name else ():
            at = bisect_left(taken, wanted)
            found = taken[at] if at < len(taken) else ""
            if found == name or (wanted.endswith("/") and found.startswith(wanted)):
                return place
    return None


def _in_no_made_folder(names: Iterable[str]) -> Iterator[str]:
    """Those that are not in a folder which others make again, and repositories; most files have one before them that is
    in the same folder.
    """
    is_made, before = False, ""
    for name in names:
        folder = name.rpartition("/")[0]
        if folder != before:
            is_made, before = not MADE.isdisjoint(map(compared, folder.split("/"))), folder
        if not is_made or name.endswith("/"):
            yield name


def _why_not_to_take(name: str, top: Path, places: Places, *, with_repositories: bool) -> str:
    if name.endswith("/"):  # git does not look into it
        return f"{_place(top, name)} is a repository of its own." if with_repositories else ""
    parts = name.split("/")
    if any(compared(part) in STATE for part in parts):
        return places.why_not_to_write(_place(top, name))
    return places.why_not_to_lose(_place(top, name)) if may_matter(parts[-1]) else ""


def _place(top: Path, name: str) -> Path:
    return Path(os.path.normpath(top / name))


# -- what calls say ----------------------------------------------------------------------------------------------------


def _takes_worktree(words: Sequence[str]) -> bool:
    return [*words[:2]] in (["worktree", "remove"], ["worktree", "move"])


def _takings(words: Sequence[str]) -> Iterator[Taking]:
    command, *rest = words or [""]
    dashes = rest.index("--") if "--" in rest else len(rest)
    own, behind = rest[:dashes], rest[dashes + 1 :]
    if any(word.startswith("-") for word in behind):  # `--` may be a value, as in `stash push -m -- -u`: no end of them
        own, behind = rest, []
    named = [*(word for word in own if not word.startswith("-")), *behind]
    if command == "stash" and any(map(_UNTRACKED.match, own)):
        first = "".join(rest[:1])
        others = _others(is_all=any(map(_ALSO_IGNORED.match, own)))
        if first == "push" or first.startswith("-"):
            yield Taking(others, tuple(named if behind else ()), from_top=True)  # else a word may be the message
        elif first == "save":
            yield Taking(others, from_top=True)
    elif command == "clean":
        yield from _cleaned(own, named, is_limited=bool(behind))
    elif command == "rm":
        is_from_file = any(map(_FROM_FILE.match, own))  # whose name may look like an option
        if is_from_file or not _is_told(own, _ONLY_SHOWS, _ONLY_INDEX):
            yield Taking(("--cached",), () if is_from_file else tuple(named))


def _cleaned(own: Sequence[str], named: Sequence[str], *, is_limited: bool) -> Iterator[Taking]:
    """What stands behind `-e` is its value, whatever it looks like: neither an option, nor certainly a path."""
    excludes = any(map(_EXCLUDES.match, own))
    if not excludes and _is_told(own, _ONLY_SHOWS):
        return
    letters = "".join(word for word in own if re.match("-[^-]", word))
    paths = named if is_limited or not excludes else []
    is_deep = "d" in letters or bool(paths)
    is_forced_twice = letters.count("f") + sum(word.startswith("--f") for word in own) > 1
    listing = (*_others(is_all="x" in letters.lower()), *(() if is_deep else ("--directory",)))
    yield Taking(listing, tuple(paths), with_repositories=is_deep and is_forced_twice)


def _is_told(own: Sequence[str], *options: re.Pattern[str]) -> bool:
    """Whether one of these options is given, and none may be taken back: of `-n --no-dry-run` the last one counts."""
    is_given = any(option.match(word) for word in own for option in options)
    return is_given and not any(map(_TAKEN_BACK.match, own))


def _others(*, is_all: bool) -> tuple[str, ...]:
    """What git does not track; what it ignores only if it is to be taken as well."""
    return ("--others",) if is_all else ("--others", "--exclude-standard")
