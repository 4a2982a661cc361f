"""Settings of endpoints and servers: what is wrong with a key, an address or a header, and what must not be shown.

Mistakes are found here because the HTTP library reports them as network failures, which are retried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maverick_tui.redact import is_secret

LEAST_SECRET = 6
"""The fewest characters that are masked in a server's own words; anything shorter is part of many other words."""
_PLAIN = re.compile(r"[^\W\d]+|[\d.]+|.*[/\s].*", re.DOTALL)
"""Words, numbers and paths, which occur in many texts and are hardly secret."""
_KEY = re.compile(r"[!-~]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def wrong_with_key(key: str) -> str:
    """What is wrong with a key or token, without quoting it; empty if nothing is."""
    if not key or _KEY.fullmatch(key):
        return ""
    if _KEY.fullmatch(key.strip()):
        return "it begins or ends with a space or a line break"
    return "it contains spaces, line breaks or characters that no key has"


def wrong_with_url(url: str) -> str:
    """What is wrong with an address, without quoting it, as it may contain a password; empty if nothing is."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "it is not an address"
    if url != url.strip() or not url.isprintable() or " " in url:
        return "it contains spaces or line breaks"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "it does not begin with http:// or https:// and a host name"
    return ""


def wrong_with_headers(headers: Mapping[str, str]) -> str:
    """What is wrong with headers, without quoting their values; empty if nothing is."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            return f"a header cannot be named {name[:40]!r}"
        if _UNSENDABLE.search(value):
            return f"the header {name!r} contains a line break or another control character"
    return ""


def concealed(server: Any) -> set[str]:
    """What is secret in a server's settings, wherever it turns up."""
    if not isinstance(server, Mapping):
        return set()
    plain = {value for name, value in _pairs(server, "env") if not is_secret(name) and _PLAIN.fullmatch(value)}
    return secrets(server) - plain


def secrets(server: Any) -> set[str]:
    """What may be secret in a server's settings; texts of a few characters are not."""
    if not isinstance(server, Mapping):
        return set()
    variables, headers = ([value for _, value in _pairs(server, key)] for key in ("env", "headers"))
    found = [*variables, *headers, *(word for value in headers for word in value.split()[1:])]
    if isinstance(url := server.get("url"), str):
        with suppress(ValueError):  # whoever uses it will say that it is not a URL
            parts = urlsplit(url)
            found += [parts.password or "", *(value for _, value in parse_qsl(parts.query)), parts.query]
    previous, arguments = "", server.get("args")
    for argument in map(str, arguments) if isinstance(arguments, list | tuple) else ():
        option, mark, value = argument.partition("=")
        found += [value] if is_secret(option) else [argument] if is_secret(previous) else []
        previous = "" if mark else option
    return {one for one in found if len(one) >= LEAST_SECRET}


def _pairs(server: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Names and values of what may be anything: not all callers have checked it."""
    found = server.get(key)
    return [(str(name), str(value)) for name, value in found.items()] if isinstance(found, Mapping) else []
