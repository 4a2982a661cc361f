"""Places that no rule opens: what makes others run something later, and what holds keys.

Writing to them always asks, whatever an agent may use, and reading keys does, too; where nobody can be asked, both are
refused. Names count wherever they stand below the working directory, for a nested repository has a `.git` as well.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from maverick_tui.agent.permissions.known_places import is_in_packages, is_of_memory, is_of_packages, is_run_by_others
from maverick_tui.agent.permissions.leading import (
    KERNELS,
    is_below,
    is_within,
    places_of,
    real_paths,
    steps_of_links,
)
from maverick_tui.agent.permissions.links import Alias
from maverick_tui.agent.permissions.named_paths import folded
from maverick_tui.agent.permissions.noting import says_first
from maverick_tui.agent.permissions.started import Started
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.journal.batches import begun_places, files_in
from maverick_tui.masking.key_files import compared, compared_names, copied, is_of_keys, leads_to_keys
from maverick_tui.real_paths import real_path
from maverick_tui.walking import is_too_long, walk

_ORDINARY_DEVICES = (
    "/dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/random /dev/urandom"
    " /dev/fd/0 /dev/fd/1 /dev/fd/2 /dev/shm /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/version"
).split()
_MACHINES = ("/etc", "/run", "/var/run", "/var/lib", "/root", "/private/etc", "/private/var")
_PARTS_OF_GIT = ("objects", "refs", "commondir")
_OURS = Path(real_path(sys.prefix))
_PARTS_OF_ENVIRONMENT = frozenset({"scripts", "lib"} if os.name == "nt" else {"bin", "lib", "lib64", "etc"})
_MARKS_OF_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")
_MOST_SEEN = 20_000
"""Files and folders that are looked at before a search elsewhere."""


class Places:
    """Knows for one working directory which places ask. A relative path begins `here`, or there."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.cwd = around.cwd
        self.bases = around.bases
        self._home = around.home
        self._expected: set[str] = set()

    def is_known(self, path: str, here: Path) -> bool:
        """Whether a place matters by where it is, also if nothing is there yet."""
        named = (*self.around.named_programs, *self.around.named_keys)
        return bool(parts_of_git([path])) or any(
            self._is_of_batch(place)
            or any(one.names(place) for one in self.around.sourced)
            or any(is_within(place, one) for one in named)
            or any(alias.names_of(place) is not None for alias in self.around.aliases)
            for place in set(places_of(path, here))
        )

    @property
    def keys(self) -> tuple[list[Alias], list[Path]]:
        """Where keys are that are not known by their names."""
        return self.around.aliases, self.around.named_keys

    def expect(self, paths: Iterable[str], here: Path) -> None:
        """Count these files, and the folders that they need, as being there: they are to be written."""
        for place in (place for path in paths for place in places_of(path, here)):
            self._expected.update(map(str, (place, *place.parents)))

    def why_not_to_write(self, path: str | Path, here: Path | None = None) -> str:
        """Why writing there asks, whatever the rules say; nothing for an ordinary place. A `Path` is without links."""
        return next(filter(None, map(self._keeps_from_writing, self.around.written([path], here or self.cwd))), "")

    @says_first
    def why_not_to_add(self, place: Path) -> Iterator[str]:
        """As `why_not_to_write`, by the names alone: for many places below a folder that has nothing `known_below`."""
        is_at_home = self._home is not None and is_within(place, self._home)
        for names in self.around.names(place):
            if is_of_keys(names, is_at_home=is_at_home):
                yield f"{place} is where keys and passwords are kept."
            if is_run_by_others(names):
                yield f"{place} can make other programs run something."
            if self._is_of_memory(names):
                yield _of_memory(place)

    def has_known_below(self, folder: Path) -> bool:
        """Whether something below a folder matters by where it is, and not by its name."""
        tops = self.around.written([folder], self.cwd)
        below = (place.parts[len(top.parts) :] for top in tops for place in self.around.known if is_within(place, top))
        is_wide = any(one.patterns or one.wide for one in self.around.sourced)
        is_home_inside = self._home is not None and self._home.is_relative_to(self.cwd)
        return is_wide or is_home_inside or not all(is_run_by_others(compared_names(parts)) for parts in below)

    def known_below(self, folder: Path, *, is_there: bool = True) -> list[Path]:
        """What is there below a folder, or is not, and matters by where it is."""
        tops = self.around.written([folder], self.cwd)
        below = (place for place in self.around.known if any(is_within(place, top) for top in tops))
        return [place for place in below if os.path.lexists(place) is is_there]

    def leads_to_settings(self, folder: Path) -> bool:
        """Whether a folder beyond the working directory has the home directory in it, or is of settings in that."""
        if self._home is None or is_within(folder, self.cwd):
            return False
        below = folder.parts[len(self._home.parts) :] if self.around.is_at_home(folder) else ()
        return self.around.holds_home(folder) or any(name.startswith(".") for name in below[:1])

    @says_first
    def why_not_to_lose(self, place: Path) -> Iterator[str]:
        """Why a place is not to be changed together with a folder that it is in: by its names, as settings of a project
        are made and removed with it.
        """
        is_inside = is_within(place, self.cwd)
        if self.around.is_at_home(place) and not is_inside:
            yield self.why_not_to_add(place)
        if any(is_of_keys(names, is_at_home=False) for names in self.around.names(place)):
            yield f"{place} is where keys and passwords are kept."

    @says_first
    def why_together(self, paths: Iterable[str], here: Path) -> Iterator[str]:
        """Why writing to all of these asks: each may be ordinary, and all of them be a repository."""
        places = self.around.written(parts_of_git(paths), here)
        beside = {str(one) for place in places for one in (place, *place.parents)}
        yield from (_of_repository(place) for place in places if self._is_of_bare_repository(place, beside))

    @says_first
    def why_not_to_edit(self, path: str, here: Path | None = None) -> Iterator[str]:
        """Why no file is to be made or changed there: for its name, which would be an option in the place of a pattern,
        or since it is part of what is installed or started by itself. Commands may name such files, for they run them.
        """
        for place in self.around.written([path], here or self.cwd):
            base = next((base for base in self.bases if is_within(place, base)), None)
            parts = place.parts[len(base.parts) :] if base is not None else place.parts
            if any(part.startswith("-") for part in parts):
                yield f"{place} has a name that commands may take for an option."
            if any(is_within(place, folder) for folder in self.around.searched_inside):
                yield _of_path(place)
            if any(map(is_of_packages, self.around.names(place))):
                yield _of_packages(place)
        yield self.why_not_to_put(path, here)
        yield self.why_started([path], here or self.cwd)

    @says_first
    def why_not_to_put(self, path: str | Path, here: Path | None = None) -> Iterator[str]:
        """Why nothing is to be copied there, besides `why_not_to_write`: what is found there is run or read by others,
        and ordinary commands name it for that. A folder of packages may be linked to where there is none yet.
        """
        for place in self.around.written([path], here or self.cwd):
            if not self.around.searched.isdisjoint((place, place.parent)):
                yield _of_path(place)
            if _is_of_environment(place) or any(
                is_in_packages(names[:-1] if names[-1:] == ["node_modules"] else names)
                for names in self.around.names(place)
            ):
                yield _of_packages(place)
            if any(str(place) in one.elsewhere for one in self.around.sourced):
                yield _of_shells(place)

    @property
    def are_started(self) -> bool:
        """Whether any files are that the agent itself starts, the set-up of worktrees, or Maverick by its settings."""
        return bool(self.around.started or self.around.set_up or self.around.run_by_us)

    @says_first
    def why_started(self, paths: Iterable[str | Path], here: Path) -> Iterator[str]:
        """Why changing files asks that the agent itself starts, that are run in each new worktree of the project, or
        that Maverick's own settings name.
        """
        for place in sorted(self.around.written(paths, here)) if self.are_started else ():
            if self.around.started.has(place):
                yield f"{place} may be what a hook or an MCP server of this agent runs."
            if self.around.set_up.has(place):
                yield f"{place} may be what the set-up of the project's worktrees runs."
            if self.around.run_by_us.has(place):
                yield f"{place} may be what Maverick runs, by your settings."

    @says_first
    def why_git_runs(
        self, paths: Iterable[str | Path], here: Path, hooks: Collection[Path], commands: Collection[str]
    ) -> Iterator[str]:
        """Why changing files asks where git's settings name these folders of hooks, and these commands."""
        started = Started(commands, self.cwd)
        folders = {real for folder in set(hooks) for real in places_of(str(folder), self.cwd)}
        for place in self.around.written(paths, here) if folders or commands else ():
            is_inner = place not in self.bases and any(is_within(place, base) for base in self.bases)
            holds = is_inner and any(is_within(one, place) for one in folders)
            if holds or any(is_within(place, folder) for folder in folders) or started.has(place):
                yield f"{place} may be what git runs, by its settings."

    def why_not_to_read(self, path: str, here: Path | None = None) -> str:
        """Why reading there asks, whatever the rules say; nothing for an ordinary place."""
        places = dict.fromkeys(places_of(path, here or self.cwd))
        return next(filter(None, map(self._keeps_from_reading, places)), "")

    @says_first
    def why_not_to_open(self, path: str, here: Path) -> Iterator[str]:
        """Why no tool that opens files by itself is to open this one: devices are for commands."""
        for place in places_of(path, here):
            ways = [str(place), *steps_of_links(str(place))]
            if any(is_below(way, ("/dev", "/proc")) and not is_below(way, _ORDINARY_DEVICES) for way in ways):
                yield f"{place} is not an ordinary file."

    @says_first
    def why_not_to_name(self, path: str, *, is_changed: bool = True) -> Iterator[str]:
        """The same as for writing, by the name alone: for words that may be paths, without a look at the disk. What is
        not changed is only read.
        """
        names = compared_names(path.split("/"))
        if is_of_keys(names, is_at_home=path.startswith(("~/", "$HOME/", "${HOME}/"))):
            yield f"{path} is where keys and passwords are kept."
        if is_changed and is_run_by_others(names):
            yield f"{path} can make other programs run something."
        if is_changed and self._is_of_memory(names):
            yield _of_memory(path)

    @says_first
    def why_not_to_search(self, path: str, here: Path | None = None) -> Iterator[str]:
        """Why searching all that is below a folder asks: a home directory is in it, or keys may be."""
        folder, home = path or ".", self._home
        has_home = home is not None and home.is_relative_to(self.cwd)
        for place in places_of(folder, here or self.cwd):
            is_at_home = home is not None and place.is_relative_to(home)
            if home is not None and home.is_relative_to(place):
                yield f"All of {place} would be searched: your home directory, with the keys in it."
                continue
            if place.is_relative_to(self.cwd) and not (has_home and is_at_home):
                continue
            first = compared(place.relative_to(home).parts[0]) if home is not None and is_at_home else ""
            if first.startswith(".") or first == "library" or is_below(place.as_posix(), _MACHINES):
                yield f"All of {place} would be searched, and keys may be kept there."
            yield self._linked_keys_below(place) or _keys_below(place)
        yield self.why_not_to_read(folder, here)

    @says_first
    def why_not_to_hand_over(self, path: str, here: Path) -> Iterator[str]:
        """Why a tool that may search is not to be given a folder: a home directory is in it."""
        home = self._home
        held = (place for place in places_of(path, here) if home is not None and home.is_relative_to(place))
        yield from (f"All of {place} may be searched: your home directory, with the keys in it." for place in held)

    @says_first
    def why_not_to_follow(self, real: str) -> Iterator[str]:
        """Why what a link in a folder leads to is not to be read with the folder. What the working directory has in it
        is known by its names.
        """
        place = Path(real)
        if not place.is_relative_to(self.cwd):
            yield self.why_not_to_search(real) if os.path.isdir(real) else self.why_not_to_read(real)  # noqa: PTH112
        elif is_of_keys(compared_names(place.parts[len(self.cwd.parts) :]), is_at_home=False):
            yield f"{place} is where keys and passwords are kept."

    @says_first
    def why_not_to_reach(self, real: str) -> Iterator[str]:
        """Why a link is not for whoever looks at files one by one: it leads to keys, or all of home is behind it."""
        place = Path(real)
        if self.around.holds_home(place):
            yield f"Your home directory is in {place}, with the keys in it."
        yield self.why_not_to_follow(real) if is_within(place, self.cwd) else self.why_not_to_read(real)

    def _linked_keys_below(self, place: Path) -> str:
        below = (alias for alias in self.around.aliases if alias.of == "home" and is_within(alias.real, place))
        found = next((alias.real for alias in below if leads_to_keys(alias.names)), None)
        return f"All of {place} would be searched, with the keys in {found}." if found is not None else ""

    def is_inside(self, path: str, here: Path | None = None) -> bool:
        """Whether a path leads into the working directory when links are followed; the whole disk counts as none."""
        is_disk = self.cwd.parent == self.cwd
        found = real_paths(path, here or self.cwd)
        return bool(path) and not is_disk and all(place.is_relative_to(self.cwd) for place in found)

    @says_first
    def _keeps_from_writing(self, place: Path) -> Iterator[str]:
        yield self._keeps_from_reading(place)
        aliased = [alias for alias in self.around.aliases if alias.names_of(place) is not None]
        is_worked_in = self.around.worktree is not None and is_within(place, self.around.worktree)
        is_own = any(is_within(place, folder) for folder in self.around.own) and not is_worked_in
        if is_own or any(alias.of == "own" for alias in aliased):
            yield f"{place} is where Maverick or Claude Code keeps its own settings and agents."
        if self._is_of_batch(place):
            yield f"{place} is where a batch keeps what came of its prompts."
        if any(is_run_by_others(names) for names, _ in self.around.ways(place)) or any(
            is_within(place, folder) for folder in (*self.around.git, *self.around.named_programs)
        ):
            yield f"{place} can make other programs run something."
        if any(map(self._is_of_memory, self.around.names(place))):
            yield _of_memory(place)
        if any(one.has(place) for one in self.around.sourced):
            yield _of_shells(place)
        if self._is_of_bare_repository(place):
            yield _of_repository(place)
        home = self._home
        is_setting = home is not None and home.is_relative_to(self.cwd) and place.is_relative_to(home)
        below = place.relative_to(home).parts if home is not None and is_setting else ()
        # Not where all of the working directory is linked, as that of a plugin is: then all would ask.
        is_linked = any(alias.of == "home" and not is_within(self.cwd, alias.real) for alias in aliased)
        if is_linked or (below and below[0].startswith(".")):
            yield f"{place} is among the settings in your home directory."

    @says_first
    def _keeps_from_reading(self, place: Path) -> Iterator[str]:
        holds_keys = any(is_of_keys(names, is_at_home=is_at_home) for names, is_at_home in self.around.ways(place))
        is_named = any(is_within(place, folder) for folder in self.around.named_keys)
        is_own = any(alias.of == "own" and alias.names_of(place) == ["config.toml"] for alias in self.around.aliases)
        if holds_keys or is_named or is_own or place.parent / copied(place.name) in self.around.secret:
            yield f"{place} is where keys and passwords are kept."
        shown = place.as_posix()
        is_odd = is_below(shown, KERNELS) or not _is_file_or_folder(shown)
        if is_odd and not is_below(shown, _ORDINARY_DEVICES):
            yield f"{place} is not an ordinary file."

    def _is_of_memory(self, names: list[str]) -> bool:
        return self.around.takes_memory and is_of_memory(names)

    def _is_of_batch(self, place: Path) -> bool:
        """Whether it is a file that a batch goes by, or the folder with those, unless that is worked in. What else is
        in there is not the batch's.
        """
        folders, files = _of_batches(begun_places())
        name = folded(str(place))
        return name in files or (name in folders and not any(is_within(base, place) for base in self.bases))

    def _is_of_bare_repository(self, place: Path, beside: Collection[str] = ()) -> bool:
        """Whether git takes a folder above for a repository once that is there: by what it has, not by its name."""
        for part, folder in zip(reversed(place.parts), map(str, place.parents), strict=False):
            if part.casefold() != "head" and not self._is_there(f"{folder}/HEAD", beside):
                continue
            has = {part.casefold(), *(name for name in _PARTS_OF_GIT if self._is_there(f"{folder}/{name}", beside))}
            if has >= {"objects", "refs"} or "commondir" in has:
                return True
        return False

    def _is_there(self, path: str, beside: Collection[str]) -> bool:
        return os.path.lexists(path) or path in self._expected or path in beside


def _keys_below(top: Path) -> str:
    """Why a folder beyond the working directory is not to be searched as a whole: somebody's keys are in it."""
    left, unread = _MOST_SEEN, list[OSError]()
    too_much = f"There is too much in {top} to know whether keys are among it."
    for folder, folders, files in walk(top, unread.append):
        left -= len(folders) + len(files)
        if left < 0:
            return too_much
        parents = compared_names(Path(folder).parts[-2:])
        for name in (*folders, *files):
            if is_of_keys([*parents, compared(name)], is_at_home=False):
                return f"All of {top} would be searched, with the keys in {folder}/{name}."
    return too_much if any(map(is_too_long, unread)) else ""


@lru_cache(maxsize=4)
def _of_batches(begun: tuple[Path, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The folders of batches, and the files in them that batches go by, in any case."""
    files = (file for place in begun for file in files_in(place))
    return frozenset(folded(str(place)) for place in begun), frozenset(folded(str(file)) for file in files)


def _of_path(place: Path) -> str:
    return f"{place} is where programs are looked for, by your PATH."


def _of_packages(place: Path) -> str:
    return f"{place} is part of what is installed, and run by others."


def _of_shells(place: Path) -> str:
    return f"{place} is read by your shell when it starts."


def _of_memory(place: Path | str) -> str:
    return f"{place} is taken in by Claude Code, with the files that it names."


def _of_repository(place: Path) -> str:
    return f"{place} would be part of a repository, whose settings can make git run something."


def parts_of_git(paths: Iterable[str]) -> list[str]:
    """Those that may name a part of a repository."""
    return [path for path in paths if any(part in path.casefold() for part in (*_PARTS_OF_GIT, "head"))]


def is_part_of_git(name: str) -> bool:
    """Whether a folder may become a repository by what is called so in it."""
    return name.casefold() in ("head", *_PARTS_OF_GIT)


def _is_of_environment(place: Path) -> bool:
    """Whether a folder above is an environment of Python's, be it one of the project's or the one that runs us."""
    parts = place.parts  # not `parents`, which takes half a minute for a copy of a thousand nested folders
    inner = (Path(*parts[:at]) for at, part in enumerate(parts) if part.casefold() in _PARTS_OF_ENVIRONMENT)
    is_ours = sys.prefix != sys.base_prefix and is_within(place, _OURS)
    return is_ours or any(os.path.lexists(f"{folder}/{mark}") for folder in inner for mark in _MARKS_OF_ENVIRONMENT)


def _is_file_or_folder(path: str) -> bool:
    """Whether reading comes to an end: a pipe waits for whoever writes into it. What does not exist is fine."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
