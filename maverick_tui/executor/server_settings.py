"""The settings of MCP servers: whether they can be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.endpoint import wrong_with_url


def served_object(name: str, server: Any) -> Any:
    """A server of this program, if it is one."""
    from mcp.server import MCPServer, Server

    if isinstance(server, Server | MCPServer):
        return server
    raise ConfigError(
        f"The MCP server {name!r} is none: its type is {type(server).__name__}.",
        hint="Give a map with command or url, or a server of the mcp package.",
    )


def check(name: str, server: Mapping[str, Any]) -> None:
    """The settings of an author's own program come here unread."""
    args = server.get("args") or []
    if not isinstance(args, list | tuple) or not all(isinstance(one, str) for one in args):
        raise ConfigError(f"args of the MCP server {name!r} must be a list of texts.", hint="Correct its args.")
    for key in ("env", "headers"):
        pairs = server.get(key) or {}
        if not isinstance(pairs, Mapping) or not all(isinstance(one, str) for pair in pairs.items() for one in pair):
            raise ConfigError(f"{key} of the MCP server {name!r} must be a map of texts.", hint=f"Correct its {key}.")


def needed(name: str, server: Mapping[str, Any], key: str) -> str:
    """The text that stands there."""
    value = server.get(key)
    if isinstance(value, str) and value.strip():
        return value
    raise ConfigError(f"The MCP server {name!r} has no {key}.", hint=f"Say its {key}.")


def address(name: str, server: Mapping[str, Any]) -> str:
    """Where it is reached; what cannot be is told here, for the HTTP library would quote a password in it."""
    url = needed(name, server, "url")
    if wrong := wrong_with_url(url):
        raise ConfigError(f"The MCP server {name!r} has a url that is none: {wrong}.", hint="Correct its url.")
    return url
