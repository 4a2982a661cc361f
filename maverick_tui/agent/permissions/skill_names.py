"""Other names of a skill: that of its folder and the one in its text call the same, and so does a plugin's, or none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from maverick_tui import paths
from maverick_tui.agent.permissions.called_names import own_name
from maverick_tui.git.repository import read_small
from maverick_tui.real_paths import real_path

_DEEPEST = {"skills": 5, "commands": 6, "plugins": 9}
"""Folders of skills, and how many there may be in each other with one in the last."""
_NO_SKILLS = frozenset({"node_modules", ".git", ".venv"})
_MOST = 20_000
"""Files and folders that are looked at for one."""
_LARGEST = 2**20
_NAME = re.compile(
    r"""^[ \t]*["']?name["']?[ \t]*:[ \t]*(?:[|>][-+\d]*)?\s*(.*?)[ \t]*(?:[ \t]#.*)?$""", re.IGNORECASE | re.MULTILINE
)

_OF_PLUGIN = re.compile(r'"name"\s*:\s*"([^"]*)"')


def names_of_skill(called: str, here: Path) -> set[str] | None:
    """All names of the skills that may be meant by one; None if none is found, or there is too much to look at."""
    found, left = set[str](), _MOST
    for root in _roots(called, here):
        for folder, folders, files in _walk(root):
            left -= 1 + len(folders) + len(files)
            if left < 0:
                return None
            for file in files:
                names = _names_in(folder, file)
                if own_name(called) in map(own_name, names):
                    found.update(names, (f"{plugin}:{name}" for plugin in _above(folder, root) for name in names))
    return found or None


def _roots(called: str, here: Path) -> Iterator[Path]:
    """Where skills may be: the person's, and those of the folders around, or of one within that the name begins with,
    whether or not Claude Code is to look there: what it does not know, it does not run.
    """
    within = called.rpartition(":")[0].replace(":", "/").replace("\0", "").strip("/")
    own = [paths.claude_config(), *(folder / ".claude" for folder in (here, *here.parents))]
    own += (folder / within / ".claude" for folder in (here, *here.parents) if within)
    yield from (folder / kind for folder in dict.fromkeys(own) for kind in _DEEPEST)


def _walk(root: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The folders below, also behind links: skills are linked to where they are kept. None is looked into twice."""
    seen = set[str]()
    for folder, folders, files in os.walk(root, followlinks=True):
        is_deep = len(Path(folder).parts) - len(root.parts) >= _DEEPEST[root.name]
        if is_deep or (real := real_path(folder)) in seen:
            folders.clear()
        else:
            seen.add(real)
        folders[:] = [name for name in folders if name not in _NO_SKILLS]
        yield Path(folder), folders, files


def _above(folder: Path, root: Path) -> Iterator[str]:
    """What the plugin that a skill is of may be called: as a folder on the way to it, or as it says itself."""
    for one in (folder, *folder.parents):
        if one == root:
            return
        yield one.name
        yield from _OF_PLUGIN.findall(read_small(one / ".claude-plugin" / "plugin.json", _LARGEST) or "")


def _names_in(folder: Path, file: str) -> list[str]:
    """The names of the skill that a file is; none if it is none."""
    is_skill = file.casefold() == "skill.md"
    if not is_skill and not (file.endswith(".md") and "commands" in folder.parts):
        return []
    head = (read_small(folder / file, _LARGEST) or "").partition("\n---")[0]
    told = [name.strip("\"'") for name in _NAME.findall(head)]
    return [folder.name if is_skill else file.removesuffix(".md"), *told]
