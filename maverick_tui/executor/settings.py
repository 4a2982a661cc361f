"""Settings of endpoints and servers: what is wrong with a key, an address, a header or a proxy.

Mistakes are found here because the HTTP library reports them as network failures, which are retried.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import getproxies

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


def wrong_with_proxies() -> tuple[str, str]:
    """The variable of a proxy that cannot be used, and what is wrong with it, without quoting it; both may be empty."""
    given = getproxies()
    if any(one.strip() == "*" for one in given.get("no", "").split(",")):
        return "", ""
    for kind in ("http", "https", "all"):
        if wrong := _wrong_with_proxy(given.get(kind, "")):
            name = f"{kind}_proxy"
            return name if os.environ.get(name) else name.upper(), wrong
    return "", ""


def _wrong_with_proxy(url: str) -> str:
    if not url.isprintable() or " " in url:
        return "it contains spaces or line breaks"
    scheme, _, rest = url.partition("://") if "://" in url else ("http", "", url)
    authority, *path = re.split("[/?#]", rest, maxsplit=1)
    if "@" in "".join(path):
        return "a / ? or # in its user or password has to be written as %2F, %3F or %23"
    try:
        host = urlsplit(f"//{authority.rpartition('@')[2]}")
        _ = host.port
    except ValueError:
        return "it is not an address"
    if url and (scheme.lower() not in ("http", "https", "socks5", "socks5h") or not host.hostname):
        return "it does not begin with http://, https:// or socks5:// and a host name"
    if scheme.lower().startswith("socks") and find_spec("socksio") is None:
        return "a SOCKS proxy needs the Python package socksio, which is not installed"
    return ""
