"""Names of subagents, skills and hosts, as Claude Code reads them: not to the letter."""

from __future__ import annotations

import re
import unicodedata
from itertools import product

from maverick_tui.agent.permissions.rules import matches


def is_called(given: str, said: str) -> bool:
    """Whether a name is that of a rule: by its letters and digits, with the plugin that it is of or without.

    A star stands for anything, and `deploy *` and `deploy:*` are `deploy` with whatever it is told.
    """
    told = said.removesuffix(" *")
    names = _names(given)
    if told.endswith(":*"):  # or all of a plugin
        names |= {name[: found.start()] for name in names for found in re.finditer(":", name)}
    return any(matches(own, [name]) for own, name in product(_names(told.removesuffix(":*")), names))


def own_name(name: str) -> str:
    """The letters and digits of a name, without the plugin that it is of."""
    return _plain(name).rpartition(":")[2]


def domain_of(name: str) -> str:
    """A domain as people write it: `xn--mnchen-3ya.de` is `münchen.de`."""
    return _compatible(".".join(map(_label, name.casefold().split(".")))).strip(".")


def _names(name: str) -> set[str]:
    """A name with the plugin that it is of, and without."""
    return {_plain(name), own_name(name)}


def _plain(name: str) -> str:
    return re.sub(r"[^\w:*]|_", "", _compatible(name))


def _label(name: str) -> str:
    try:
        return name.removeprefix("xn--").encode().decode("punycode") if name.startswith("xn--") else name
    except ValueError:
        return name


def _compatible(text: str) -> str:
    """A text by what its letters mean, and not by how they look: wide and small ones are the plain ones."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
