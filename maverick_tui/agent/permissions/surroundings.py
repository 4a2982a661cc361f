"""What is around a working directory: the places that matter there, and not by their names alone."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from maverick_tui import paths
from maverick_tui.agent.permissions.inner_texts import COMMAND_VARIABLES
from maverick_tui.agent.permissions.leading import (
    home_folder,
    is_within,
    places_of,
)
from maverick_tui.agent.permissions.links import Alias, aliases
from maverick_tui.agent.permissions.loaded_settings import LoadedSettings, loaded_settings
from maverick_tui.agent.permissions.sourced import Sourced, sourced
from maverick_tui.agent.permissions.started import Started
from maverick_tui.git.repository import Repository, find_repository
from maverick_tui.journal.batches import begun_places
from maverick_tui.masking.key_files import compared_names
from maverick_tui.real_paths import real_path
from maverick_tui.worktrees.needs import setup_line
from maverick_tui.worktrees.records import worktree_at

_KEY_VARIABLES = ("KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "GNUPGHOME", "NETRC", "GOOGLE_APPLICATION_CREDENTIALS")
_RUN_VARIABLES = (
    "BASH_ENV", "ENV", "ZDOTDIR", "INPUTRC", "PYTHONSTARTUP", "CLAUDE_ENV_FILE", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_TEMPLATE_DIR", "RIPGREP_CONFIG_PATH",
)  # fmt: skip

T = TypeVar("T")


class _Looked(Generic[T]):
    """A property that is looked up once for each call that is judged."""

    def __init__(self, look: Callable[[Any], T]) -> None:
        self._look = look
        self._name = look.__name__

    def __get__(self, around: Surroundings, _kind: type[Surroundings]) -> T:
        known = vars(around._looked)
        if self._name not in known:
            known[self._name] = self._look(around)
        found: T = known[self._name]
        return found


class Surroundings:
    """What is known of one working directory, anew for each call that is judged."""

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
        """`started` are commands that run without being asked about, as an agent's own hooks do; `environment` are
        variables that programs are given in addition to ours; `settings_files` name further commands, and others at
        another time; so does `own_commands`, those that Maverick itself runs. `takes_memory` says that Claude Code
        takes in what a `CLAUDE.md` says and names.
        """
        self.cwd = cwd.resolve()
        self._environments = [os.environ, environment or {}]
        self._commands = started
        self._settings_files = settings_files
        self._own_commands = own_commands
        self.takes_memory = takes_memory
        self.home = home_folder()
        settings = paths.user_config()
        own = (settings, paths.user_state(), paths.claude_config())
        self.own = [*own, *(folder.resolve() for folder in own)]
        self.worktree = paths.worktree_around(self.cwd)
        """The worktree of the run, which is worked in although it is below what is Maverick's own."""
        worktree = worktree_at(self.cwd) if self.worktree is not None else None
        self.project = Path(real_path(worktree.project)) if worktree is not None else None
        self.secret = {settings / "config.toml", settings.resolve() / "config.toml"}
        self.bases = [self.cwd, *([self.project] if self.project is not None else [])]
        """The working directory, and the project that it is a worktree of: what is written comes to be in both."""
        self._looked = threading.local()
        """What was looked up in the call that is judged now: several are, each in a thread."""

    def look_again(self) -> None:
        """Look everything up anew: there may be other links, set-ups and start-up files by the next call, and a session
        lives for hours.
        """
        vars(self._looked).clear()

    @_Looked
    def repository(self) -> Repository | None:
        """That which is worked in."""
        return find_repository(self.cwd)

    @_Looked
    def git(self) -> list[Path]:
        """Git's own folders of the repository that is worked in."""
        found = self.repository
        return [] if found is None else [found.own.resolve(), found.common]

    @_Looked
    def started(self) -> Started:
        """What hooks and servers run, the agent's own and those of settings."""
        settings = self.settings
        return Started([*self._commands, *settings.commands], self.cwd, are_all=settings.is_all)

    @_Looked
    def settings(self) -> LoadedSettings:
        """What Claude Code goes by."""
        return loaded_settings(self._settings_files)

    @_Looked
    def run_by_us(self) -> Started:
        """What Maverick's own settings have it run."""
        return Started(self._own_commands(), self.cwd)

    @_Looked
    def set_up(self) -> Started:
        """What is run in each new worktree of the project."""
        line = setup_line(self.project or self.cwd)
        return Started([line] if line else [], self.cwd if self.repository is None else self.repository.top)

    @_Looked
    def aliases(self) -> list[Alias]:
        """Other names of places."""
        return [alias for base in self.bases for alias in aliases(base, self.home)]

    @_Looked
    def named_keys(self) -> list[Path]:
        """Where variables say that keys are."""
        named = (path for paths in self._variables(_KEY_VARIABLES) for path in paths.split(os.pathsep))
        return [*self._named(named), paths.edited_settings(), paths.edited_settings().resolve()]

    @_Looked
    def named_programs(self) -> list[Path]:
        """What variables say is run, or read by what is run."""
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
    def searched(self) -> set[Path]:
        """Folders in which programs are looked for; commands may name them, to run them."""
        entries = {entry for path in self._variables(["PATH"]) for entry in path.split(os.pathsep)}
        places = {Path(real_path(entry)) for entry in entries if os.path.isabs(entry)}  # noqa: PTH117
        return places.difference(self.bases)

    @_Looked
    def searched_inside(self) -> list[Path]:
        """Those of them in the working directory, or the project that it is a worktree of."""
        return [place for place in self.searched if any(is_within(place, base) for base in self.bases)]

    @_Looked
    def sourced(self) -> list[Sourced]:
        """What shells read here when they start, and in the project that this is a worktree of."""
        return [sourced(self.home, base) for base in self.bases]

    def _variables(self, names: Iterable[str]) -> list[str]:
        environments = [*self._environments, *self.settings.environments]
        return [found.get(name, "") for name in names for found in environments]

    def _named(self, paths: Iterable[str]) -> list[Path]:
        """The places that variables name, unless the working directory is in them; elsewhere they are known by name."""
        places = (Path(real_path(self.cwd / path)) for path in paths if path and path != os.devnull)
        return [place for place in places if not is_within(self.cwd, place)]

    @property
    def known(self) -> list[Path]:
        """Places that matter by where they are, and not by their names."""
        places = [*self.own, *self.git, *self.named_programs, *self.named_keys, *self.secret, *begun_places()]
        places += (alias.real for alias in self.aliases)
        return [*places, *(Path(file) for one in self.sourced for file in one.files)]

    def written(self, paths: Iterable[str | Path], here: Path) -> list[Path]:
        """Where all that is written to these comes to be: from a worktree also in the project, with a merge."""
        found = ([path] if isinstance(path, Path) else places_of(path, here) for path in paths)
        places = dict.fromkeys(place for some in found for place in some)
        project, worktree = self.project, self.worktree
        if project is None or worktree is None:
            return list(places)
        inner = [place for place in places if is_within(place, worktree)]
        return list(places | dict.fromkeys(project / place.relative_to(worktree) for place in inner))

    def holds_home(self, folder: Path) -> bool:
        """Whether the home directory is a folder, or in it."""
        return self.home is not None and is_within(self.home, folder)

    def is_at_home(self, place: Path) -> bool:
        """Whether it is in the home directory."""
        return self.home is not None and is_within(place, self.home)

    def ways(self, place: Path) -> Iterator[tuple[list[str], bool]]:
        """The names by which a place is known, and whether they begin in the home directory."""
        is_at_home = self.home is not None and is_within(place, self.home)
        yield from ((names, is_at_home) for names in self.names(place))
        for alias in self.aliases:
            if (names := alias.names_of(place)) is not None:
                yield names, alias.of == "home"

    def names(self, place: Path) -> Iterator[list[str]]:
        """The names on the way to a place: from the working directory, and from the home directory; or all of them."""
        bases = [base for base in (*self.bases, self.home) if base is not None and is_within(place, base)]
        for parts in [place.parts[len(base.parts) :] for base in bases] or [place.parts[1:]]:
            # Where the CLI keeps worktrees, which are worked in.
            yield compared_names(parts[2:] if parts[:2] == (".claude", "worktrees") else parts)
