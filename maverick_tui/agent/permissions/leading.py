"""Where paths lead: by their names, with their links followed, and from the home directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from maverick_tui.agent.permissions.written_out import HOME
from maverick_tui.real_paths import as_named, real_path

KERNELS = ("/proc", "/sys", "/dev")
"""Where a name stands for something of the process that opens it, and is no file."""
_INNER = re.compile("(?<=/)~(?=/|$)")
_MOST_LINKS = 40
LONGEST_PATH = 4_096
"""Characters; no system takes a longer one."""


def places_of(path: str, here: Path) -> tuple[Path, ...]:
    """Where a path may lead: by its name; with its links followed; and with the links of its name followed, which is
    where it leads for whoever takes a `..` back before looking at the disk. All of them count.
    """
    return tuple(place for text in _readings(path, here) for place in _places(text, here))


def real_paths(path: str, here: Path) -> set[Path]:
    """Where a path leads when its links are followed: two places, if a `..` stands behind a link."""
    return {place for text in _readings(path, here) for place in _places(text, here)[1:]}


def ways_to(path: str, here: Path) -> set[Path]:
    """All places that a path names: by its own name, by what each link on its way says, and where it leads."""
    found = set[Path]()
    for by_name, *real in (_places(text, here) for text in _readings(path, here)):
        steps = steps_of_links(str(by_name)) if any(place != by_name for place in real) else ()
        found.update((by_name, *real, *map(Path, steps)))
    return found


def _readings(path: str, here: Path) -> list[str]:
    """What is opened: a shell writes out the home directory, some tools only `~`, and in quotes both are plain names.

    Such a name at the beginning counts where something is called so, and where it is taken back: `$HOME/../x` is `x`.
    Elsewhere nobody means it.
    """
    text = as_named(path.replace("\0", ""))
    if "~" not in text and "$" not in text:
        return [text]
    home = os.path.expanduser("~")  # noqa: PTH111 - Path raises without a home
    # Of `x/~` nobody knows whether it was `x/$HOME` to begin with.
    written = _INNER.sub(lambda _: home, HOME.sub(lambda _: home, text))
    if written.startswith("~"):
        written = os.path.expanduser(written)  # noqa: PTH111 - Path.expanduser() raises for a user who does not exist
    return list(dict.fromkeys([written, text] if _may_be_name(text, here) else [written]))


def _may_be_name(text: str, here: Path) -> bool:
    first, *rest = re.split(r"[/\\]", text)
    return first[:1] not in ("~", "$") or ".." in rest or os.path.lexists(os.path.join(here, first))  # noqa: PTH118


def as_seen_from(path: str, here: Path) -> list[str]:
    """A path of a folder in words for any other one: as it is where that begins at home, and joined to the folder."""
    begins_at_home = [path] if path.startswith("~") else []
    is_joined = not begins_at_home or _may_be_name(path, here)
    return [*begins_at_home, *([os.path.join(here, path)] if is_joined else [])]  # noqa: PTH118


def _places(text: str, here: Path) -> tuple[Path, Path, Path]:
    whole = os.path.join(here, text)  # noqa: PTH118 - pathlib would drop a trailing slash, and a link with it
    by_name = os.path.normpath(whole)
    if len(by_name) > LONGEST_PATH:  # nobody can open that, and each of its folders would be looked at
        whole = by_name = by_name[:LONGEST_PATH]
    followed = Path(real_path(whole))
    return Path(by_name), followed, followed if by_name == whole else Path(real_path(by_name))


def is_folder(path: str, here: Path) -> bool:
    """Whether there is a folder of this name."""
    return any(map(os.path.isdir, places_of(path, here)))


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing, if it is none or cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return [*entries]
    except OSError:
        return []


def moved(path: str, here: Path) -> Path | None:
    """Where `cd` leads; None where names and links lead to different places: shells go by names, programs by links."""
    found = {place for text in _readings(path, here) for place in _places(text, here)[:2]}
    return found.pop() if len(found) == 1 else None


def steps_of_links(path: str) -> Iterator[str]:
    """What the links on a way say, one after the other, and not where they lead in our process."""
    for _ in range(_MOST_LINKS):
        prefixes = [*map(str, reversed(Path(path).parents)), path]
        link = next((prefix for prefix in prefixes[1:] if os.path.islink(prefix)), None)  # noqa: PTH114
        if link is None:
            return
        try:
            target = os.path.join(os.path.dirname(link), os.readlink(link))  # noqa: PTH115, PTH118, PTH120
        except OSError:  # it may not be read, or is gone
            return
        path = os.path.normpath(target + path[len(link) :])
        if len(path) > LONGEST_PATH:  # one that leads into itself grows each time
            return
        yield path
        if is_below(path, KERNELS):
            return


def home_folder() -> Path | None:
    """The user's home directory, if there is one."""
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def is_within(place: Path, folder: Path) -> bool:
    """As `is_relative_to`, which reads both paths anew each time: a command may name a thousand places."""
    is_alike = place.parts[: len(folder.parts)] == folder.parts
    return is_alike or (os.name == "nt" and place.is_relative_to(folder))


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is that of one of these folders, or begins with it."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
