"""Goes through folders, however deep they are nested: `os.walk` of Python 3.11 calls itself for each level."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path


def walk(
    top: Path | str, on_error: Callable[[OSError], object] = lambda _error: None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder from the top down, with the names of the folders and of the files in it; through no link.

    Folders that are taken out of the list are not gone into. `on_error` is told of those that cannot be read.
    """
    left = [os.fspath(top)]
    while left:
        folder, folders, files = left.pop(), list[str](), list[str]()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    (folders if is_folder(entry) else files).append(entry.name)
        except OSError as error:
            on_error(error)
            continue
        yield folder, folders, files
        below = (os.path.join(folder, name) for name in reversed(folders))  # noqa: PTH118
        left += [one for one in below if not (os.path.islink(one) or _is_junction(one))]  # noqa: PTH114


# Windows has another kind of links between folders, which Python knows from 3.12 on.
_is_junction: Callable[[str], bool] = getattr(os.path, "isjunction", lambda _path: False)


def is_too_long(error: OSError) -> bool:
    """Whether something was not read because its whole name is longer than the system takes."""
    return error.errno == errno.ENAMETOOLONG


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or leads to one: asked itself, it raises for a link that cannot be followed."""
    with suppress(OSError):
        return entry.is_dir()
    return False


def is_file(path: Path, *, if_unknown: bool) -> bool:
    """Whether a file or a link is there, and no folder in its place. Nobody knows where we may not look, and of names
    that are too long for us, and not for git, which goes from folder to folder.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return if_unknown
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
