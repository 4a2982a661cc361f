"""What a key, an address and headers must be like, so that one that cannot be is told as a mistake of the settings.

Without it the HTTP library fails with them as if the network did, and everything is tried again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

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
