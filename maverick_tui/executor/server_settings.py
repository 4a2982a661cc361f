"""The settings of MCP servers: whether they can be used, and what of them must not be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maverick_tui.exceptions import ConfigError

_SECRET = re.compile(r"(key|token|secret|password|credentials?|auth)$", re.IGNORECASE)
LEAST_SECRET = 6
"""Characters; what is shorter is part of many words."""


def is_secret(name: str) -> bool:
    """Whether something of this name holds a secret."""
    return bool(_SECRET.search(name))


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


def secrets(server: Any) -> set[str]:
    """What may be secret in the settings of a server; texts of a few characters are none."""
    if not isinstance(server, Mapping):
        return set()
    headers = (server.get("headers") or {}).values()
    found = [*(server.get("env") or {}).values(), *headers, *(word for value in headers for word in value.split()[1:])]
    if isinstance(url := server.get("url"), str):
        with suppress(ValueError):  # that it is no URL is said by whoever uses it
            parts = urlsplit(url)
            found += [parts.password or "", *(value for _, value in parse_qsl(parts.query)), parts.query]
    previous = ""
    for argument in server.get("args") or ():
        option, mark, value = argument.partition("=")
        found += [value] if is_secret(option) else [argument] if is_secret(previous) else []
        previous = "" if mark else option
    return {one for one in found if len(one) >= LEAST_SECRET}


def needed(name: str, server: Mapping[str, Any], key: str) -> str:
    """The text that stands there."""
    value = server.get(key)
    if isinstance(value, str) and value.strip():
        return value
    raise ConfigError(f"The MCP server {name!r} has no {key}.", hint=f"Say its {key}.")
