"""`mcpServers` of a Markdown agent: names of the project's servers, inline maps, or both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from maverick_tui.agent.catalog.field_values import Word, split_words
from maverick_tui.agent.catalog.mcp_servers import FILE_NAME, McpJson, McpLookup, Server, check_server
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.tool_field import server_of
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.exceptions import did_you_mean

_SHAPE = "Write a name of the project's .mcp.json, or name: {command: ..., args: [...]}; quote numbers."


@dataclass(slots=True)
class Servers:
    """The servers by name, and the `.mcp.json` that some of them are from."""

    by_name: dict[str, Server] = field(default_factory=dict)
    file: McpJson | None = None


def read_servers(node: Node | None, tools: Iterable[Word], lookup: McpLookup, log: ProblemLog) -> Servers:
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
        log.error(line, f"mcpServers: the server {name!r} is not defined, as there is no {FILE_NAME}.", _SHAPE)
    elif file.problem:
        log.error(line, f"mcpServers: the server {name!r} is not defined. {file.path}: {file.problem}", _SHAPE)
    elif name not in file.servers:
        hint = did_you_mean(name, file.servers) or _SHAPE
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
        log.error(line, f"mcpServers: the server {name!r} is there twice.", "Remove one of them.")
    elif not checked.mistakes:
        found.by_name[name] = checked.server
        return True
    return False
