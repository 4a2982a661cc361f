"""Where a path leads, whoever has made it: what a link says may not be readable, and links may lead on without end."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOST_LINKS = 500
"""More than any system follows on the way to a file."""

_HALVES = re.compile("[\ud800-\udfff]")


def as_named(path: str) -> str:
    """The name that a file has if a model names it so: programs have no word for half a character."""
    return _HALVES.sub("\ufffd", path)


def real_path(path: str | Path) -> str:
    """As `os.path.realpath`, which raises where a link may not be read, such as `/proc/1/root`, where links lead to
    links some hundred times, and for what can be no path. To what is behind that nobody comes; it goes by its name.
    """
    try:
        return os.path.realpath(path)
    except (OSError, ValueError, RecursionError):
        text = os.fspath(path)
        return os.path.abspath(text) if os.name == "nt" else _followed(text)  # noqa: PTH100


def _followed(path: str) -> str:
    """The same, link by link."""
    whole = path if path.startswith("/") else f"{os.getcwd()}/{path}"  # noqa: PTH109
    at, left, links = "", whole.split("/")[::-1], 0
    while left:
        if (part := left.pop()) == "..":
            at = at.rpartition("/")[0]
        if part in ("", ".", ".."):
            continue
        at = f"{at}/{part}"
        try:
            if not os.path.islink(at):  # noqa: PTH114 - for every part of a path
                continue
            target = os.readlink(at)  # noqa: PTH115
        except OSError:
            break
        if (links := links + 1) > _MOST_LINKS:
            break
        at = "" if target.startswith("/") else at.rpartition("/")[0]
        left += target.split("/")[::-1]
    return os.path.normpath("/".join([at, *reversed(left)]) or "/")
