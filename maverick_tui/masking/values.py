"""What is secret within a value that holds more than that: an address, headers, the settings of a connection, JSON.

Such a value is known as a whole, but an error quotes the password or the token alone.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from maverick_tui.masking.names import holds_secret, is_secret
from maverick_tui.masking.shape_parts import PACKAGES

LEAST_GIVEN = 6
"""Characters of what is masked in the words of somebody who was given it; what is shorter is part of many others."""
_ORDINARY = re.compile(r"[^\W\d]{1,19}|[\d.]+|(?:~|\.{0,2})/\S*[^=]|-----.*|.*\s.*", re.DOTALL)
"""Words, numbers and paths: they stand in many texts, and are what passwords are to try things out. So does how a key
begins, the rest of which is known by its shape.
"""
_SCHEMES = r"(?i:basic|bearer|digest|negotiate|token|api-?key)(?:\s|%20)+"
_SCHEME = re.compile(rf"{_SCHEMES}(?P<token>\S+)")
_PAIR = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]++)[\"']?[ \t]*[:=][ \t]*[\"']?(?!//|[\w.-]+:\s)"
    rf"(?:{_SCHEMES})?(?P<value>(?:(?![,&][\w.-]+=)[^\s;\"'])+)"
)
"""As headers, queries, connections and JSON have them."""
_SECRET_THERE = frozenset(("pwd", "sig"))
"""Further names of secrets in such pairs: elsewhere `PWD` is where a shell is."""
_ENCLOSED_PAIR = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]++)[ \t]*=[ \t]*"
    r"(?:(?P<sign>[\"'])(?P<quoted>(?:(?!(?P=sign))[^\\]|\\.|(?P=sign){2}){1,200}+)(?P=sign)"
    r"|\{(?P<braced>(?:[^}]|\}\}){1,200}+)\})"
)
"""As libpq, ADO and ODBC have values with blanks, quotes and semicolons in them."""
_ESCAPED = re.compile(r"\\(.)|(?<=(['\"}]))\2")
_ADDRESS = re.compile(r"(?<![\w+.-])[A-Za-z][\w+.-]*+://(?P<rest>(?:(?![,|]\w+://)\S)+)")
_BEHIND_AUTHORITY = re.compile(r"[/?#]")
_SIGNS = re.compile(r"[/?#@]")
_PORT = re.compile(r"\d{1,5}(?:[/?#]|\Z)")
_HOST_AND_PORT = re.compile(r"@[\w.-]+:\d+/?")
_VERSION = r"(?:v?\d+(?:\.\d+){0,2}(?:(?:[-+]|a|b|rc|\.post|\.dev)[\w.+-]*)?|latest|next|stable|main|master|canary)"
_WITHOUT_SCHEME = re.compile(
    rf"(?!(?i:mailto|sips?|xmpp|acct|urn|data|jdbc|{PACKAGES}):)[^/\s:@\"']+:(?!//)"
    rf"(?:[^\s/]+@(?!sha256:|{_VERSION}\Z)[\w.\[\]:-]+|\S+@[\w.\[\]:-]+:\d+)(?:[/?]\S*)?"
)
"""Where no port tells that it is an address, a slash before the `@` is that of a path, and a version behind it that of
a package.
"""
_OF_DRIVER = re.compile(r"(?<!\S)[^/\s:@]++:(?!//)(?P<password>\S+)@(?:\w+\(|/)")
"""How drivers of MySQL are told where they are to go: `me:password@tcp(db)/shop`."""
_OF_ORACLE = re.compile(r"(?i:jdbc:oracle:\w{1,9}:)[^/\s@:]{1,60}/(?P<password>[^\s@]{1,100})@")
_LEAST_USER = 20
"""Characters of a user who is a token, as in the shape of addresses."""
_TRIED = re.compile(r"[^\W\d]{1,19}|[\d.]+|\$\{\w+\}")
"""What passwords are to try things out, and what is filled in."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_RANDOM = re.compile(
    r"(?=[A-Za-z]{0,99}\d)(?=\d{0,99}[A-Za-z])[A-Za-z0-9]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)
"""Letters and digits in a row that are no word, no number and no date; names of models have none as long as that."""
_HOOK = re.compile(r"(?:^|[./])(?:web)?hooks?[./]")
"""In an address to which anybody can post who knows it: `hooks.slack.com`, `/api/webhooks/`."""
_TOKEN = re.compile(r"(?=[^\d/]*\d)(?=[^A-Za-z/]*[A-Za-z])[\w-]{16,}")


def is_ordinary(value: str) -> bool:
    """Whether it is too short or too common to be masked wherever it turns up, though it stands where secrets do."""
    return len(value) < LEAST_GIVEN or _ORDINARY.fullmatch(value) is not None


@lru_cache(maxsize=200)
def within(text: str, *, are_headers: bool = False) -> frozenset[str]:
    """What is secret by itself in the value of a variable, which may be anything."""
    found = {*_behind_scheme(text), *_behind_base64(text)}
    for pair in _PAIR.finditer(text):
        if _is_telling(pair["name"], pair["value"]) or (are_headers and _RANDOM.search(pair["value"])):
            found |= {pair["value"], *_behind_base64(pair["value"])}
    enclosed = {
        one
        for pair in _ENCLOSED_PAIR.finditer(text)
        if _is_telling(pair["name"], value := pair["quoted"] or pair["braced"])
        for one in (value, _ESCAPED.sub(lambda sign: sign[1] or "", value))
        if not _is_tried(one)
    }
    return frozenset((*(one for one in found if not is_ordinary(one)), *enclosed, *in_address(text)))


def _is_telling(name: str, value: str) -> bool:
    folded = name.casefold()
    return folded in _SECRET_THERE or (is_secret(name) and (folded != "key" or _RANDOM.search(value) is not None))


def in_address(text: str) -> Iterator[str]:
    """The passwords of addresses, and the tokens that stand in their place, or in the path of a webhook."""
    found = [one["password"] for pattern in (_OF_DRIVER, _OF_ORACLE) for one in pattern.finditer(text)]
    for address in _ADDRESS.finditer(text):
        found += _in_login(address["rest"])
        with suppress(ValueError):  # that it is no address is said by whoever uses it
            parts = urlsplit(address[0])
            if _HOOK.search(f"{parts.hostname}{parts.path}"):
                found += filter(_TOKEN.fullmatch, parts.path.split("/"))
    if _WITHOUT_SCHEME.fullmatch(text):
        found += _in_login(text)
    yield from (one for one in dict.fromkeys(found) if not _is_tried(one))


def _in_login(text: str) -> Iterator[str]:
    """What is secret in `user:password@host...`.

    Where the password has signs of an address, nobody can tell at which `@` it ends: it is known in each way in which
    it can be read, and in the parts that an error quotes.
    """
    authority = _BEHIND_AUTHORITY.split(text, maxsplit=1)[0]
    for end in sorted({text.find("@"), authority.rfind("@"), text.rfind("@")} - {-1}):
        user, _, password = text[:end].partition(":")
        behind = text[end:]
        is_port = _PORT.match(password) and not _HOST_AND_PORT.fullmatch(behind)
        if _BEHIND_AUTHORITY.search(user) or is_port or behind.startswith("@sha256:"):
            continue
        if len(user) >= _LEAST_USER:
            yield unquote(user)
        plain = unquote(password)
        yield from (plain, *([] if quote(plain, "") == password else [password]))
        if "@" not in authority:
            yield from _SIGNS.split(password)


def _is_tried(password: str) -> bool:
    return len(password) < LEAST_GIVEN or _TRIED.fullmatch(password) is not None


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


def holds_login(value: str) -> bool:
    """Whether it is `user:password`, as it is sent to a server."""
    return bool(_password_in(value))


def _behind_base64(value: str) -> Iterator[str]:
    """The password of `user:password`, as it is sent to a server."""
    if (password := _password_in(value)) and not is_ordinary(password):
        yield password


def _password_in(value: str) -> str:
    if not _BASE64.fullmatch(value):
        return ""
    try:
        password = b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:  # it only looks like base64
        return ""
    return password if password.isprintable() else ""
