"""What came along into a worktree, noted as it was once all was there: what a run makes of it is work.

Size and time of each file are noted. A link is noted as such: where it leads is the project's own, and is not lost.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate, islice
from pathlib import Path

from maverick_tui.real_paths import real_path
from maverick_tui.worktrees import records
from maverick_tui.worktrees.records import Worktree

MOST = 200_000
"""Files and folders that are noted: 50,000 take half a second. Of a folder with more than there is room for none is."""
_ENDING = ".brought"
_FOLDER = ""
_CLOSED = "?"
"""How something is that cannot be looked at."""


def note(worktree: Worktree, names: Iterable[str]) -> None:
    """Note that this came along, and how it is now: files, and folders with all that they have."""
    listed = [name for name in names if "\n" not in name]  # there is one on each line; such a one is told as work
    noted: dict[str, str] = {}
    for name in listed:
        room = MOST - len(noted)
        found = dict(islice(_walk(worktree.top, name), room + 1))
        noted |= found if len(found) <= room else {}
    records.save(_file(worktree), noted)
    records.note(worktree, brought="\n".join(listed))


def forget(worktree: Worktree) -> None:
    """Know no longer how it was."""
    _file(worktree).unlink(missing_ok=True)


class Brought:
    """What came along into a worktree, and what has become of it."""

    def __init__(self, worktree: Worktree) -> None:
        self._top = worktree.top
        self._names = dict.fromkeys(worktree.brought.split("\n") if worktree.brought else ())
        self._noted = _read(_file(worktree)) if self._names else {}
        self.unknown = dict.fromkeys(name for name in self._names if name not in self._noted)
        """What was not noted: what was done there nobody can say."""

    def is_around(self, path: str) -> bool:
        """Whether it is of what came along, or new in there."""
        return _is_in(path, self._names)

    def has(self, path: str) -> bool:
        """Whether it came along itself, whatever has become of it."""
        return path.rstrip("/") in self._noted or _is_in(path, self.unknown)

    def changed(self) -> Iterator[str]:
        """Files that are new there, or not as they came."""
        for name in self._names:
            if name in self._noted:
                found = _walk(self._top, name)
                yield from sorted(path for path, how in found if how not in (_FOLDER, self._noted.get(path)))


def files_in(top: Path, name: str) -> Iterator[tuple[str, str]]:
    """The files at a place and below it, and how each is, to the last change of whatever kind."""
    for path, how in islice(_walk(top, name), MOST):
        if how != _FOLDER:
            with suppress(OSError):
                yield path, f"{how} {os.lstat(top / path).st_ctime_ns}"


def _is_in(path: str, names: Container[str]) -> bool:
    return any(above in names for above in accumulate(path.rstrip("/").split("/"), "{}/{}".format))


def _walk(top: Path, name: str) -> Iterator[tuple[str, str]]:
    """What is at a place and below it, through no link, and how it is: size and time of whatever is no folder."""
    base = f"{real_path(top)}/"
    above = str(Path(base + name).parent)
    waiting = [name] if real_path(above) == above else []
    while waiting:
        path = waiting.pop()
        try:
            about = os.lstat(base + path)
            names = os.listdir(base + path) if stat.S_ISDIR(about.st_mode) else None  # noqa: PTH208 - names alone
        except FileNotFoundError:
            continue
        except OSError:
            yield path, _CLOSED
            continue
        yield path, f"{about.st_size} {about.st_mtime_ns}" if names is None else _FOLDER
        waiting.extend(f"{path}/{one}" for one in names or ())


def _file(worktree: Worktree) -> Path:
    return records.file_of(worktree.run_id).with_suffix(_ENDING)


def _read(file: Path) -> dict[str, str]:
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}
