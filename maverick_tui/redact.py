"""Keeps secrets out of what we show, log or store: the one place that knows what a secret is.

A secret is known by its name (`is_secret`), by its shape (`SHAPES`), or because somebody who has one said so
(`conceal`). A text is masked before it is cut: a half of a secret would not be known again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

MASK = "[secret]"
LEAST = 8
"""Characters of a value that is looked for; what is shorter is part of many words."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ALWAYS = frozenset(
    "token secret password passwd passphrase credential credentials authorization apikey dsn cookie".split()
)
_AT_THE_END = frozenset("key auth pass pwd pat".split())
_JOINED = ("token", "secret", "password", "passwd", "passphrase", "apikey")
_ABOUT = frozenset(
    "file path dir folder url uri id ids name names sock socket count limit type mode ttl timeout size length method "
    "provider version enabled helper source".split()
)
"""What a name ends in that tells something about a secret, and not the secret."""

_VALUE = r"(?!\$)[^\s\"'\\]{8,}"
_NAMED = ("api_key", "apiKey", "access_key", "AccessKey", "private_key", "token", "Token", "secret", "Secret",
          "password", "Password", "authorization")  # fmt: skip
_HEADERS = ("uthorization", "UTHORIZATION", "pi-key", "pi-Key", "PI-Key", "PI-KEY")
_COOKIES = ("Cookie:", "cookie:")
TO_LINE_END = (*_HEADERS, *_COOKIES, "secret_access_key")
"""Those of `SHAPES` after which there may be blanks."""
SHAPES: Mapping[str, str] = {
    **{
        head: rf"{head}[\w-]{{8,}}"
        for head in ("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-", "glpat-", "gldt-", "glrt-", "glptt-",
                     "github_pat_", "xapp-")
    },
    **{head: rf"{head}\w{{16,}}" for head in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")},
    **{head: rf"{head}\w{{10,}}" for head in ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_")},
    **{head: rf"({head})[\w.~+/=-]{{8,}}" for head in ("Bearer ", "bearer ")},
    **{head: rf"(?<!\w){head}[A-Za-z0-9]{{20,}}" for head in ("sk-", "hf_", "npm_")},
    **{head: rf"(?<![A-Z0-9]){head}[0-9A-Z]{{12,}}" for head in ("AKIA", "ASIA")},
    "xox": r"xox[a-z]-[\w-]{10,}",
    "AIza": r"AIza[\w-]{30,}",
    "pypi-Ag": r"pypi-Ag[\w-]{16,}",
    "eyJ": r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w.-]*",
    "://": r"(://)(?:[^/\s:@]*:[^/\s@]+|[\w.~-]{20,})(?=@)",
    "-----BEGIN ": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    **{
        head: rf"({head}[\"']?\s*[:=]\s*[\"']?(?:(?i:basic|bearer|digest|token|negotiate)\s+)?)[^\s\"',;\\]{{6,}}"
        for head in _HEADERS
    },
    **{head: rf"({head}\s*)[^\r\n]{{6,}}" for head in _COOKIES},
    "secret_access_key": rf"(secret_access_key\s*[:=]\s*){_VALUE}",
    # In the text of files: the line of an .env, a query, and JSON, which is escaped where it stands in JSON itself.
    **{
        f"{name}=": rf"({name}=[\"']?){_VALUE}"
        for name in ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "token", "secret", "password", "passwd", "api_key",
                     "apikey")
    },
    **{head: rf"({re.escape(head)}){_VALUE}" for head in ("?key=", "&key=", "?sig=", "&sig=")},
    **{name: rf'({name}\\?"\s*:\s*\\?")(?:[^"\\]|\\(?!").)+' for name in _NAMED},
}  # fmt: skip
"""By a piece that is in every secret of a known kind, what it looks like; the group is what stays."""

_concealed: set[str] = set()


@lru_cache(maxsize=2_000)
def is_secret(name: str) -> bool:
    """Whether something of this name (a variable, a header, an option, a field) holds a secret."""
    parts = [part.lower() for part in _PART.findall(name)]
    if not parts or parts == ["pwd"] or parts[-1] in _ABOUT:  # PWD is where a shell is
        return False
    return parts[-1] in _AT_THE_END or any(part in _ALWAYS or part.endswith(_JOINED) for part in parts)


def conceal(values: Iterable[str]) -> None:
    """Mask these from now on, wherever they turn up in this process: they are not in its own environment."""
    _concealed.update(form for value in values for form in _forms(value))


def redact(text: str) -> str:
    """Mask what looks like a secret, what a variable named like one holds, and what was concealed."""
    text = without(text, {*_concealed, *_environment()})
    for head in SHAPES:
        if head in text:
            text = shape(head).sub(_masked, text)
    return text


def without(text: str, values: Iterable[str]) -> str:
    """The text with these masked; one of them may be a part of another."""
    for value in sorted((value for value in values if value and value in text), key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


@cache
def shape(head: str) -> re.Pattern[str]:
    """What a secret of that kind looks like."""
    return re.compile(SHAPES[head])


def _masked(found: re.Match[str]) -> str:
    return (found[1] if found.re.groups else "") + MASK


def _environment() -> Iterator[str]:
    for name, value in os.environ.items():
        if is_secret(name):
            yield from _forms(value)


@lru_cache(maxsize=200)
def _forms(value: str) -> frozenset[str]:
    """The value, its lines (a key of many is shown line by line, too), and each as it stands in JSON."""
    parts = [part for part in (value, *value.splitlines()) if len(part) >= LEAST]
    return frozenset((*parts, *(json.dumps(part)[1:-1] for part in parts)))
