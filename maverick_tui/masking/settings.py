"""Which values in settings are secret: those of variables, headers, addresses and arguments of programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from maverick_tui.masking.names import is_secret
from maverick_tui.masking.values import LEAST_GIVEN, in_headers

_PLAIN = re.compile(r"[^\W\d]+|[\d.]+|.*[/\s].*", re.DOTALL)
"""Words, numbers and paths, which stand in many texts and are hardly secret."""
_ADDRESSES = ("URL", "URI", "url", "uri")
_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"


def secret_variables(env: Mapping[str, str]) -> Iterator[str]:
    """The values of an environment that are secret, for their name or as headers; and passwords."""
    yield from (env[name] for name in env if is_secret(name))  # to read all values of an environment takes long
    yield from (password for name in env if name.endswith(_ADDRESSES) and (password := _password(env[name])))
    if _HEADERS in env:
        yield from in_headers(custom_headers(env[_HEADERS]))


def _password(address: str) -> str:
    """That of an address; what is as short or plain as those of databases to try things out is hardly one."""
    with suppress(ValueError):
        password = unquote(urlsplit(address).password or "")
        return "" if len(password) < LEAST_GIVEN or _PLAIN.fullmatch(password) else password
    return ""


def secret_inputs(inputs: Mapping[str, object]) -> Iterator[str]:
    """The values of an agent's inputs that are secret by their names."""
    named = ((name, value) for name, value in inputs.items() if isinstance(value, str))
    yield from (value for name, value in named if is_secret(name) and len(value) >= LEAST_GIVEN)


def custom_headers(lines: str) -> dict[str, str]:
    """The headers of that variable, which has a line for each with a colon after the name."""
    pairs = (line.partition(":") for line in lines.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def server_secrets(server: Any) -> set[str]:
    """What is secret in the settings of an MCP server wherever it turns up."""
    if not isinstance(server, Mapping):
        return set()
    plain = {value for name, value in _pairs(server, "env") if not is_secret(name) and _PLAIN.fullmatch(value)}
    return given_to_server(server) - plain


def given_to_server(server: Any) -> set[str]:
    """What may be secret in the settings of an MCP server, to be masked in its own words."""
    if not isinstance(server, Mapping):
        return set()
    variables, headers = ([value for _, value in _pairs(server, key)] for key in ("env", "headers"))
    found = [*variables, *headers, *(word for value in headers for word in value.split()[1:])]
    if isinstance(url := server.get("url"), str):
        with suppress(ValueError):  # that it is no URL is said by whoever uses it
            parts = urlsplit(url)
            found += [parts.password or "", *(value for _, value in parse_qsl(parts.query)), parts.query]
    arguments = server.get("args")
    found += _in_arguments([*map(str, arguments)] if isinstance(arguments, list | tuple) else [])
    return {one for one in found if len(one) >= LEAST_GIVEN}


def _in_arguments(arguments: Sequence[str]) -> Iterator[str]:
    """What is secret in the arguments of a program: values of options, headers, and passwords in addresses."""
    previous = ""
    for argument in arguments:
        if is_secret(previous):  # whatever it looks like
            yield argument
            previous = ""
            continue
        option, mark, value = argument.partition("=")
        name, _, header = (value if mark else argument).partition(":")
        if mark and is_secret(option):
            yield value
        elif header.startswith("//"):
            yield _password(f"{name}:{header}")
        elif is_secret(name):
            yield from (header.strip(), *header.split()[1:])
        previous = "" if mark else option


def _pairs(server: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Names and values of what may be anything: it has not been checked everywhere."""
    found = server.get(key)
    return [(str(name), str(value)) for name, value in found.items()] if isinstance(found, Mapping) else []
