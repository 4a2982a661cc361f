"""Settings of endpoints and servers: what is wrong with a key, an address or a header, and what must not be shown.

A mistake is found here because the HTTP library fails with it as if the network did, and everything is tried again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maverick_tui.redact import is_secret

LEAST_SECRET = 6
"""Characters of what is masked in a server's own words; what is shorter is part of many others."""
_PLAIN = re.compile(r"[^\W\d]+|[\d.]+|.*[/\s].*", re.DOTALL)
"""Words, numbers and paths, which stand in many texts and are hardly secret."""
_KEY = re.compile(r"[!-~]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def wrong_with_key(key: str) -> str:
    """What is wrong with a key or token, without a letter of it; empty if nothing is."""
    if not key or _KEY.fullmatch(key):
        return ""
    if _KEY.fullmatch(key.strip()):
        return "it begins or ends with a blank or a line end"
    return "it has blanks, line ends or letters that no key has"


def wrong_with_url(url: str) -> str:
    """What is wrong with an address, without a letter of it, for a password may stand there; empty if nothing is."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "it is no address"
    if url != url.strip() or not url.isprintable() or " " in url:
        return "it has blanks or line ends"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "it does not begin with http:// or https:// and the name of a machine"
    return ""


def wrong_with_headers(headers: Mapping[str, str]) -> str:
    """What is wrong with headers, without what they say; empty if nothing is."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            return f"a header cannot be named {name[:40]!r}"
        if _UNSENDABLE.search(value):
            return f"the header {name!r} has a line end or another control character"
    return ""


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
