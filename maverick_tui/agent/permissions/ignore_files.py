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
from pathlib import Path

from maverick_tui.agent.permissions.places import Places
from maverick_tui.git.repository import read_small

MOST_SEEN = 20_000
"""Files and folders that are looked at before a search."""

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
    top = Path(os.path.realpath(here / path))
    odd = [file for folder in top.parents for file in _odd_files(folder, here, places)]
    left = MOST_SEEN
    for folder, folders, files in os.walk(top):
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
    return f"{odd[0]} leads elsewhere, and ripgrep prints the lines of it that it does not understand." if odd else ""


def why_without_end(path: str, here: Path) -> str:
    """Why any search of a folder asks: such a file leads to what is none, and may have no end. The nearest ones are
    looked at; a search that has more to read is a long one in any case.
    """
    try:
        top = Path(os.path.realpath(here / path))
    except ValueError:  # no file can be named so
        return ""
    for file in (str(folder / name) for folder in top.parents for name in _NAMES):
        if not _has_end(file):
            return _leads_to_no_file(file)
    wanted, left = deque([str(top)]), MOST_SEEN
    while wanted and left > 0:
        with suppress(OSError), os.scandir(wanted.popleft()) as entries:
            for entry in entries:
                left -= 1
                if entry.name.casefold() in _NAMES and not _has_end(entry.path):
                    return _leads_to_no_file(entry.path)
                if entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                    wanted.append(entry.path)
    return ""


def _leads_to_no_file(path: str) -> str:
    return f"A search reads {path} first, which leads to {os.path.realpath(path)}: that need not have an end."


def _has_end(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 - as for the others of these
    except OSError:  # it is not there, or leads nowhere
        return True
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind)


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
        for own in (folder / pointer[1], here / pointer[1]):  # a worktree's or submodule's, to git and to ripgrep
            if os.path.lexists(common := own / "commondir") and read_small(common) != _COMMON:
                yield common
            yield from filter(_is_odd, (*_excludes(own), *_excludes(own / ".." / "..")))
    else:
        yield git


def _excludes(git: Path) -> tuple[Path, Path]:
    return git / "info", git / "info" / "exclude"


def _is_odd(path: Path) -> bool:
    return os.path.islink(path) or (os.path.lexists(path) and not os.path.isfile(path) and not os.path.isdir(path))  # noqa: PTH112, PTH113, PTH114
