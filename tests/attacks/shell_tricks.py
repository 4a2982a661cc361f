"""All tricks with commands, by family; the rest of the corpus is in the modules that are named here.

One family or one trick alone: `ATTACK=quoting,tools-sort-o pytest tests/attacks`, which is a list of ids or beginnings
of ids. `make attack` tries every trick in every way, and takes its time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tests.attacks.shell_git import ASSIGNMENTS, GIT_RUNS, GIT_WRITES
from tests.attacks.shell_places import ENTERED, SPELLED
from tests.attacks.shell_programs import BACKGROUND, BUILTINS, INTERPRETERS, NETWORK, SECRETS, TOOLS, WRAPPERS
from tests.attacks.shell_rules import FIELDS, LISTED
from tests.attacks.shell_syntax import COMPOUND, HEREDOC, REDIRECTION, SEPARATORS, SUBSTITUTION
from tests.attacks.shell_words import BLANKS, ENCODING, EXPANSION, QUOTING, SIZE
from tests.attacks.shell_zsh import ZSH
from tests.attacks.tricks import Trick

KINDS: dict[str, tuple[Trick, ...]] = {
    "words": (*QUOTING, *BLANKS, *EXPANSION, *ENCODING, *SIZE),
    "syntax": (*SEPARATORS, *REDIRECTION, *SUBSTITUTION, *HEREDOC, *COMPOUND),
    "programs": (*BUILTINS, *WRAPPERS, *TOOLS, *INTERPRETERS, *BACKGROUND, *NETWORK, *SECRETS),
    "places": (*SPELLED, *ENTERED),
    "git": (*GIT_RUNS, *GIT_WRITES, *ASSIGNMENTS),
    "rules": (*LISTED, *FIELDS),
    "zsh": ZSH,
}
"""Families that are tried together where a few of each are enough."""

BASH = [kind for kind in KINDS if kind != "zsh"]
"""The kinds that are meant for bash."""

_LONG = 20_000
"""Characters of a command that takes seconds to travel."""

_WANTED = tuple(part for part in os.environ.get("ATTACK", "").split(",") if part)


def is_asked_for() -> bool:
    """Whether somebody has asked for certain tricks, or for all; else a part of them is enough."""
    return bool(_WANTED)


def sessions(kinds: Sequence[str]) -> list[tuple[str, ...]]:
    """The kinds that one session of the CLI tries: all, if it is a few of each; many calls have a session each kind."""
    return [(kind,) for kind in kinds] if _WANTED else [tuple(kinds)]


def wanted(tricks: Sequence[Trick]) -> tuple[Trick, ...]:
    """Those alone that `ATTACK` names, if it names any."""
    is_any = not _WANTED or _WANTED == ("all",)
    return tuple(trick for trick in tricks if is_any or trick.id.startswith(_WANTED))


def tricks_for(shell: str) -> tuple[Trick, ...]:
    """All tricks that are meant for a shell."""
    return tuple(trick for kind in KINDS.values() for trick in wanted(kind) if trick.shell == shell)


def some(kind: str, one_in: int, prefixes: tuple[str, ...] = ()) -> tuple[Trick, ...]:
    """A few of a kind, and all that begin in a certain way; all of them if `ATTACK` is set."""
    tricks = wanted(KINDS[kind])
    if _WANTED:
        return tricks
    return tuple(
        trick
        for number, trick in enumerate(tricks)
        if len(trick.command) < _LONG and (number % (2 * one_in) == 0 or trick.command.startswith(prefixes))
    )
