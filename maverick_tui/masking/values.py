"""What is secret within a value that holds more than that: the token behind a scheme, the password behind base64."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping

from maverick_tui.masking.names import holds_secret

LEAST_GIVEN = 6
"""Characters of what is masked in the words of somebody who was given it; what is shorter is part of many others."""
_ORDINARY = re.compile(r"[^\W\d]{1,19}|[\d.]+|(?:~|\.{0,2})/\S*[^=]|.*\s.*", re.DOTALL)
"""Words, numbers and paths: they stand in many texts, and are what passwords are to try things out."""
_SCHEME = re.compile(r"(?:basic|bearer|digest|negotiate|token|api-?key)\s+(?P<token>\S+)", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_RANDOM = re.compile(
    r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
"""Letters and digits in a row that are no word, no number and no date; names of models have none as long as that."""


def is_ordinary(value: str) -> bool:
    """Whether it is too short or too common to be masked wherever it turns up, though it stands where secrets do."""
    return len(value) < LEAST_GIVEN or _ORDINARY.fullmatch(value) is not None


def in_headers(headers: Mapping[str, str]) -> Iterator[str]:
    """What is secret in headers: all of those that are named like secrets, and what looks like a token in others."""
    for name, value in headers.items():
        if holds_secret(name, value):
            yield value
            yield from (one for word in value.split()[1:] for one in (word, *_behind_base64(word)))
        else:
            yield from _behind_scheme(value)
            yield from (word for word in value.split() if _RANDOM.search(word))


def _behind_scheme(value: str) -> Iterator[str]:
    """The token of `Bearer TOKEN` and its like, and what it hides."""
    if (found := _SCHEME.fullmatch(value)) and not is_ordinary(found["token"]):
        yield from (found["token"], *_behind_base64(found["token"]))


def _behind_base64(value: str) -> Iterator[str]:
    """The password of `user:password`, as it is sent to a server."""
    if not _BASE64.fullmatch(value):
        return
    try:
        password = b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:  # it only looks like base64
        return
    if password.isprintable() and not is_ordinary(password):
        yield password
