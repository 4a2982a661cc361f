"""Places that no rule opens: what makes others run something later, and what holds keys.

Writing to them always asks, whatever an agent may use, and reading keys does, too; where nobody can be asked, both are
refused. Names count wherever they stand below the working directory, for a nested repository has a `.git` as well.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from maverick_tui import paths
from maverick_tui.agent.permissions.inner_texts import COMMAND_VARIABLES
from maverick_tui.agent.permissions.known_places import is_in_packages, is_of_memory, is_of_packages, is_run_by_others
from maverick_tui.agent.permissions.leading import (
    KERNELS,
    home_folder,
    is_below,
    is_within,
    places_of,
    real_paths,
    steps_of_links,
)
from maverick_tui.agent.permissions.links import Alias, aliases
from maverick_tui.agent.permissions.loaded_settings import LoadedSettings, loaded_settings
from maverick_tui.agent.permissions.named_paths import folded
from maverick_tui.agent.permissions.noting import says_first
from maverick_tui.agent.permissions.sourced import Sourced, sourced
from maverick_tui.agent.permissions.started import Started
from maverick_tui.git.repository import Repository, find_repository
from maverick_tui.journal.batches import begun_places, files_in
from maverick_tui.masking.key_files import compared, compared_names, copied, is_of_keys, leads_to_keys
from maverick_tui.real_paths import real_path
from maverick_tui.walking import is_too_long, walk
from maverick_tui.worktrees.needs import setup_line
from maverick_tui.worktrees.records import worktree_at

_ORDINARY_DEVICES = (
    "/dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/random /dev/urandom"
    " /dev/fd/0 /dev/fd/1 /dev/fd/2 /dev/shm /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/version"
).split()
_MACHINES = ("/etc", "/run", "/var/run", "/var/lib", "/root", "/private/etc", "/private/var")
_PARTS_OF_GIT = ("objects", "refs", "commondir")
_OURS = Path(real_path(sys.prefix))
_PARTS_OF_ENVIRONMENT = frozenset({"scripts", "lib"} if os.name == "nt" else {"bin", "lib", "lib64", "etc"})
_MARKS_OF_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")
_KEY_VARIABLES = ("KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "GNUPGHOME", "NETRC", "GOOGLE_APPLICATION_CREDENTIALS")
_RUN_VARIABLES = (
    "BASH_ENV", "ENV", "ZDOTDIR", "INPUTRC", "PYTHONSTARTUP", "CLAUDE_ENV_FILE", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_TEMPLATE_DIR", "RIPGREP_CONFIG_PATH",
)  # fmt: skip
_MOST_SEEN = 20_000
"""Files and folders that are looked at before a search elsewhere."""

T = TypeVar("T")


class _Looked(Generic[T]):
    """A property that is looked up once for each call that is judged."""

    def __init__(self, look: Callable[[Any], T]) -> None:
        self._look = look
        self._name = look.__name__

    def __get__(self, places: Places, _kind: type[Places]) -> T:
        known = vars(places._looked)
        if self._name not in known:
            known[self._name] = self._look(places)
        found: T = known[self._name]
        return found


class Places:
    """Knows for one working directory which places ask. A relative path begins `here`, or there.

    `started` are commands that run without being asked about, as an agent's own hooks do.
    """

    def __init__(
        self,
        cwd: Path,
        started: Collection[str] = (),
        environment: Mapping[str, str] | None = None,
        settings_files: Collection[Path] = (),
        own_commands: Callable[[], Collection[str]] = tuple,
        *,
        takes_memory: bool = False,
    ) -> None:
        """`environment` are variables that programs are given in addition to ours; `settings_files` name further
        commands, and others at another time; so does `own_commands`, those that Maverick itself runs. `takes_memory`
        says that Claude Code takes in what a `CLAUDE.md` says and names.
        """
        self.cwd = cwd.resolve()
        self._environments = [os.environ, environment or {}]
        self._commands = started
        self._settings_files = settings_files
        self._own_commands = own_commands
        self._takes_memory = takes_memory
        self._home = home_folder()
        settings = paths.user_config()
        own = (settings, paths.user_state(), paths.claude_config())
        self._own = [*own, *(folder.resolve() for folder in own)]
        self._worktree = paths.worktree_around(self.cwd)
        worktree = worktree_at(self.cwd) if self._worktree is not None else None
        self._project = Path(real_path(worktree.project)) if worktree is not None else None
        """The worktree of the run, which is worked in although it is below what is Maverick's own."""
        self._secret = {settings / "config.toml", settings.resolve() / "config.toml"}
        self.bases = [self.cwd, *([self._project] if self._project is not None else [])]
        """The working directory, and the project that it is a worktree of: what is written comes to be in both."""
        self._expected: set[str] = set()
        self._looked = threading.local()
        """What was looked up in the call that is judged now: several are, each in a thread."""

    def look_again(self) -> None:
        """Look everything up anew: there may be other links, set-ups and start-up files by the next call, and a session
        lives for hours.
        """
        vars(self._looked).clear()

    @_Looked
    def _repository(self) -> Repository | None:
        return find_repository(self.cwd)

    @_Looked
    def _git(self) -> list[Path]:
        """Git's own folders of the repository that is worked in."""
        found = self._repository
        return [] if found is None else [found.own.resolve(), found.common]

    @_Looked
    def _started(self) -> Started:
        """What hooks and servers run, the agent's own and those of settings."""
        settings = self._settings
        return Started([*self._commands, *settings.commands], self.cwd, are_all=settings.is_all)

    @_Looked
    def _settings(self) -> LoadedSettings:
        return loaded_settings(self._settings_files)

    @_Looked
    def _run_by_us(self) -> Started:
        """What Maverick's own settings have it run."""
        return Started(self._own_commands(), self.cwd)

    @_Looked
    def _set_up(self) -> Started:
        """What is run in each new worktree of the project."""
        line = setup_line(self._project or self.cwd)
        return Started([line] if line else [], self.cwd if self._repository is None else self._repository.top)

    @_Looked
    def _aliases(self) -> list[Alias]:
        """Other names of places."""
        return [alias for base in self.bases for alias in aliases(base, self._home)]

    @_Looked
    def _named_keys(self) -> list[Path]:
        named = (path for paths in self._variables(_KEY_VARIABLES) for path in paths.split(os.pathsep))
        return [*self._named(named), paths.edited_settings(), paths.edited_settings().resolve()]

    @_Looked
    def _named_programs(self) -> list[Path]:
        files = [path for paths in self._variables(_RUN_VARIABLES) for path in paths.split(os.pathsep)]
        words = (word for text in self._variables(COMMAND_VARIABLES) for word in re.split(r"[\s=:]+", text))
        programs = self._named(word for word in words if "/" in word)
        return [*self._named(files), *(program for program in programs if not self._is_of_system(program))]

    def _is_of_system(self, program: Path) -> bool:
        """Whether it is the machine's: half of all commands name a `/bin/bash`, which most people's `SHELL` is."""
        try:
            is_of_root = program.is_file() and program.stat().st_uid == 0
        except OSError:
            return False
        return is_of_root and not self.is_at_home(program) and not any(is_within(program, one) for one in self.bases)

    @_Looked
    def _searched(self) -> set[Path]:
        """Folders in which programs are looked for; commands may name them, to run them."""
        entries = {entry for path in self._variables(["PATH"]) for entry in path.split(os.pathsep)}
        places = {Path(real_path(entry)) for entry in entries if os.path.isabs(entry)}  # noqa: PTH117
        return places.difference(self.bases)

    @_Looked
    def _searched_inside(self) -> list[Path]:
        """Those of them in the working directory, or the project that it is a worktree of."""
        return [place for place in self._searched if any(is_within(place, base) for base in self.bases)]

    @_Looked
    def _sourced(self) -> list[Sourced]:
        """What shells read here when they start, and in the project that this is a worktree of."""
        return [sourced(self._home, base) for base in self.bases]

    def is_known(self, path: str, here: Path) -> bool:
        """Whether a place matters by where it is, also if nothing is there yet."""
        named = (*self._named_programs, *self._named_keys)
        return bool(parts_of_git([path])) or any(
            self._is_of_batch(place)
            or any(one.names(place) for one in self._sourced)
            or any(is_within(place, one) for one in named)
            or any(alias.names_of(place) is not None for alias in self._aliases)
            for place in set(places_of(path, here))
        )

    def _variables(self, names: Iterable[str]) -> list[str]:
        environments = [*self._environments, *self._settings.environments]
        return [found.get(name, "") for name in names for found in environments]

    def _named(self, paths: Iterable[str]) -> list[Path]:
        """The places that variables name, unless the working directory is in them; elsewhere they are known by name."""
        places = (Path(real_path(self.cwd / path)) for path in paths if path and path != os.devnull)
        return [place for place in places if not is_within(self.cwd, place)]

    @property
    def keys(self) -> tuple[list[Alias], list[Path]]:
        """Where keys are that are not known by their names."""
        return self._aliases, self._named_keys

    def expect(self, paths: Iterable[str], here: Path) -> None:
        """Count these files, and the folders that they need, as being there: they are to be written."""
        for place in (place for path in paths for place in places_of(path, here)):
            self._expected.update(map(str, (place, *place.parents)))

    def why_not_to_write(self, path: str | Path, here: Path | None = None) -> str:
        """Why writing there asks, whatever the rules say; nothing for an ordinary place. A `Path` is without links."""
        return next(filter(None, map(self._keeps_from_writing, self._written([path], here or self.cwd))), "")

    @says_first
    def why_not_to_add(self, place: Path) -> Iterator[str]:
        """As `why_not_to_write`, by the names alone: for many places below a folder that has nothing `known_below`."""
        is_at_home = self._home is not None and is_within(place, self._home)
        for names in self._names(place):
            if is_of_keys(names, is_at_home=is_at_home):
                yield f"{place} is where keys and passwords are kept."
            if is_run_by_others(names):
                yield f"{place} can make other programs run something."
            if self._is_of_memory(names):
                yield _of_memory(place)

    def has_known_below(self, folder: Path) -> bool:
        """Whether something below a folder matters by where it is, and not by its name."""
        tops = self._written([folder], self.cwd)
        below = (place.parts[len(top.parts) :] for top in tops for place in self._known if is_within(place, top))
        is_wide = any(one.patterns or one.wide for one in self._sourced)
        is_home_inside = self._home is not None and self._home.is_relative_to(self.cwd)
        return is_wide or is_home_inside or not all(is_run_by_others(compared_names(parts)) for parts in below)

    def known_below(self, folder: Path, *, is_there: bool = True) -> list[Path]:
        """What is there below a folder, or is not, and matters by where it is."""
        tops = self._written([folder], self.cwd)
        below = (place for place in self._known if any(is_within(place, top) for top in tops))
        return [place for place in below if os.path.lexists(place) is is_there]

    def holds_home(self, folder: Path) -> bool:
        """Whether the home directory is a folder, or in it."""
        return self._home is not None and is_within(self._home, folder)

    def is_at_home(self, place: Path) -> bool:
        """Whether it is in the home directory."""
        return self._home is not None and is_within(place, self._home)

    def leads_to_settings(self, folder: Path) -> bool:
        """Whether a folder beyond the working directory has the home directory in it, or is of settings in that."""
        if self._home is None or is_within(folder, self.cwd):
            return False
        below = folder.parts[len(self._home.parts) :] if self.is_at_home(folder) else ()
        return self.holds_home(folder) or any(name.startswith(".") for name in below[:1])

    @says_first
    def why_not_to_lose(self, place: Path) -> Iterator[str]:
        """Why a place is not to be changed together with a folder that it is in: by its names, as settings of a project
        are made and removed with it.
        """
        is_inside = is_within(place, self.cwd)
        if self.is_at_home(place) and not is_inside:
            yield self.why_not_to_add(place)
        if any(is_of_keys(names, is_at_home=False) for names in self._names(place)):
            yield f"{place} is where keys and passwords are kept."

    @property
    def _known(self) -> list[Path]:
        """Places that matter by where they are, and not by their names."""
        places = [*self._own, *self._git, *self._named_programs, *self._named_keys, *self._secret, *begun_places()]
        places += (alias.real for alias in self._aliases)
        return [*places, *(Path(file) for one in self._sourced for file in one.files)]

    def _written(self, paths: Iterable[str | Path], here: Path) -> list[Path]:
        """Where all that is written to these comes to be: from a worktree also in the project, with a merge."""
        found = ([path] if isinstance(path, Path) else places_of(path, here) for path in paths)
        places = dict.fromkeys(place for some in found for place in some)
        project, worktree = self._project, self._worktree
        if project is None or worktree is None:
            return list(places)
        inner = [place for place in places if is_within(place, worktree)]
        return list(places | dict.fromkeys(project / place.relative_to(worktree) for place in inner))

    @says_first
    def why_together(self, paths: Iterable[str], here: Path) -> Iterator[str]:
        """Why writing to all of these asks: each may be ordinary, and all of them be a repository."""
        places = self._written(parts_of_git(paths), here)
        beside = {str(one) for place in places for one in (place, *place.parents)}
        yield from (_of_repository(place) for place in places if self._is_of_bare_repository(place, beside))

    @says_first
    def why_not_to_edit(self, path: str, here: Path | None = None) -> Iterator[str]:
        """Why no file is to be made or changed there: for its name, which would be an option in the place of a pattern,
        or since it is part of what is installed or started by itself. Commands may name such files, for they run them.
        """
        for place in self._written([path], here or self.cwd):
            base = next((base for base in self.bases if is_within(place, base)), None)
            parts = place.parts[len(base.parts) :] if base is not None else place.parts
            if any(part.startswith("-") for part in parts):
                yield f"{place} has a name that commands may take for an option."
            if any(is_within(place, folder) for folder in self._searched_inside):
                yield _of_path(place)
            if any(map(is_of_packages, self._names(place))):
                yield _of_packages(place)
        yield self.why_not_to_put(path, here)
        yield self.why_started([path], here or self.cwd)

    @says_first
    def why_not_to_put(self, path: str | Path, here: Path | None = None) -> Iterator[str]:
        """Why nothing is to be copied there, besides `why_not_to_write`: what is found there is run or read by others,
        and ordinary commands name it for that. A folder of packages may be linked to where there is none yet.
        """
        for place in self._written([path], here or self.cwd):
            if not self._searched.isdisjoint((place, place.parent)):
                yield _of_path(place)
            if _is_of_environment(place) or any(
                is_in_packages(names[:-1] if names[-1:] == ["node_modules"] else names) for names in self._names(place)
            ):
                yield _of_packages(place)
            if any(str(place) in one.elsewhere for one in self._sourced):
                yield _of_shells(place)

    @property
    def are_started(self) -> bool:
        """Whether any files are that the agent itself starts, the set-up of worktrees, or Maverick by its settings."""
        return bool(self._started or self._set_up or self._run_by_us)

    @says_first
    def why_started(self, paths: Iterable[str | Path], here: Path) -> Iterator[str]:
        """Why changing files asks that the agent itself starts, that are run in each new worktree of the project, or
        that Maverick's own settings name.
        """
        for place in sorted(self._written(paths, here)) if self.are_started else ():
            if self._started.has(place):
                yield f"{place} may be what a hook or an MCP server of this agent runs."
            if self._set_up.has(place):
                yield f"{place} may be what the set-up of the project's worktrees runs."
            if self._run_by_us.has(place):
                yield f"{place} may be what Maverick runs, by your settings."

    @says_first
    def why_git_runs(
        self, paths: Iterable[str | Path], here: Path, hooks: Collection[Path], commands: Collection[str]
    ) -> Iterator[str]:
        """Why changing files asks where git's settings name these folders of hooks, and these commands."""
        started = Started(commands, self.cwd)
        folders = {real for folder in set(hooks) for real in places_of(str(folder), self.cwd)}
        for place in self._written(paths, here) if folders or commands else ():
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
        if self.holds_home(place):
            yield f"Your home directory is in {place}, with the keys in it."
        yield self.why_not_to_follow(real) if is_within(place, self.cwd) else self.why_not_to_read(real)

    def _linked_keys_below(self, place: Path) -> str:
        below = (alias for alias in self._aliases if alias.of == "home" and is_within(alias.real, place))
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
        aliased = [alias for alias in self._aliases if alias.names_of(place) is not None]
        is_worked_in = self._worktree is not None and is_within(place, self._worktree)
        is_own = any(is_within(place, folder) for folder in self._own) and not is_worked_in
        if is_own or any(alias.of == "own" for alias in aliased):
            yield f"{place} is where Maverick or Claude Code keeps its own settings and agents."
        if self._is_of_batch(place):
            yield f"{place} is where a batch keeps what came of its prompts."
        if any(is_run_by_others(names) for names, _ in self._ways(place)) or any(
            is_within(place, folder) for folder in (*self._git, *self._named_programs)
        ):
            yield f"{place} can make other programs run something."
        if any(map(self._is_of_memory, self._names(place))):
            yield _of_memory(place)
        if any(one.has(place) for one in self._sourced):
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
        holds_keys = any(is_of_keys(names, is_at_home=is_at_home) for names, is_at_home in self._ways(place))
        is_named = any(is_within(place, folder) for folder in self._named_keys)
        is_own = any(alias.of == "own" and alias.names_of(place) == ["config.toml"] for alias in self._aliases)
        if holds_keys or is_named or is_own or place.parent / copied(place.name) in self._secret:
            yield f"{place} is where keys and passwords are kept."
        shown = place.as_posix()
        is_odd = is_below(shown, KERNELS) or not _is_file_or_folder(shown)
        if is_odd and not is_below(shown, _ORDINARY_DEVICES):
            yield f"{place} is not an ordinary file."

    def _is_of_memory(self, names: list[str]) -> bool:
        return self._takes_memory and is_of_memory(names)

    def _is_of_batch(self, place: Path) -> bool:
        """Whether it is a file that a batch goes by, or the folder with those, unless that is worked in. What else is
        in there is not the batch's.
        """
        folders, files = _of_batches(begun_places())
        name = folded(str(place))
        return name in files or (name in folders and not any(is_within(base, place) for base in self.bases))

    def _ways(self, place: Path) -> Iterator[tuple[list[str], bool]]:
        """The names by which a place is known, and whether they begin in the home directory."""
        is_at_home = self._home is not None and is_within(place, self._home)
        yield from ((names, is_at_home) for names in self._names(place))
        for alias in self._aliases:
            if (names := alias.names_of(place)) is not None:
                yield names, alias.of == "home"

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

    def _names(self, place: Path) -> Iterator[list[str]]:
        """The names on the way to a place: from the working directory, and from the home directory; or all of them."""
        bases = [base for base in (*self.bases, self._home) if base is not None and is_within(place, base)]
        for parts in [place.parts[len(base.parts) :] for base in bases] or [place.parts[1:]]:
            # Where the CLI keeps worktrees, which are worked in.
            yield compared_names(parts[2:] if parts[:2] == (".claude", "worktrees") else parts)


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
