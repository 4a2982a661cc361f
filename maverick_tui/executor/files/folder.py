"""A folder that tools may look into, and nothing outside it."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from maverick_tui.exceptions import did_you_mean
from maverick_tui.executor.files.search_worker import OPENING_FLAGS, is_below, opened_path
from maverick_tui.executor.tools import ToolError
from maverick_tui.git import asking as git
from maverick_tui.real_paths import real_path
from maverick_tui.walking import walk

SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})
"""Folders that are skipped where git does not say what to ignore."""
SECONDS = 20.0
"""How long looking for files may take."""
_KERNELS = ("/proc/", "/sys/", "/dev/")
"""Folders whose files are not real: reading one may never end, reveal secrets, or have effects."""


class Folder:
    """Paths below a root. Links are resolved first, and then the path must still be inside."""

    def __init__(self, root: Path) -> None:
        self.root = real_path(root)

    def path(self, given: str) -> str:
        """The real path of what the model named; outside the root it is a `ToolError`."""
        real = real_path(os.path.join(self.root, given))  # noqa: PTH118
        if not self.holds(real):
            raise ToolError(f"{_quoted(given)} is outside the folder {self.root}; only what is in it can be read.")
        if _is_kernels(real):
            raise ToolError(f"{_quoted(given)} is not a regular file, so it is not read.")
        return real

    def holds(self, real: str) -> bool:
        """Whether a real path is the root or below it."""
        return is_below(real, self.root)

    def shown(self, real: str) -> str:
        """The path relative to the root, with / between its parts."""
        return real.removeprefix(self.root).lstrip(os.sep).replace(os.sep, "/") or "."

    def existing(self, given: str) -> tuple[str, os.stat_result]:
        """The real path of something that exists, and what it is."""
        real = self.path(given)
        try:
            return real, os.stat(real)  # noqa: PTH116
        except ValueError as error:
            raise ToolError(f"{_quoted(given)} is not a path: {error}.") from error
        except OSError as error:
            raise ToolError(f"{_quoted(given)} cannot be read: {error.strerror}.{self._meant(real)}") from error

    def open(self, given: str) -> int:
        """A descriptor of a regular file; opening a pipe or a device would wait, or have effects.

        Its place is checked again once it is open: a folder on the way may have become a link meanwhile.
        """
        real, _ = self.existing(given)
        try:
            descriptor = os.open(real, OPENING_FLAGS)
        except OSError as error:
            raise ToolError(f"{_quoted(given)} cannot be read: {error.strerror}.") from error
        mode = os.fstat(descriptor).st_mode
        is_inside = self._may_look_at(opened_path(descriptor, real))
        if stat.S_ISREG(mode) and is_inside:
            return descriptor
        os.close(descriptor)
        if not is_inside:
            raise ToolError(f"{_quoted(given)} is outside the folder {self.root}; only what is in it can be read.")
        if stat.S_ISDIR(mode):
            raise ToolError(f"{_quoted(given)} is a folder. Find its files with Glob.")
        raise ToolError(f"{_quoted(given)} is not a regular file, so it is not read.")

    def files(self, base: str, stop: Callable[[], bool]) -> Iterator[str]:
        """The real paths of the regular files below a real path, without those that git ignores.

        A link to a file counts if the file is inside; a link to a folder is not followed. Git lists files by its index,
        whatever has become of their folders, so the folder of each must be inside, too.
        """
        inside: dict[str, bool] = {}
        listed = _listed_by_git(base, stop)
        paths = self._expanded(base, listed) if listed else _walked(base)
        for path in paths:
            if stop():
                return
            folder = os.path.dirname(path)  # noqa: PTH120
            if folder not in inside:
                inside[folder] = self._leads_inside(folder)
            if inside[folder] and self._is_file(path):
                yield path

    def _expanded(self, base: str, listed: list[str]) -> Iterator[str]:
        """The listed paths; a repository inside the repository is listed as a folder."""
        for name in dict.fromkeys(listed):
            path = os.path.join(base, name.rstrip("/"))  # noqa: PTH118
            if not name.endswith("/") and (not os.path.isdir(path) or os.path.islink(path)):  # noqa: PTH112, PTH114
                yield path
            elif self._leads_inside(path):
                yield from _walked(path)

    def _leads_inside(self, path: str) -> bool:
        return self._may_look_at(real_path(path))

    def _may_look_at(self, real: str) -> bool:
        return self.holds(real) and not _is_kernels(real)

    def _is_file(self, path: str) -> bool:
        try:
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode):
                real = real_path(path)
                return self._may_look_at(real) and stat.S_ISREG(os.stat(real).st_mode)  # noqa: PTH116
        except OSError:  # gone meanwhile, or a link to nothing
            return False
        return stat.S_ISREG(found.st_mode)

    def _meant(self, real: str) -> str:
        folder, name = os.path.split(real)
        try:
            meant = did_you_mean(name, os.listdir(folder))  # noqa: PTH208
        except OSError:
            return ""
        return f" {meant}" if meant else ""


def clock(seconds: float = SECONDS) -> Callable[[], bool]:
    """A function that says whether that many seconds have passed."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def _quoted(given: str) -> str:
    return repr(given if len(given) <= 300 else f"{given[:300]}...")


def _is_kernels(real: str) -> bool:
    return real.startswith(_KERNELS) or f"{real}/" in _KERNELS


def _listed_by_git(base: str, stop: Callable[[], bool]) -> list[str]:
    """What git tracks or would add below the folder; nothing if it is itself ignored, or not in a repository."""
    told = git.ask(Path(base), "ls-files", "-co", "--exclude-standard", "-z", stop=stop)
    return [os.fsdecode(name) for name in (told or b"").split(b"\0") if name]


def _walked(base: str) -> Iterator[str]:
    for folder, folders, names in walk(base):
        if folder == os.sep:
            folders[:] = [name for name in folders if f"/{name}/" not in _KERNELS]
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        yield from (os.path.join(folder, name) for name in sorted(names))  # noqa: PTH118
