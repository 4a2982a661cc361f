"""Calls that change all that is in a folder: what is protected there is changed with it, whether it is named or not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.permissions import patterns
from maverick_tui.agent.permissions.clearing import cleared_by, clears_away
from maverick_tui.agent.permissions.known_places import may_matter
from maverick_tui.agent.permissions.leading import entries_of, is_folder, real_paths
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.reading import has_target, name_of, takes_names
from maverick_tui.agent.permissions.unpacking import COMPRESSORS, only_tells
from maverick_tui.masking.key_files import compared

_WITH_ALL = {
    **dict.fromkeys(("rm", "grm"), r"-\w*[rR]|--r"),
    **dict.fromkeys(("chmod", "chown", "chgrp", "chcon", "chattr", "chflags", "setfacl"), r"-\w*R|--rec"),
    **dict.fromkeys(("gchmod", "gchown", "gchgrp"), r"-\w*R|--rec"),
    **dict.fromkeys(("gzip", "pigz", "zstd", "lz4"), r"-\w*r|--rec"),
    **dict.fromkeys(("trash", "trash-put", "rimraf", "mv", "gmv"), ""),
}
"""Options with which they change a folder and all that is in it."""
_MOVERS = frozenset({"mv", "gmv"})
_CHANGERS = frozenset(
    (*_WITH_ALL, *COMPRESSORS, *"cp gsed install ln perl rsync sed shred sponge tee touch truncate unlink".split())
)
"""Programs that change the files which they are given, unless they only tell what is in them."""
IN_PLACE = frozenset({"sed", "gsed", "perl"})
"""Of these it is so with `-i`."""
_FINDERS, _FD = frozenset({"find", "bfs"}), frozenset({"fd", "fdfind"})
_ACTION = re.compile(r"-(?:exec|ok|delete)")
_TEST = re.compile(r"[(!]|-(?![HLP]$)")
_FOLLOWING = frozenset({"-L", "-H", "-follow"})
"""With these, `find` comes to the same files by other names."""
_PLAIN_TESTS = frozenset("-type -name -iname -path -maxdepth -mindepth".split())
"""Tests of `find` that have one value."""
_BELOW = re.compile(r"[\w./*-]+/\*")
_HIDDEN = re.compile(r"-\w*[HuI]|--hid|--unr|--no-ig")
STATE = frozenset(".git .hg .svn .jj .bzr .sl .maverick .claude".split())
"""What is lost with a folder of the project: what a repository is, and what rules and agents there are. Its other
settings go with the folder that they are for.
"""
MADE = frozenset(
    "node_modules bower_components vendor pods site-packages dist-packages .tox .nox .venv venv .eggs __pycache__ build"
    " _build .build dist out target _deps deps .next .nuxt .cache .gradle .terraform .dart_tool deriveddata coverage"
    " tmp temp .tmp".split()
)
"""Folders of a project whose contents others have made, and make again: repositories among it are nobody's work."""


class Changed(NamedTuple):
    """A folder in which a call changes everything, or only what has names like these."""

    folder: str
    only: Sequence[str] = ()
    is_moved: bool = False
    passed_over: Sequence[str] = ()
    """Patterns for paths of files that are left as they are."""

    def concerns(self, place: Path, top: Path) -> bool:
        """Whether it changes something at or below a place in the folder, which really is `top`."""
        if self.passed_over and place.is_relative_to(top) and os.path.isdir(place):  # noqa: PTH112
            below = f"{self.folder.rstrip('/')}/{place.relative_to(top)}/"
            if any(fnmatchcase(below, pattern) for pattern in self.passed_over):
                return False
        return not self.only or any(self._fits(name) for name in _names_at(str(place)))

    def _fits(self, name: str) -> bool:
        return any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in self.only)


def why_changing_asks(
    calls: Sequence[Sequence[str]],
    here: Path,
    meant: Callable[[str], Iterable[str]],
    places: Places,
    *,
    is_read: bool,
) -> str:
    """Why calls ask that change all that is in a folder. `is_read` says that their words are certain."""
    changed = _changed(calls, here, meant, is_read=is_read)
    found = [(one, top) for one in changed for top in sorted(real_paths(one.folder, here))]
    if len(found) > patterns.MOST_SEARCHES:
        return "It changes too many folders to know what is in them."
    return next(filter(None, (_why(one, top, places) for one, top in found)), "")


def all_changed(
    calls: Sequence[Sequence[str]], here: Path, meant: Callable[[str], Iterable[str]]
) -> list[str | Path] | None:
    """All that is in folders which calls change as a whole, but for what is made anew; None if it is too much."""
    limits, found = Limits(), list[str | Path]()
    tops = {top for one in _changed(calls, here, meant, is_read=True) for top in real_paths(one.folder, here)}
    for top in sorted(top for top in tops if compared(top.name) not in MADE):
        for entry in _below(top, limits, MADE):
            if entry is None:
                return None
            found.append(Path(entry.path))
    return found


def _why(changed: Changed, top: Path, places: Places) -> str:
    for place in places.known_below(top):
        if changed.concerns(place, top):
            return _because(top, places.why_not_to_write(place) or f"{place} is in it.")
    if places.around.holds_home(top) and not changed.only:
        return _because(top, "your home directory is in it, with your keys.")
    is_inside = top.is_relative_to(places.cwd)
    if is_inside and (changed.is_moved or compared(top.name) in MADE):
        return ""
    for entry in _below(top, Limits(), MADE if is_inside else ()):
        if entry is None:  # only some names matter to who changes files of a name
            return "" if changed.only else f"There is too much in {top} to know what would be changed."
        is_state = compared(entry.name) in STATE and (is_inside or places.around.is_at_home(top))
        if not is_state and not may_matter(entry.name):
            continue
        place = Path(entry.path)
        if not changed.concerns(place, top):
            continue
        if reason := places.why_not_to_write(place) if is_state else places.why_not_to_lose(place):
            return _because(top, reason)
    return ""


def _because(top: Path, reason: str) -> str:
    return f"All of {top} would be changed: {reason}"


def _below(top: Path, limits: Limits, passed: Iterable[str] = ()) -> Iterator[os.DirEntry[str] | None]:
    """What is in a folder and below, what is near its top first; then None, if it is too much."""
    waiting = [str(top)]
    for folder in waiting:
        found = entries_of(folder)
        if not limits.spend(names=1 + len(found)):
            yield None
            return
        yield from found
        inner = (entry for entry in found if entry.is_dir(follow_symlinks=False))
        waiting += (entry.path for entry in inner if compared(entry.name) not in passed)


def _names_at(path: str) -> Iterator[str]:
    """The name of a place, and those below it but for git's own objects."""
    yield os.path.basename(path)  # noqa: PTH119
    yield from (entry.name for entry in _below(Path(path), Limits(), {"objects"}) if entry is not None)


# -- what calls say ----------------------------------------------------------------------------------------------------


def _changed(
    calls: Sequence[Sequence[str]], here: Path, meant: Callable[[str], Iterable[str]], *, is_read: bool
) -> Iterator[Changed]:
    """The folders that calls change as a whole. `meant` tells what a word stands for, if it is a pattern."""
    is_handed_on = any(takes_names(words) and any(map(_is_changer, _tails(words))) for words in calls)
    for words in calls:
        for one in _of_call(words, is_handed_on=is_handed_on, is_read=is_read):
            folders = (folder for folder in meant(one.folder) if is_folder(folder, here))
            yield from (one._replace(folder=folder) for folder in folders)


def _of_call(words: Sequence[str], *, is_handed_on: bool, is_read: bool) -> Iterator[Changed]:
    name, *rest = words[1:] if words[0] == "git" and words[1:2] == ["mv"] else words
    given = [word for at, word in enumerate(rest) if not word.startswith("-") or "--" in rest[:at]]
    if name in _MOVERS:
        # A pattern that stands alone may be several words.
        sources = given if has_target(rest) or len(given) == 1 else given[:-1]
        yield from (Changed(word, is_moved=True) for word in sources)
    elif name in _WITH_ALL and any(re.match(_WITH_ALL[name], word) for word in rest) and not only_tells(words):
        yield from map(Changed, given)
    elif name == "rsync":
        yield from map(Changed, given[-1:] if any(word.startswith("--del") for word in rest) else [])
        yield from map(Changed, given[:-1] if any(word.startswith("--remove-s") for word in rest) else [])
    elif clears_away(words):
        yield from map(Changed, cleared_by(words))
    elif name in _FINDERS and (is_handed_on or "-delete" in rest or any(map(_is_changer, _run_by(rest)))):
        are_split = is_handed_on and "-print0" not in rest  # at blanks: `x .git/config` becomes another file
        yield from _found(rest, is_read=is_read, are_split=are_split)
    elif name in _FD and any(map(_HIDDEN.match, rest)) and (is_handed_on or any(map(_is_changer, _tails(rest)))):
        yield from map(Changed, (".", *given))


def _tails(words: Sequence[str]) -> Iterator[Sequence[str]]:
    return (words[at:] for at in range(len(words)))


def _is_changer(words: Sequence[str]) -> bool:
    name = name_of(words[0])
    is_told = name not in IN_PLACE or any(re.match(r"-\w*i|--in", word) for word in words)
    return (name in _CHANGERS and is_told and not only_tells(words)) or clears_away(words)


def _run_by(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """What `find` runs with the files that it finds."""
    return (words[at:] for before, at in zip(words, range(1, len(words)), strict=False) if _ACTION.match(before))


def _found(words: Sequence[str], *, is_read: bool, are_split: bool) -> Iterator[Changed]:
    """Where `find` looks for what it changes, and by which names. In a text, what it passes over is not certain."""
    first = next((at for at, word in enumerate(words) if _TEST.match(word)), len(words))
    folders = [word for word in words[:first] if not word.startswith("-")] or ["."]
    branches = _branches(words[first:])
    if len(branches) > 1 and branches[0][-1:] == ["-prune"] and "(" not in branches[0]:  # nothing is done with that
        branches = branches[1:]
    is_certain = is_read and not are_split and _FOLLOWING.isdisjoint(words)
    tests = branches[0] if is_certain and len(branches) == 1 else None
    branches = [_without_negated(one) for one in branches] if is_read else branches
    names = [[value for test, value in pairwise(one) if test in ("-name", "-iname")] for one in branches]
    is_any = not all(names) or any(not {"!", "-not", ","}.isdisjoint(one) for one in branches)
    only = [] if is_any else [some[0] for some in names]
    for folder in folders:
        yield Changed(folder, only, passed_over=_passed_over(folder, tests) if tests is not None else [])


def _passed_over(folder: str, tests: Sequence[str]) -> list[str]:
    """What `find` leaves out of the files that it changes, if it only finds files: `-type f -not -path '*/.git/*'`.

    Only of tests each of which is known, with its value: any other may take the next words for its own. And `find` says
    a path as the folder was given, so that one is to be plain.
    """
    found, is_of_files, at = list[str](), False, 0
    tests = tests[:-1] if tests[-1:] in (["-print"], ["-print0"]) else tests
    while at < len(tests):
        is_not = tests[at] in ("!", "-not")
        test, value, *_ = (*tests[at + is_not : at + is_not + 2], "", "")
        if test not in _PLAIN_TESTS or (is_not and test == "-type"):
            return []
        is_of_files = is_of_files or (test, value) == ("-type", "f")
        found += [value] if is_not and test == "-path" and _BELOW.fullmatch(value) else []
        at += 2 + is_not
    return found if is_of_files and "//" not in folder else []


def _without_negated(tests: Sequence[str]) -> list[str]:
    """Tests without what must not be so, by a name: without it more is found."""
    negated = {at + one for at in _negated(tests) for one in range(3)}
    return [word for at, word in enumerate(tests) if at not in negated]


def _negated(tests: Sequence[str]) -> list[int]:
    """Where tests begin that a name must not fit, and that nothing else negates."""
    found = list[int]()
    for at, (word, test, _value) in enumerate(zip(tests, tests[1:], tests[2:], strict=False)):
        before = tests[at - 1] if at else ""
        is_told = not before.startswith("-") and before not in ("!", "(")
        if word in ("!", "-not") and test in ("-name", "-iname", "-path") and is_told:
            found.append(at)
    return found


def _branches(tests: Sequence[str]) -> list[list[str]]:
    """The alternatives, each up to where something is done: what stands behind that does not limit it."""
    found, is_over = [list[str]()], False
    for word in tests:
        if word in ("-o", "-or"):
            found.append([])
            is_over = False
        else:
            is_over = is_over or _ACTION.match(word) is not None
            found[-1] += [] if is_over else [word]
    return found
