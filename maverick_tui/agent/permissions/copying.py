"""Where calls that copy, move or link put something: in a folder, by the names of what they take, unsaid."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from maverick_tui.agent.permissions.following import follows_links
from maverick_tui.agent.permissions.known_places import completed_by, may_matter
from maverick_tui.agent.permissions.leading import entries_of, is_folder, real_paths
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places, is_part_of_git
from maverick_tui.agent.permissions.reading import has_target
from maverick_tui.agent.permissions.shell import values_in, with_tails
from maverick_tui.agent.permissions.unpacking import COMPRESSORS
from maverick_tui.agent.permissions.whole_folders import IN_PLACE
from maverick_tui.real_paths import real_path

MOST_PUT = 40_000
"""Files and folders that are copied, until nobody can tell where all of them go."""
TOO_MUCH = "It copies too much to know where all of it is written."
_WITH_FOLDERS = frozenset("cp gcp rsync scp ditto".split())
"""They put what is in a folder into one that may be there."""
_AS_A_WHOLE = frozenset("mv gmv ln gln".split())
"""They put a folder where there is none of its name."""
_FILES = frozenset({"install", "ginstall"})
_FAR = re.compile(r"[^/]+:")
"""How a place on another machine begins, to `_TO_FAR`."""
_TO_FAR = frozenset({"rsync", "scp"})
_FETCHERS, _BY_ADDRESS = frozenset({"curl", "wget"}), re.compile(r"-[#\w]*O|--remote-n")
"""They give a file the name that its address ends with; curl with these options."""
_INTO = re.compile(r"-\w*P|--output-d|--directory-p")
_INTO_ALL = frozenset("tee gtee sponge".split())
"""They write what they read into all that they name."""
_PREFIXED = frozenset({"split", "csplit"})
"""They make names up behind what they are given, or behind an `x`."""
_TARS, _OCTAL = frozenset("tar gtar bsdtar".split()), re.compile(r"\\[0-7]")
"""They read such numbers wherever they are told a name."""
_PACKED = re.compile(r"(?P<name>.+)[._-]\w+")
_ENDING = re.compile(r"(?:-\w*?[iI]|--in[a-z-]*=)(?P<ending>.*)", re.DOTALL)
"""What an option of `IN_PLACE` adds to the name of a file, to keep it as it was; on a Mac it may be the next word."""
_PATCH = re.compile(r"(?:v.*-)?\d")
"""How the names begin that git gives to patches; the rest is what a commit says."""
_MANY = re.compile(r"-\w*[raR]|--rec|--arc|[^-].*[*?\[{]")
"""What has many files fetched from there."""


class Put(NamedTuple):
    """What a call puts somewhere, and where; with `is_filled` all that is in it comes to be below that, one by one."""

    source: str
    place: str
    is_filled: bool = False
    is_followed: bool = False
    """Whether that is so for what links in it lead to."""
    is_beside: bool = False
    """Whether it stays in the folder that it is in, and only has another name."""


def why_copying_asks(
    calls: Iterable[Sequence[str]], here: Path, meant: Callable[[str], Iterable[str]], places: Places, limits: Limits
) -> str:
    """Why calls ask that put something where they do not say."""
    written = list[str]()
    for words in calls:
        if reason := _why_unknown(words):
            return reason
        for put in _puts(words, here, meant):
            if not limits.spend(files=1):
                return TOO_MUCH
            written.append(put.place)
            why_not_there = "" if put.is_beside else places.why_not_to_put(put.place, here)
            if reason := places.why_not_to_write(put.place, here) or why_not_there:
                return reason
            if reason := _why_not_in_place_of(put, here, places):
                return reason
            if put.is_filled and (reason := _why_not_to_fill(put, here, places, limits, written)):
                return reason
    return places.why_together(written, here)


def _why_not_in_place_of(put: Put, here: Path, places: Places) -> str:
    """Why nothing is to come where nothing is yet: what a link of the person's leads to may come with it."""
    tops = (top for top in real_paths(put.place, here) if not entries_of(str(top)))
    missing = (place for top in tops for place in places.known_below(top, is_there=False))
    return next((places.why_not_to_write(place) or f"{place} may come with it." for place in missing), "")


def _why_not_to_fill(put: Put, here: Path, places: Places, limits: Limits, written: list[str]) -> str:
    """Why all that is in a folder is not to be put there. Of most of it, the name says that it is ordinary."""
    if (found := _filled(put, here)) is None or not limits.spend(names=len(found)):
        return TOO_MUCH
    tops = real_paths(put.place, here)
    ordinary = () if any(map(places.has_known_below, tops)) else tuple(f"{top}/" for top in tops)
    has_head = cache(lambda folder: os.path.lexists(f"{folder}/HEAD"))
    why_not_into = cache(lambda folder: places.why_not_to_put(Path(folder, "x")))
    for path in found:
        folder, _, name = path.rpartition("/")
        is_part = is_part_of_git(name)
        if path.startswith(ordinary) and not is_part and not has_head(folder):
            reason = places.why_not_to_add(Path(path)) if may_matter(name) else ""
        else:
            reason = places.why_not_to_write(Path(path)) if limits.spend(files=1) else TOO_MUCH
        if reason := reason or why_not_into(folder):
            return reason
        written += [path] if is_part else []
    return ""


def put_at(
    calls: Iterable[Sequence[str]], here: Path, meant: Callable[[str], Iterable[str]]
) -> list[str | Path] | None:
    """All places at which calls put something, with what is in folders; None if it is too much."""
    found, limits = list[str | Path](), Limits()
    for put in (put for words in calls for put in _puts(words, here, meant)):
        below = _filled(put, here, MOST_PUT - len(found)) if limits.spend(files=1) else None
        if below is None:
            return None
        found += (os.path.join(here, put.place), *map(Path, below))  # noqa: PTH118 - a place may begin anew
    return found


def _why_unknown(words: Sequence[str]) -> str:
    """Why nobody can say where a call that copies writes."""
    name, *rest = words
    if name in _TARS and any(map(_OCTAL.search, rest)):
        return "It spells names by the numbers of their characters."
    if name in _TO_FAR and any(map(_FAR.match, rest[:-1])) and any(map(_MANY.match, rest)):
        return "It writes what is on another machine, and where to is not known."
    if name in _PREFIXED and any(end.rpartition("/")[2].startswith(".") for word in rest for end in with_tails(word)):
        return "It makes hidden files, and how they will be called is not known."
    suffix = r"--suf" if name in _TO_FAR else r"-\w*S|--su"
    is_suffixed = (_is_copying(words) or name in COMPRESSORS) and any(re.match(suffix, word) for word in rest)
    return "It gives a file a name that is made of two." if is_suffixed else ""


def _puts(words: Sequence[str], here: Path, meant: Callable[[str], Iterable[str]]) -> Iterator[Put]:
    """What a call puts where no word of it says. `meant` tells what a word stands for, if it is a pattern."""
    name, *rest = words[1:] if _is_of_git(words) else words
    if name in COMPRESSORS:  # to unpack is to take away the end of a name: `.gz`, or `-gz` and `_z`
        packed = (found for word in rest for one in meant(word) if (found := _PACKED.fullmatch(one)))
        yield from (Put(found[0], found["name"]) for found in packed)
    if name in IN_PLACE:
        yield from _kept_beside(rest, meant)
    if name in _FETCHERS and (name == "wget" or any(map(_BY_ADDRESS.match, rest))):
        yield from _fetched(rest, here)
    if name in _INTO_ALL:
        yield from (Put("", word) for word in rest if not word.startswith("-"))
    if name in _PREFIXED:
        yield from (Put(word, f"{word}{end}") for word in ("x", *rest) for end in _ends(word, here))
    if words[0] == "git" and words[1:2] == ["format-patch"]:
        folders = {".", *(end for word in rest for end in (*with_tails(word), word.rpartition("=")[2]) if end)}
        links = (f"{folder}/{link}" for folder in folders for link in _ends(f"{folder}/", here) if _PATCH.match(link))
        yield from (Put(link, link) for link in links)
    if not _is_copying(words):
        return
    given = [word for at, word in enumerate(rest) if not word.startswith("-") or "--" in rest[:at]]
    targets = [*dict.fromkeys(one for target in _targets(name, rest, given) for one in meant(target))]
    keeps_way = any(re.match(r"--par|--rel|-\w*R" if name == "rsync" else "--par", word) for word in rest)
    is_followed = name in _WITH_FOLDERS and follows_links(words)
    for target in (target for target in targets if name not in _TO_FAR or not _FAR.match(target)):
        is_there = len(targets) > 1 or is_folder(target, here)
        for source in (one for word in given if word != target for one in meant(word)):
            last = re.split("[/:]" if name in _TO_FAR else "/", source.rstrip("/"))[-1]
            inner = {last} - {".", ".."} if is_there else set[str]()
            inner |= {source.strip("/"), source.rpartition("/./")[2]} if keeps_way else set()
            places = [target, *(f"{target}/{way}" for way in inner)]
            if name in _WITH_FOLDERS:
                is_filled = is_folder(source, here)
                yield from (Put(source, one, is_filled, is_followed) for one in places)
            else:
                yield from (put for one in _leading(name, source, target) for put in _moved(one, places, here))


def _kept_beside(words: Sequence[str], meant: Callable[[str], Iterable[str]]) -> Iterator[Put]:
    """Where files are kept as they were before they are changed: by what is added to their names, or put around.

    Nobody knows here which word is a script: `-i s/node_modules/x/`. None names a folder to copy to, as a joined ending
    does with a `/`.
    """
    told = ((_ENDING.fullmatch(word), following) for word, following in pairwise((*words, "")))
    endings = [(found["ending"] or following, "/" not in found["ending"]) for found, following in told if found]
    names = [one for word in words if not word.startswith("-") for one in meant(word)]
    for (ending, is_beside), name in product(endings, names):
        place = ending.replace("*", name) if "*" in ending else f"{name}{ending}"
        yield Put(name, place, is_beside=is_beside)


def _fetched(words: Sequence[str], here: Path) -> Iterator[Put]:
    """Files that are called as their addresses end, in any folder that may be meant."""
    said = (
        end
        for before, word in pairwise(("", *words))
        if _INTO.match(before) or _INTO.match(word)
        for end in values_in(word)
    )
    folders = {".", *said, *(word for word in words if is_folder(word, here))}
    for address in (word for word in words if "/" in word and not word.startswith("-")):
        plain = re.split("[?#]", address)[0].rstrip("/").rpartition("/")[2]
        last = address.partition("#")[0].rpartition("/")[2]
        names = {name for one in (plain, last) for name in _unquoted(one)} - {"", ".", ".."}
        yield from (Put(address, f"{folder}/{name}") for folder in sorted(folders) for name in sorted(names))


def _unquoted(name: str) -> Iterator[str]:
    """A name of an address, and what it is called once nothing in it stands for another character: wget looks twice."""
    yield name
    while (plain := unquote(name)) != name:
        yield (name := plain)


def _ends(beginning: str, here: Path) -> Iterator[str]:
    """How the names of links go on that begin so: whoever makes a name up may hit upon one."""
    folder, name = os.path.split(os.path.join(here, beginning))  # noqa: PTH118 - pathlib would drop a trailing slash
    links = (one.name for one in entries_of(folder) if one.name.startswith(name) and one.is_symlink())
    return (link[len(name) :] for link in links)


def _is_copying(words: Sequence[str]) -> bool:
    return words[0] in _WITH_FOLDERS | _AS_A_WHOLE | _FILES or _is_of_git(words)


def _is_of_git(words: Sequence[str]) -> bool:
    return words[0] == "git" and words[1:2] == ["mv"]


def _targets(name: str, rest: Sequence[str], given: Sequence[str]) -> list[str]:
    """The words that may be where a call puts things: the last one, or what an option names.

    A word behind an option may be its value, and then the one before it is the last.
    """
    pairs = [(before, word) for before, word in zip(("", *rest), rest, strict=False) if word in given]
    found = ["."] if name in ("ln", "gln") and len(given) == 1 else []
    for before, word in reversed(pairs):
        found.append(word)
        if not before.startswith("-"):
            break
    if name not in _TO_FAR and has_target(rest):
        found += (word for before, word in pairs if before.startswith("-"))
        found += (end for word in rest if word.startswith("-") for end in (*with_tails(word), word.rpartition("=")[2]))
    return list(dict.fromkeys(filter(None, found)))


def _leading(name: str, source: str, target: str) -> list[str]:
    """What a source may mean: a link leads from where it is."""
    above = os.path.dirname(target.rstrip("/"))  # noqa: PTH120 - pathlib would make `.` of nothing
    return [source, f"{target}/{source}", os.path.join(above, source)] if name in ("ln", "gln") else [source]  # noqa: PTH118


def _moved(source: str, places: Iterable[str], here: Path) -> Iterator[Put]:
    """A source at its new places, and what is known in it by its new name alone: `config.toml`, if that is `.cargo`."""
    for place in places:
        yield Put(source, place)
        ways = completed_by(Path(os.path.normpath(here / place)).parts)
        yield from (Put(f"{source}/{way}", f"{place}/{way}") for way in ways if os.path.lexists(here / source / way))


def _filled(put: Put, here: Path, most: int | None = None) -> list[str] | None:
    """Where all comes to be that is in a folder, by the links that are there; None if it is more than `most`."""
    found = list[str]()
    waiting = [(str(source), str(to)) for source in real_paths(put.source, here) for to in real_paths(put.place, here)]
    while waiting:
        folder, to = waiting.pop()
        inner = [(entry.name, entry.path, _is_entered(entry, put)) for entry in entries_of(folder)]
        if len(found) + len(inner) > (MOST_PUT if most is None else most):
            return None
        is_there = os.path.isdir(to)  # noqa: PTH112
        for name, path, is_entered in inner:
            place = f"{to}/{name}"
            if is_there and os.path.islink(place):  # noqa: PTH114
                place = real_path(place)
            found.append(place)
            waiting += [(path, place)] if is_entered else []
    return found


def _is_entered(entry: os.DirEntry[str], put: Put) -> bool:
    try:
        return entry.is_dir(follow_symlinks=put.is_followed)
    except OSError:  # a link to itself
        return False
