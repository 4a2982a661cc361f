"""The settings of MCP servers: whether they can be used, and what of them must not be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.endpoint import wrong_with_url
from maverick_tui.masking.redact import is_secret

LEAST_SECRET = 6
"""Characters of what is masked in a server's own words; what is shorter is part of many others."""
_PLAIN = re.compile(r"[^\W\d]+|[\d.]+|.*[/\s].*", re.DOTALL)
"""Words, numbers and paths, which stand in many texts and are hardly secret."""


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


def concealed(server: Any) -> set[str]:
    """What is secret in the settings of a server wherever it turns up."""
    if not isinstance(server, Mapping):
        return set()
    plain = {value for name, value in _pairs(server, "env") if not is_secret(name) and _PLAIN.fullmatch(value)}
    return secrets(server) - plain


def secrets(server: Any) -> set[str]:
    """What may be secret in the settings of a server; texts of a few characters are none."""
    if not isinstance(server, Mapping):
        return set()
    variables, headers = ([value for _, value in _pairs(server, key)] for key in ("env", "headers"))
    found = [*variables, *headers, *(word for value in headers for word in value.split()[1:])]
    if isinstance(url := server.get("url"), str):
        with suppress(ValueError):  # that it is no URL is said by whoever uses it
            parts = urlsplit(url)
            found += [parts.password or "", *(value for _, value in parse_qsl(parts.query)), parts.query]
    previous, arguments = "", server.get("args")
    for argument in map(str, arguments) if isinstance(arguments, list | tuple) else ():
        option, mark, value = argument.partition("=")
        found += [value] if is_secret(option) else [argument] if is_secret(previous) else []
        previous = "" if mark else option
    return {one for one in found if len(one) >= LEAST_SECRET}


def _pairs(server: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Names and values of what may be anything: it has not been checked everywhere."""
    found = server.get(key)
    return [(str(name), str(value)) for name, value in found.items()] if isinstance(found, Mapping) else []


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
