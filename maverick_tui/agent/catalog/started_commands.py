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


@dataclass(slots=True)
class _Own:
    """What is known of a class that was found as an agent, and not as one of a project."""

    name: str
    """What it was found as."""
    settings: Mapping[str, Any] | None
    """Its `hooks` and `mcp_servers`; None until somebody asks the class."""


_own: WeakKeyDictionary[type[MaverickAgent], _Own] = WeakKeyDictionary()
"""A class that a program has itself is not among them, nor is one that a program derives: that is its author's own."""
_ours: set[Path] = set()


def take_for_ours(folder: Path) -> None:
    """Let commands be started in a folder that this process has made itself."""
    _ours.add(folder.resolve())


def note_own(cls: type[MaverickAgent], name: str, settings: Mapping[str, Any] | None = None) -> None:
    """Have `require_trusted` ask for the commands of this class, which was found by that name."""
    _own[cls] = _Own(name, settings)


def settings_of(cls: type[MaverickAgent], name: str) -> Mapping[str, Any]:
    """The `hooks` and `mcp_servers` of a Python agent, whatever its file seems to say: they may be put together."""
    from maverick_tui.agent.base import MaverickAgent

    subject: Any = cls
    if cls.__init__ is not MaverickAgent.__init__:
        with suppress(Exception, SystemExit):  # a constructor of the author's may want and do anything
            subject = cls()
    settings = {"hooks": subject.hooks, "mcp_servers": subject.mcp_servers}
    for field, value in settings.items():
        if value is not None and not isinstance(value, Mapping):
            raise ConfigError(
                f"{field} of the agent {name!r} is no mapping: what it would start cannot be known.",
                path=str(getattr(sys.modules.get(cls.__module__), "__file__", cls.__module__)),
                hint=f"Make {field} a dictionary of the class.",
            )
    return settings


def started_in(folder: Path, name: str, settings: Mapping[str, Any]) -> tuple[Path, bytes] | None:
    """What is to be trusted there of an agent's `hooks` and `mcp_servers`, under a name that no file has.

    It is no name in the folder, where a link could lead to another one that is trusted. None if nothing is started, or
    in the home directory, which is its user's own. The worktree of a run counts as the project.
    """
    commands = [*_lines("hook", settings.get("hooks")), *_lines("MCP server", settings.get("mcp_servers"))]
    if not commands:
        return None
    folder = folder.absolute()
    while (origin := origin_of(folder)) != folder:  # a run may begin in the worktree of another
        folder = origin
    folder = folder.resolve()
    if folder in (home_folder(), *_ours):
        return None
    text = "".join(f"{command}\n" for command in commands)
    return paths.user_state() / "commands" / folder.relative_to(folder.anchor) / name, text.encode()


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

    Servers that its maker, or its own code, has given just this one are not asked about.
    """
    own = _own.get(type(agent))
    if own is None:
        return
    if own.settings is None:
        own.settings = settings_of(type(agent), own.name)
    known = _lines("hook", own.settings.get("hooks"))
    # A run that goes on may have fewer of them than its class.
    unknown = [line for line in _lines("hook", agent.hooks) if line not in known]
    if unknown and started_in(folder, own.name, {"hooks": agent.hooks}) is not None:
        raise ConfigError(
            f"The agent {own.name!r} has hooks that its class does not tell, so that nobody could be asked about them"
            f" in {folder.resolve()}: {some(unknown)}.",
            hint="Make hooks a dictionary of the class.",
        )
    commands, store = started_in(folder, own.name, own.settings), TrustStore()
    if commands is not None and not store.is_trusted(*commands):
        raise not_trusted(own.name, folder, is_known=store.is_known(commands[0]))
