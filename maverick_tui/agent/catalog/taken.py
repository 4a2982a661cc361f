"""What hooks and MCP servers of an agent take from the folder that it is started in: the folder may be anybody's clone.

An agent of the user's own, of a package or of ours says `npx some-server`, and a `package.json` decides what that is.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from maverick_tui.agent.catalog.folders import read_file, unreadable
from maverick_tui.agent.catalog.mcp_servers import Server, expand_server
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.catalog.yaml_nodes import Json
from maverick_tui.agent.permissions.places import home_folder
from maverick_tui.agent.permissions.started import (
    ReadCommand,
    deciding_files,
    files_of_module,
    path_of,
    read,
    takes_from_node_modules,
)
from maverick_tui.exceptions import ConfigError

SAFE_PATH = "PYTHONSAFEPATH"
"""Keeps Python from importing from the folder that it is started in."""
MOST_FILES = 50
"""Most files of a folder that is run as a whole; nobody reads more."""
_INSTALLED = "node_modules"
_NOWHERE = Path("/nowhere")


class Taken(NamedTuple):
    """A file of the folder, and who takes it."""

    path: Path
    content: bytes
    taker: str


class Command(NamedTuple):
    """A command of an agent, and whose it is."""

    owner: str
    text: str


def taken_from(folder: Path, settings: Mapping[str, Any]) -> list[Taken | Problem]:
    """The files that the agent's `hooks` and `mcp_servers` take from there; a problem for one that cannot be shown."""
    found: dict[str, Taken | Problem] = {}
    for command in _commands(settings):
        folders = _folders(folder)
        for path in _files(read(command.text), folders) if folders else ():
            if (key := os.path.realpath(path)) not in found:
                found[key] = _take(path, command.owner)
    return list(found.values())


def without_folder(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The `hooks` and `mcp_servers` that change, so that no Python in them imports from this folder.

    A module that lies there is meant to be found: it is asked about.
    """
    folders = _folders(folder)
    changed: dict[str, Any] = {}

    def is_kept_out(command: str) -> bool:
        reading = read(command)
        return (
            bool(folders) and reading.imports_from_folder and not any(_modules(reading, _starts(reading, folders[0])))
        )

    def guarded(hook: Any) -> Any:
        if isinstance(hook, list | tuple):
            return [guarded(one) for one in hook]
        if not isinstance(hook, Mapping):
            return hook
        kept = {key: guarded(value) for key, value in hook.items()}
        if isinstance(text := hook.get("command"), str) and _has_shell(hook) and is_kept_out(_hook(hook)):
            kept["command"] = f"export {SAFE_PATH}=1; {text}"
        return kept

    if (hooks := settings.get("hooks")) and (safe := guarded(hooks)) != hooks:
        changed["hooks"] = safe
    servers = settings.get("mcp_servers") or {}
    safe = {
        name: {**server, "env": {SAFE_PATH: "1", **(server.get("env") or {})}}
        for name, server in servers.items()
        if isinstance(server, Mapping) and server.get("command") and is_kept_out(_line(server))
    }
    if safe:
        changed["mcp_servers"] = {**servers, **safe}
    return changed


def _commands(settings: Mapping[str, Any]) -> Iterator[Command]:
    hooks, servers = settings.get("hooks") or {}, settings.get("mcp_servers") or {}
    for event, groups in hooks.items() if isinstance(hooks, Mapping) else ():
        yield from (Command(f"a hook of {event}", text) for text in _lines(groups))
    for name, server in servers.items() if isinstance(servers, Mapping) else ():
        if isinstance(server, Mapping) and server.get("command"):
            yield Command(f"the MCP server {name!r}", _line(server))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("command"), str):
            yield _hook(value)
        value = list(value.values())
    for one in value if isinstance(value, list | tuple) else ():
        yield from _lines(one)


def _hook(hook: Mapping[str, Any]) -> str:
    """What a shell reads, unless the arguments stand beside it."""
    return _line(hook) if hook.get("args") else str(hook["command"])


def _line(server: Mapping[str, Any]) -> str:
    """The program and its arguments, with the variables that are set."""
    args = server.get("args")
    words: Server = {"words": [server["command"], *(args if isinstance(args, list | tuple) else ())]}
    with suppress(ConfigError):
        words = expand_server("", words, os.environ, path=Path())
    return shlex.join(map(str, cast("list[Json]", words["words"])))


def _has_shell(hook: Mapping[str, Any]) -> bool:
    """Whether the shell of a hook knows `export`."""
    return os.name != "nt" and hook.get("shell") != "powershell" and not hook.get("args")


def _files(reading: ReadCommand, folders: list[Path]) -> Iterator[Path]:
    starts = _starts(reading, folders[0])
    yield from _modules(reading, starts)
    for word in sorted(reading.runs | reading.words):
        if path_of(word, _NOWHERE).is_relative_to(_NOWHERE):  # else whoever wrote its whole path means just that
            for path in (path_of(word, start) for start in starts):
                # What an option takes may be the program after all: any file that is named counts.
                yield from _run(path) if word in reading.runs else [path] if os.path.isfile(path) else []  # noqa: PTH113
    names = deciding_files(reading.words)
    packages = {word.split("/")[0] for word in reading.runs} - {"", ".", "..", "~"}  # as by `node -r name/register`
    for folder in dict.fromkeys([*folders, *starts]):
        yield from filter(os.path.lexists, (folder / name for name in names))
        installed = folder / _INSTALLED
        is_loaded = any(os.path.lexists(installed / name) for name in packages)
        if is_loaded or (takes_from_node_modules(reading.words) and _is_folder(installed)):
            yield installed


def _folders(folder: Path) -> list[Path]:
    """The folder and all above it, for npm goes on where a repository ends; a home directory is its user's own."""
    folder, home = folder.resolve(), home_folder()
    return list(itertools.takewhile(lambda one: one != home, [folder, *folder.parents]))


def _starts(reading: ReadCommand, folder: Path) -> list[Path]:
    """Where the command may be when it starts something."""
    return [folder, *(path_of(other, folder) for other in sorted(reading.folders))]


def _modules(reading: ReadCommand, starts: Iterable[Path]) -> Iterator[Path]:
    names = [file for name in sorted(reading.modules) for file in files_of_module(name)]
    yield from filter(os.path.lexists, (start / name for start in starts for name in names))


def _run(path: Path) -> Iterator[Path]:
    """The file, or those of this name with an extension, or all of a folder that is not too large to be read."""
    if _is_folder(path):
        files = _entries(path)
        yield from files if len(files) <= MOST_FILES else [path]
    elif os.path.lexists(path):
        yield path
    elif _is_folder(path.parent):
        yield from (file for file in _entries(path.parent) if file.name.startswith(f"{path.name}."))


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if not entry.is_dir())
    except OSError:
        return [folder]  # which cannot be read, and is told so


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir() raises for what is too long to be a name


def _take(path: Path, owner: str) -> Taken | Problem:
    if path.name == _INSTALLED:
        return _installed(path, owner)
    content = read_file(path)
    if isinstance(content, Problem):
        hint = "Remove it, or write the whole path of what is to run into the agent's file."
        return Problem(str(path), None, f"Would be run by {owner}, and cannot be shown first. {content.message}", hint)
    return Taken(path, content, owner)


def _installed(folder: Path, owner: str) -> Taken | Problem:
    """What can be said of packages that nobody can read as a whole: a change of their names asks again."""
    try:
        names = sorted(_package_names(folder))
    except OSError as error:
        return unreadable(folder, error)
    digest = hashlib.sha256("\n".join(names).encode(errors="surrogateescape")).hexdigest()
    text = (
        f"A folder with {len(names):,} names of packages and programs. It cannot be shown as a whole:\n"
        "whatever is in it may be run, also what is changed there later.\n"
        f"Their names have the fingerprint {digest}.\n"
    )
    return Taken(folder, text.encode(), owner)


def _package_names(folder: Path) -> Iterator[str]:
    for inner in os.scandir(folder):
        yield inner.name
        if inner.name.startswith(("@", ".bin")) and inner.is_dir():
            yield from (f"{inner.name}/{one.name}" for one in os.scandir(inner))
