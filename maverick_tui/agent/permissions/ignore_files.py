"""Files that say what ripgrep leaves out: what it does not understand in one, it tells, and so the lines of a key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from maverick_tui.agent.permissions.places import Places

MOST_SEEN = 20_000
"""Files and folders that are looked at before a search."""

_NAMES = (".gitignore", ".ignore", ".rgignore")
_SILENT = ("--no-messages", "--no-ignore", "--no-ignore-messages", "--unrestricted")


def why_not_to_heed(words: Sequence[str], path: str, here: Path, places: Places) -> str:
    """Why a call of ripgrep asks: such a file in or above what it searches is a link to somewhere else."""
    if words[0] != "rg" or any(word in _SILENT or word.strip("u") == "-" for word in words):
        return ""
    top = Path(os.path.realpath(here / path))
    above = (os.path.join(folder, name) for folder in top.parents for name in _NAMES)  # noqa: PTH118 - many of them
    if reason := next(filter(None, (places.why_not_to_read(link) for link in above if os.path.islink(link))), ""):  # noqa: PTH114
        return reason
    for link in _links_below(top):
        if link is None:
            return "It is too much to be looked through for links that are told; --no-messages makes that needless."
        if not places.is_inside(link) or places.why_not_to_read(link):
            return f"{link} leads elsewhere, and ripgrep tells what it does not understand of it."
    return ""


def _links_below(top: Path) -> Iterator[str | None]:
    """Those files below a folder that are links; None if there is too much to look at."""
    left = MOST_SEEN
    for folder, folders, files in os.walk(top):
        left -= len(folders) + len(files)
        if left < 0:
            yield None
            return
        if ".git" in folders:
            folders.remove(".git")
        links = (os.path.join(folder, name) for name in _NAMES if name in files or name in folders)  # noqa: PTH118
        yield from filter(os.path.islink, links)
