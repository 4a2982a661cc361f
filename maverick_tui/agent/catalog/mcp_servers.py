"""MCP servers of agent files: named ones from the project's `.mcp.json`, inline ones, and their variables."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from maverick_tui import paths
from maverick_tui.agent.catalog.folders import leads_out, read_file
from maverick_tui.agent.catalog.front_matter import WordAt, split_words
from maverick_tui.agent.catalog.problems import Problem, ProblemLog
from maverick_tui.agent.catalog.tool_field import server_of
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.bounded import from_json
from maverick_tui.exceptions import ConfigError, did_you_mean

FILE_NAME = ".mcp.json"

Server = dict[str, Json]

_SHAPE = "Write a name of the project's .mcp.json, or name: {command: ..., args: [...]}; quote numbers."

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_FIELDS = {
    "stdio": ("command", "args", "env"),
    "http": ("url", "headers"),
    "sse": ("url", "headers"),
}
_WANTED = {"command": "text", "url": "text", "args": "a list of texts"}


@dataclass(frozen=True, slots=True)
class McpJson:
    """The project's `.mcp.json`: the exact bytes, for trust, and the servers in them, not yet checked."""

    path: Path
    content: bytes = b""
    servers: Mapping[str, Json] = field(default_factory=dict)
    problem: str = ""


class McpLookup:
    """Finds servers by name in the nearest `.mcp.json` at or above a folder; it is read when first needed."""

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd

    @cached_property
    def file(self) -> McpJson | None:
        """The nearest file, None if there is none."""
        folders = paths.project_folders(self.cwd)
        for folder in folders:
            if os.path.lexists(folder / FILE_NAME):
                return _read(folder / FILE_NAME, folders[-1])
        return None


def _read(path: Path, project: Path) -> McpJson:
    # What is trusted is known by where it really is: a link to another project's file would be trusted with that.
    content = leads_out(path, project) or read_file(path)
    if isinstance(content, Problem):
        return McpJson(path, problem=content.message)
    try:
        data: object = from_json(content.decode("utf-8-sig"))
    except ValueError as error:
        return McpJson(path, content, problem=f"Is not JSON: {error}.")
    servers = data.get("mcpServers") if isinstance(data, dict) else None
    if not isinstance(servers, dict):
        return McpJson(path, content, problem='Has no map "mcpServers".')
    return McpJson(path, content, servers)


@dataclass(frozen=True, slots=True)
class CheckedServer:
    """A server's settings without what has no effect, and what is wrong with them."""

    server: Server
    mistakes: list[str]
    unused: list[str]


def check_server(name: str, settings: Json) -> CheckedServer:
    """Check one server; values may still hold `${VARIABLE}`."""
    if not _NAME.fullmatch(name) or "__" in name:
        return CheckedServer({}, [f"the name {name!r} may hold letters, digits, - and single _ only"], [])
    if not isinstance(settings, dict):
        return CheckedServer({}, [f"the server {name!r} must be a map"], [])
    kind = settings.get("type", "stdio" if "command" in settings else "http" if "url" in settings else "stdio")
    kind = "http" if kind == "streamable-http" else kind
    if not isinstance(kind, str) or kind not in _FIELDS:
        return CheckedServer({}, [f"the server {name!r} has the type {kind!r}: choose stdio, http or sse"], [])
    wanted = _FIELDS[kind]
    mistakes = [
        f"{key} of the server {name!r} must be {_WANTED.get(key, 'a map of texts')}"
        for key in wanted
        if not _fits(key, settings.get(key))
    ]
    server: Server = {"type": kind, **{key: settings[key] for key in wanted if settings.get(key) is not None}}
    return CheckedServer(server, mistakes, sorted(settings.keys() - {"type", *wanted}))


def _fits(key: str, value: Json) -> bool:
    if key in ("command", "url"):
        return isinstance(value, str) and bool(value.strip())
    if value is None:
        return True
    if key == "args":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def expand_server(name: str, server: Server, environ: Mapping[str, str], *, path: Path) -> Server:
    """The server with `${VARIABLE}` and `${VARIABLE:-default}` replaced by what the environment holds."""

    def expand(value: Json) -> Json:
        if isinstance(value, str):
            return _VARIABLE.sub(replacement, value)
        if isinstance(value, list):
            return [expand(item) for item in value]
        return {key: expand(item) for key, item in value.items()} if isinstance(value, dict) else value

    def replacement(found: re.Match[str]) -> str:
        value = environ.get(found["name"])
        # As in a shell, `:-` also stands in for a variable that is empty.
        value = (value or found["default"]) if found["default"] is not None else value
        if value is None:
            raise ConfigError(
                f"The MCP server {name!r} of {path} needs the environment variable {found['name']}, which is not set.",
                path=str(path),
                hint=f"Set {found['name']}, or give a default: ${{{found['name']}:-value}}.",
            )
        return value

    return {key: expand(value) for key, value in server.items()}


@dataclass(slots=True)
class Servers:
    """The servers by name, and the `.mcp.json` that some of them are from."""

    by_name: dict[str, Server] = field(default_factory=dict)
    file: McpJson | None = None


def read_servers(node: Node | None, tools: Iterable[WordAt], lookup: McpLookup, log: ProblemLog) -> Servers:
    """The servers that the file lists, and those of the project that its tools belong to."""
    found = Servers()
    for name, settings, line in _entries(node, log):
        if settings is None:
            _add_named(name, line, found, lookup, log)
        else:
            _add(name, settings, line, found, log)
    for word in tools:
        name = server_of(word.text)
        # In Claude Code naming a tool is enough to have it from a server of the project.
        if name and name not in found.by_name and lookup.file and name in lookup.file.servers:
            _add_named(name, word.line, found, lookup, log)
    return found


def _entries(node: Node | None, log: ProblemLog) -> Iterator[tuple[str, Json, int]]:
    """Name, settings (None for a server of the project) and line of each entry."""
    if node is None:
        return
    if isinstance(node.value, dict):
        for name, settings in node.value.items():
            yield name, settings.to_json(), settings.line
    elif isinstance(node.value, tuple):
        for item in node.value:
            if isinstance(item.value, tuple):
                log.error(item.line, "mcpServers must hold names and maps, not a list.", _SHAPE)
            else:
                yield from _entries(item, log)
    else:
        yield from ((name, None, node.line) for name in split_words(node.text))


def _add_named(name: str, line: int, found: Servers, lookup: McpLookup, log: ProblemLog) -> None:
    file = lookup.file
    if file is None:
        log.error(line, f"mcpServers: the server {name!r} is not defined, since there is no {FILE_NAME}.", _SHAPE)
    elif file.problem:
        log.error(line, f"mcpServers: the server {name!r} is not defined. {file.path}: {file.problem}", _SHAPE)
    elif name not in file.servers:
        hint = ("" if log.is_full else did_you_mean(name, file.servers)) or _SHAPE
        log.error(line, f"mcpServers: the server {name!r} is not defined in {file.path}.", hint)
    elif _add(name, file.servers[name], line, found, log, where=f" of {file.path}"):
        found.file = file


def _add(name: str, settings: Json, line: int, found: Servers, log: ProblemLog, *, where: str = "") -> bool:
    checked = check_server(name, settings)
    for mistake in checked.mistakes:
        log.error(line, f"mcpServers{where}: {mistake}.", _SHAPE)
    for key in checked.unused:
        log.warning(line, f"mcpServers{where}: {key!r} of the server {name!r} has no effect in Maverick.", "Remove it.")
    if name in found.by_name:
        log.error(line, f"mcpServers: the server {name!r} is defined twice.", "Remove one of them.")
    elif not checked.mistakes:
        found.by_name[name] = checked.server
        return True
    return False
