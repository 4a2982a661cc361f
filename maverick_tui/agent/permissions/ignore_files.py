"""Files that say what ripgrep leaves out: it prints the lines that it does not understand, even those of a key, and
reads each to its end, even of a device that has none.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from maverick_tui.agent.permissions.leading import LONGEST_PATH
from maverick_tui.agent.permissions.places import Places
from maverick_tui.git.asking import ask
from maverick_tui.git.repository import read_small
from maverick_tui.real_paths import real_path
from maverick_tui.walking import is_too_long, walk

MOST_SEEN = 20_000
"""Files and folders that are looked at before a search."""

MOST_FOLDERS = 5_000
"""Those that are looked into for such files, before git is asked for its own."""
_TOO_LONG = f"It searches a path of more than {LONGEST_PATH:,} characters, which no system opens."
_NAMES = (".gitignore", ".ignore", ".rgignore")
_SILENT = re.compile("--no-messages|--no-ignore|--no-ignore-messages|--unrestricted|-u+")
_POINTER = re.compile(r"gitdir: ([^\r\n\0]+)\n?")
_COMMON = "../..\n"
"""What git writes into a worktree's `commondir`. Ripgrep and git may read anything else differently."""


def why_not_to_heed(words: Sequence[str], path: str, here: Path, places: Places) -> str:
    """Why a call of ripgrep asks: such a file in or above what it searches leads elsewhere, or is a pipe."""
    if words[0] != "rg":
        return ""
    first = words[1] if len(words) > 1 else ""  # further on it may be the value of another option
    if _SILENT.fullmatch(first):
        return why_without_end(path, here)
    if (top := _top_of(path, here)) is None:
        return _TOO_LONG
    odd = [file for folder in top.parents for file in _odd_files(folder, here, places)]
    left, unread = MOST_SEEN, list[OSError]()
    for folder, folders, files in walk(top, unread.append):
        left -= len(folders) + len(files)
        if left < 0:
            return "There are too many files to be looked through for links; with `rg --no-messages` nobody has to."
        # A file system may find a file by another case of its name.
        named = [name for name in (*folders, *files) if name.casefold() in (*_NAMES, ".git")]
        if named:
            odd += _odd_files(Path(folder), here, places)
            odd += (file for name in named if (file := Path(folder, name)).is_symlink() and _leads_out(file, places))
        if ".git" in folders:
            folders.remove(".git")
    if any(map(is_too_long, unread)):  # ripgrep begins its own names here, which are shorter
        return "Some folders are too deep to be looked through for links; with `rg --no-messages` nobody has to."
    return f"{odd[0]} leads elsewhere, and ripgrep prints the lines of it that it does not understand." if odd else ""


def why_without_end(path: str, here: Path) -> str:
    """Why any search of a folder asks: such a file leads to what is none, and may have no end."""
    if (top := _top_of(path, here)) is None:
        return _TOO_LONG
    above = (file for folder in top.parents for file in _lists_in(folder, here))
    found = next((file for file in chain(above, _lists_below(top, here)) if not _has_end(file)), "")
    real = real_path(found)
    return f"A search reads {found} first, which leads to {real}: that need not have an end." if found else ""


def _top_of(path: str, here: Path) -> Path | None:
    """What is searched; None if nobody can open it: to look into each folder above would take minutes."""
    whole = os.path.normpath(os.path.join(here, path))  # noqa: PTH118 - as for the others of these
    return None if len(whole) > LONGEST_PATH else Path(real_path(here / path))


def _lists_in(folder: Path, here: Path) -> Iterator[str]:
    yield from (str(folder / name) for name in _NAMES)
    yield from _lists_of_git(folder / ".git", here)


def _lists_of_git(git: Path, here: Path) -> Iterator[str]:
    """What a search reads in git's own folder. A clone brings no links there, but what is unpacked may."""
    yield from map(str, _excludes(git))
    if pointer := _POINTER.fullmatch(read_small(git) or ""):
        for own in _pointed_to(git.parent, pointer[1], here):
            common = own / "commondir"
            yield str(common)
            yield from map(str, (*_excludes(own), *_excludes(own / (read_small(common) or _COMMON).strip())))


def _lists_below(top: Path, here: Path) -> Iterator[str]:
    """Such files in a folder: where it has very many others, those alone that came with the repository."""
    wanted, left = deque([str(top)]), MOST_FOLDERS
    while wanted and left:
        left -= 1
        with suppress(OSError, ValueError), os.scandir(wanted.popleft()) as entries:  # or no file can be named so
            for entry in entries:
                if entry.name.casefold() in _NAMES:
                    yield entry.path
                    continue
                if entry.name.casefold() == ".git":
                    yield from _lists_of_git(Path(entry.path), here)
                if entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                    wanted.append(entry.path)
    if wanted:
        told = ask(top, "ls-files", "-z", "--", *(f":(glob,icase)**/{name}" for name in _NAMES))
        yield from (str(top / os.fsdecode(name)) for name in (told or b"").split(b"\0") if name)


def _has_end(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 - as for the others of these
    except (OSError, ValueError):  # it is not there, leads nowhere, or nothing can be named so
        return True
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind) or real_path(path) == os.devnull


def _leads_out(link: Path, places: Places) -> bool:
    return link.name.casefold() != ".git" and not places.is_inside(str(link))


def _odd_files(folder: Path, here: Path, places: Places) -> Iterator[Path]:
    """What ripgrep reads in a folder before it searches there, and that is a key, a pipe or, of git's own, a link."""
    for file in (folder / name for name in _NAMES):
        if os.path.lexists(file) and places.why_not_to_read(str(file)):
            yield file
    git = folder / ".git"
    if not os.path.isfile(git):  # noqa: PTH113 - Path.is_file raises where it may not look
        yield from filter(_is_odd, _excludes(git))
    elif pointer := _POINTER.fullmatch(read_small(git) or ""):
        for own in _pointed_to(folder, pointer[1], here):
            if os.path.lexists(common := own / "commondir") and read_small(common) != _COMMON:
                yield common
            yield from filter(_is_odd, (*_excludes(own), *_excludes(own / ".." / "..")))
    else:
        yield git


def _pointed_to(folder: Path, pointer: str, here: Path) -> tuple[Path, Path]:
    """The folder of a worktree or of a submodule, as git finds it, and as ripgrep does."""
    return folder / pointer, here / pointer


def _excludes(git: Path) -> tuple[Path, Path]:
    return git / "info", git / "info" / "exclude"


def _is_odd(path: Path) -> bool:
    return os.path.islink(path) or (os.path.lexists(path) and not os.path.isfile(path) and not os.path.isdir(path))  # noqa: PTH112, PTH113, PTH114
