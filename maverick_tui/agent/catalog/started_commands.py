"""The commands that an agent starts by itself where it is not the project's: its hooks and its MCP servers.

The folder may be anybody's clone, and nobody can say what `npx`, `cargo` or `make` find there. So the commands are
trusted once for each folder, before they are started in it: whoever loads an agent asks for that in the folder where it
was looked for, and whoever opens a session of it in the one where it works, which its code, or a program, may choose.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui import paths
from maverick_tui.agent.catalog.trust import NotTrustedError
from maverick_tui.agent.permissions.leading import home_folder
from maverick_tui.agent.permissions.started import lines_of
from maverick_tui.exceptions import ConfigError
from maverick_tui.worktrees.records import origin_of

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent


_ours: set[Path] = set()


def take_for_ours(folder: Path) -> None:
    """Let commands be started in a folder that this process has made itself."""
    _ours.add(folder.resolve())


def settings_of(cls: type[MaverickAgent], name: str) -> Mapping[str, Any]:
    """The `hooks` and `mcp_servers` of a Python agent, whatever its file seems to say: they may be put together."""
    return told_by(made(cls), name)


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


def told_by(subject: Any, name: str) -> Mapping[str, Any]:
    """The same of an agent, or of its class. ConfigError if it cannot be known."""
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
    commands = commands_of(settings)
    if not commands or is_ours(folder):
        return None
    place = places_of(folder)[-1].resolve()
    text = "".join(f"{command}\n" for command in commands)
    return paths.user_state() / "commands" / place.relative_to(place.anchor) / name, text.encode()


def is_ours(folder: Path) -> bool:
    """Whether it is the user's own, or one that this process has made."""
    return places_of(folder)[-1].resolve() in (home_folder(), *_ours)


def places_of(folder: Path) -> list[Path]:
    """The folder, and what it is the worktree of; a run may begin in the worktree of another."""
    places = [folder.absolute()]
    while (origin := origin_of(places[-1])) != places[-1]:
        places.append(origin)
    return places


def commands_of(settings: Mapping[str, Any]) -> list[str]:
    """What hooks and servers start, a line for each."""
    return [*commands_in("hook", settings.get("hooks")), *commands_in("MCP server", settings.get("mcp_servers"))]


def commands_in(kind: str, value: Mapping[str, Any] | None) -> list[str]:
    """The same of all hooks, or of all servers."""
    return [f"{kind} {name}: {line}" for name, how in (value or {}).items() for line in lines_of(how)]


def not_trusted(name: str, folder: Path, *, of: Path | None = None, is_known: bool) -> NotTrustedError:
    """Why the commands of an agent are not started in a folder, and what to do; it may be one `of` another project."""
    steps = f"Read them in that folder with: maverick agents show {name}, then run: maverick agents trust {name}"
    if of is not None:  # which nobody finds there by its name
        steps = f"It is trusted in {of} alone. Copy its file to {paths.user_config() / 'agents'}. {steps}"
    return NotTrustedError(
        f"The agent {name!r} starts commands that may run code in {folder.resolve()}, and they"
        f" {'have changed since you trusted them' if is_known else 'are not trusted'} there.",
        path=str(folder),
        hint=steps,
    )
