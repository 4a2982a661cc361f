"""Agents that were found by their names: what they start is looked at once more where they work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from maverick_tui import paths
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.started_commands import (
    commands_in,
    commands_of,
    is_ours,
    not_trusted,
    places_of,
    settings_of,
    started_in,
    told_by,
)
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.repository import find_repository, is_anothers, persons_repository
from maverick_tui.worktrees.records import some

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.mcp_servers import McpJson


@dataclass(slots=True)
class _Found:
    """What is known of a class that was found as an agent."""

    name: str
    """What it was found as."""
    settings: Mapping[str, Any] | None
    """Its `hooks` and `mcp_servers`; None until somebody asks the class."""
    mcp_json: McpJson | None
    """The project's file that its other servers are from."""
    project: Path | None
    """A folder of the project that it is from, where all of it is trusted with its file; None of a person's own."""


_found: WeakKeyDictionary[type[MaverickAgent], _Found] = WeakKeyDictionary()
"""A class that a program has itself is not among them, nor is one that a program derives: that is its author's own."""


def note_found(
    cls: type[MaverickAgent],
    name: str,
    settings: Mapping[str, Any] | None = None,
    mcp_json: McpJson | None = None,
    project: Path | None = None,
) -> None:
    """Have `require_trusted` ask for the commands of this class, which was found by that name."""
    _found[cls] = _Found(name, settings, mcp_json, project)


def require_trusted(agent: MaverickAgent, folder: Path) -> None:
    """ConfigError if this agent would start commands there that nobody has trusted there.

    It is asked itself, since its code may have given it others than its class has. What it was made with is not asked
    about.
    """
    found = _found.get(type(agent))
    if found is None or is_ours(folder) or (found.project is not None and _is_within(found.project, folder)):
        return
    given = {line for one in agent._made_with for line in commands_of({"hooks": one, "mcp_servers": one})}
    started = [line for line in commands_of(told_by(agent, found.name)) if line not in given]
    if not started:
        return
    if found.settings is None:
        found.settings = settings_of(type(agent), found.name)
    known, store = commands_of(found.settings), TrustStore()
    if others := [line for line in started if line not in known]:
        _require_from_project(found, others, folder, store)
    commands = started_in(folder, found.name, found.settings) if len(others) < len(started) else None
    if commands is not None and not store.is_trusted(*commands):
        _require_reachable(found.name, folder)
        raise not_trusted(found.name, folder, of=found.project, is_known=store.is_known(commands[0]))


def _is_within(project: Path, folder: Path) -> bool:
    """Whether a folder is in that very project: in its repository or a worktree of that, or without one below it."""
    if (repository := persons_repository(project)) is not None:
        there = persons_repository(folder)
        return there is not None and there.common == repository.common and not is_anothers(there)
    is_below = folder.resolve().is_relative_to(project.resolve())
    return is_below and find_repository(folder) == find_repository(project)


def _require_reachable(name: str, folder: Path) -> None:
    """ConfigError if that name is another agent's there: who trusts it trusts what the project brings."""
    if any(agent.name == name and agent.source == "project" for agent in discover(folder.absolute()).agents):
        raise ConfigError(
            f"The agent {name!r} starts commands that may run code in {folder.resolve()}, and they are not trusted"
            " there. Nor can they be: the project has an agent of that name itself.",
            path=str(folder),
            hint="Give yours another name to use it there.",
        )


def _require_from_project(found: _Found, commands: list[str], folder: Path, store: TrustStore) -> None:
    """ConfigError if these are not all from a file of that very project, and trusted with it."""
    file, where = found.mcp_json, folder.resolve()
    theirs = () if file is None else commands_in("MCP server", file.servers)
    if file is None or any(line not in theirs for line in commands):
        unknown = some([line for line in commands if line not in theirs])
        raise ConfigError(
            f"The agent {found.name!r} would start what its class does not tell, so that nobody could be asked about it"
            f" in {where}: {unknown}.",
            hint="Make hooks and mcp_servers dictionaries of the class.",
        )
    is_there = any(file.path.parent in paths.project_folders(place) for place in places_of(folder))
    if not (is_there and store.is_trusted(file.path, file.content)):
        raise NotTrustedError(
            f"The agent {found.name!r} starts MCP servers that {file.path} names, and they are not trusted in {where}.",
            path=str(file.path),
            hint=f"Run there: maverick agents trust {found.name}, and load the agent for that folder.",
        )
