"""Names of secrets: of variables, headers, options and fields, by the words that they are made of."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ALWAYS = frozenset(
    "token secret password passwd passphrase credential credentials authorization apikey dsn cookie".split()
)
_AT_THE_END = frozenset("key auth pass sshpass pwd pw pat jwt bearer".split())
_JOINED = ("token", "secret", "password", "passwd", "passphrase", "apikey", "secretkey", "privatekey", "accesskey",
           "authkey", "sshkey", "masterkey", "signingkey", "encryptionkey")  # fmt: skip
_ABOUT = frozenset(
    "file path dir folder url uri id ids name names sock socket count limit type mode ttl timeout size length method "
    "provider version enabled helper source encryption".split()
)
"""What a name ends in that tells something about a secret, and not the secret."""

KEYS = frozenset(
    "api access secret private account shared auth encryption signing master service subscription storage session app "
    "consumer license deploy admin client server write".split()
)
"""What a key is for, or whose, that must not be seen; other keys are those of dictionaries and tables."""
_PLAIN_KEYS = frozenset("public primary foreign cache sort partition".split())
TELLING = ("pass", "pw", "token", "secret", "key", "auth", "credential")
"""One of these is in every name that `is_telling`."""


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=2_000)
def is_secret(name: str) -> bool:
    """Whether something of this name (a variable, a header, an option, a field) holds a secret."""
    words = _words(name)
    if not words or words == ["pwd"] or words[-1] in _ABOUT:  # PWD is where a shell is
        return False
    if "mnemonic" in words:  # elsewhere that of a key, or of an instruction
        return name.isupper()
    return words[-1] in _AT_THE_END or any(word in _ALWAYS or word.endswith(_JOINED) for word in words)


def is_telling(name: str) -> bool:
    """Whether it names a secret also in code and prose, where `key` may be anything."""
    if not is_secret(name):
        return False
    *others, last = _words(name)
    before = others[-1] if others else ""
    if last == "key":
        return before not in _PLAIN_KEYS if name.isupper() else before in KEYS
    return last != "auth" or bool(others) or name.startswith("_")


def holds_secret(name: str, value: object) -> bool:
    """Whether a field with this name and value holds secrets, of any type; what is empty, or a yes or no, is none.

    A number under a plural tells how many there are: `max_tokens` holds none, `tokens` with a list does.
    """
    if not value or isinstance(value, bool):
        return False
    return is_secret(name) or (not isinstance(value, int | float) and name[-1:] in "sS" and is_secret(name[:-1]))
