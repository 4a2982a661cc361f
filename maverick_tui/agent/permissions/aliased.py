"""What commands are by aliases in the settings of git: a rule is about these, too, and so is what always asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from maverick_tui.agent.permissions.always_asked import SHELLS, Call, folders_of
from maverick_tui.agent.permissions.reading import without_git_options
from maverick_tui.agent.permissions.shell import all_commands, inner_of
from maverick_tui.agent.permissions.wrapping import calls_meant
from maverick_tui.git.aliases import aliases_in, written_out

_MOST = 100
"""Calls by aliases that are looked at: one may stand for several, by others."""


def calls_by_aliases(call: Call) -> list[Call] | None:
    """The calls that a command makes by aliases, and by aliases in these; None if that cannot be told."""
    found: list[Call] = []
    waiting = [(call, frozenset[str]())] if call.tool in SHELLS else []
    for one, known in waiting:  # which grows meanwhile; git does not follow an alias that leads to itself
        for name, text in _written_out(one):
            if text is None or len(found) == _MOST:
                return None
            if name not in known:
                found.append(replace(call, arguments={"command": text}))
                waiting.append((found[-1], known | {name}))
    return found


def _written_out(call: Call) -> Iterator[tuple[str, str | None]]:
    """The aliases of git that a command calls, and what they stand for; None for one that cannot be told."""
    calls = (*(all_commands(call.command) or ()), *inner_of(call.command).calls)
    meant = (some for words in calls for some in calls_meant([word.text for word in words]) or ())
    of_git = [words for words in (without_git_options(some)[0] for some in meant) if words[0] == "git"]
    for folder in folders_of(call) if of_git else ():
        if folder not in call.aliases:
            call.aliases[folder] = aliases_in(folder)
        known = call.aliases[folder]
        told = (
            ("".join(words[1:2]).casefold(), None if known is None else written_out(words, known)) for words in of_git
        )
        yield from ((name, text) for name, text in told if text != "")
