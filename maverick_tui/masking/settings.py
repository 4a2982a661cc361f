"""Which values in settings are secret: those of variables, headers, addresses and arguments of programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maverick_tui.masking.names import is_secret
from maverick_tui.masking.values import LEAST_GIVEN, in_address, in_headers, within

_PLAIN = re.compile(r"[^\W\d]+|[\d.]+|.*[/\s].*", re.DOTALL)
"""Words, numbers and paths, which stand in many texts and are hardly secret."""
_HOLDER = re.compile(
    r"(?:ur[il]s?|proxy|index|webhook|headers?|conn(?:ection|info)?_?(?:str(?:ing)?)?|_json|_auth_config"
    r"|backend|broker|database|jdbc|servers?|hosts?|endpoints?|nodes?|remote|mirrors?|upstream|registr(?:y|ies))\Z"
    r"|\A(?:connectionstrings__|airflow_conn_|git_config_(?:value_|parameters))",
    re.IGNORECASE,
)
"""Names of variables in whose values there may be a secret beside what is none."""
_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"


def secret_variables(env: Mapping[str, str]) -> Iterator[str]:
    """The values of an environment that are secret for their name, and what is secret within those and others."""
    for name in env:  # to read all values of an environment takes long
        if is_secret(name):
            yield from (env[name], *within(env[name]))
        elif _may_hold_secrets(name):
            yield from within(env[name], are_headers=name.casefold().endswith("headers"))
    if _HEADERS in env:
        yield from in_headers(custom_headers(env[_HEADERS]))


@lru_cache(maxsize=2_000)
def _may_hold_secrets(name: str) -> bool:
    return _HOLDER.search(name) is not None


def secret_inputs(inputs: Mapping[str, object]) -> Iterator[str]:
    """The values of an agent's inputs that are secret by their names."""
    named = ((name, value) for name, value in inputs.items() if isinstance(value, str))
    given = (one for name, value in named if is_secret(name) for one in (value, *within(value)))
    yield from (one for one in given if len(one) >= LEAST_GIVEN)


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
    env, headers = dict(_pairs(server, "env")), [value for _, value in _pairs(server, "headers")]
    found = [
        *env.values(),
        *secret_variables(env),
        *headers,
        *(word for value in headers for word in value.split()[1:]),
    ]
    if isinstance(url := server.get("url"), str):
        found += in_address(url)
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
            yield from (argument, *within(argument))
            previous = ""
            continue
        option, mark, value = argument.partition("=")
        name, _, header = (value if mark else argument).partition(":")
        if mark and is_secret(option):
            yield from (value, *within(value))
        elif is_secret(name):
            yield from (header.strip(), *header.split()[1:])
        else:
            yield from within(value if mark else argument)
        previous = "" if mark else option


def _pairs(server: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Names and values of what may be anything: it has not been checked everywhere."""
    found = server.get(key)
    return [(str(name), str(value)) for name, value in found.items()] if isinstance(found, Mapping) else []
