"""The commands that an agent which is not the project's starts by itself in a folder: its hooks and its MCP servers.

The folder may be anybody's clone, and nobody can say what `npx`, `cargo` or `make` find there. So the commands are
trusted once for each folder, before they are started in it: whoever loads an agent asks for that in the folder where it
was looked for, and whoever opens a session of it in the one where it works, which its code, or a program, may choose.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from maverick_tui import paths
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.agent.permissions.leading import home_folder
from maverick_tui.agent.permissions.started import lines_of
from maverick_tui.exceptions import ConfigError
from maverick_tui.worktrees.records import origin_of, some

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.mcp_servers import McpJson


@dataclass(slots=True)
class _Own:
    """What is known of a class that was found as an agent, and not as one of a project."""

    name: str
    """What it was found as."""
    settings: Mapping[str, Any] | None
    """Its `hooks` and `mcp_servers`; None until somebody asks the class."""
    mcp_json: McpJson | None
    """The project's file that its other servers are from."""


_own: WeakKeyDictionary[type[MaverickAgent], _Own] = WeakKeyDictionary()
"""A class that a program has itself is not among them, nor is one that a program derives: that is its author's own."""
_ours: set[Path] = set()


def take_for_ours(folder: Path) -> None:
    """Let commands be started in a folder that this process has made itself."""
    _ours.add(folder.resolve())


def note_own(
    cls: type[MaverickAgent], name: str, settings: Mapping[str, Any] | None = None, mcp_json: McpJson | None = None
) -> None:
    """Have `require_trusted` ask for the commands of this class, which was found by that name."""
    _own[cls] = _Own(name, settings, mcp_json)


def settings_of(cls: type[MaverickAgent], name: str) -> Mapping[str, Any]:
    """The `hooks` and `mcp_servers` of a Python agent, whatever its file seems to say: they may be put together."""
    return _told_by(made(cls), name)


def made(cls: type[MaverickAgent]) -> Any:
    """An agent made as Maverick makes them, or as programs do; the class if it wants something else."""
    from maverick_tui.agent.base import MaverickAgent

    if cls.__init__ is not MaverickAgent.__init__:
        from maverick_tui.config import MaverickConfig

        with suppress(Exception, SystemExit):  # a constructor of the author's may want and do anything
            return cls(config=MaverickConfig.load())
    with suppress(Exception, SystemExit):
        return cls()
    return cls


def _told_by(subject: Any, name: str) -> Mapping[str, Any]:
    settings = {"hooks": subject.hooks, "mcp_servers": subject.mcp_servers}
    for field, value in settings.items():
        if value is not None and not isinstance(value, Mapping):
            module = subject.__module__
            raise ConfigError(
                f"{field} of the agent {name!r} is no mapping: what it would start cannot be known.",
                path=str(getattr(sys.modules.get(module), "__file__", module)),
                hint=f"Make {field} a dictionary of the class.",
            )
    return settings


def started_in(folder: Path, name: str, settings: Mapping[str, Any]) -> tuple[Path, bytes] | None:
    """What is to be trusted there of an agent's `hooks` and `mcp_servers`, under a name that no file has.

    It is no name in the folder, where a link could lead to another one that is trusted. None if nothing is started, or
    in the home directory, which is its user's own. The worktree of a run counts as the project.
    """
    commands = _commands(settings)
    if not commands or _is_ours(folder):
        return None
    place = _places(folder)[-1].resolve()
    text = "".join(f"{command}\n" for command in commands)
    return paths.user_state() / "commands" / place.relative_to(place.anchor) / name, text.encode()


def _is_ours(folder: Path) -> bool:
    return _places(folder)[-1].resolve() in (home_folder(), *_ours)


def _places(folder: Path) -> list[Path]:
    """The folder, and what it is the worktree of; a run may begin in the worktree of another."""
    places = [folder.absolute()]
    while (origin := origin_of(places[-1])) != places[-1]:
        places.append(origin)
    return places


def _commands(settings: Mapping[str, Any]) -> list[str]:
    return [*_lines("hook", settings.get("hooks")), *_lines("MCP server", settings.get("mcp_servers"))]


def _lines(kind: str, value: Mapping[str, Any] | None) -> list[str]:
    return [f"{kind} {name}: {line}" for name, how in (value or {}).items() for line in lines_of(how)]


def not_trusted(name: str, folder: Path, *, is_known: bool) -> NotTrustedError:
    """Why the commands of an agent are not started in a folder, and what to do."""
    return NotTrustedError(
        f"The agent {name!r} starts commands that may run code in {folder.resolve()}, and they"
        f" {'have changed since you trusted them' if is_known else 'are not trusted'} there.",
        path=str(folder),
        hint=f"Read them in that folder with: maverick agents show {name}, then run: maverick agents trust {name}",
    )


def require_trusted(agent: MaverickAgent, folder: Path) -> None:
    """ConfigError if this agent would start commands there that nobody has trusted there.

    It is asked itself, since its code may have given it others than its class has. What it was made with is not asked
    about.
    """
    own = _own.get(type(agent))
    if own is None or _is_ours(folder):
        return
    given = {line for one in agent._made_with for line in _commands({"hooks": one, "mcp_servers": one})}
    started = [line for line in _commands(_told_by(agent, own.name)) if line not in given]
    if not started:
        return
    if own.settings is None:
        own.settings = settings_of(type(agent), own.name)
    known, store = _commands(own.settings), TrustStore()
    if others := [line for line in started if line not in known]:
        _require_from_project(own, others, folder, store)
    commands = started_in(folder, own.name, own.settings) if len(others) < len(started) else None
    if commands is not None and not store.is_trusted(*commands):
        raise not_trusted(own.name, folder, is_known=store.is_known(commands[0]))


def _require_from_project(own: _Own, commands: list[str], folder: Path, store: TrustStore) -> None:
    """ConfigError if these are not all from a file of that very project, and trusted with it."""
    file, where = own.mcp_json, folder.resolve()
    theirs = () if file is None else _lines("MCP server", file.servers)
    if file is None or any(line not in theirs for line in commands):
        unknown = some([line for line in commands if line not in theirs])
        raise ConfigError(
            f"The agent {own.name!r} would start what its class does not tell, so that nobody could be asked about it"
            f" in {where}: {unknown}.",
            hint="Make hooks and mcp_servers dictionaries of the class.",
        )
    is_there = any(file.path.parent in paths.project_folders(place) for place in _places(folder))
    if not (is_there and store.is_trusted(file.path, file.content)):
        raise NotTrustedError(
            f"The agent {own.name!r} starts MCP servers that {file.path} names, and they are not trusted in {where}.",
            path=str(file.path),
            hint=f"Run there: maverick agents trust {own.name}, and load the agent for that folder.",
        )
