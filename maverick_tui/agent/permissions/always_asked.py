"""Calls that ask each time, whatever the rules and a person have allowed: by the places that they name or search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maverick_tui.agent.permissions.ignore_files import why_not_to_heed
from maverick_tui.agent.permissions.patterns import could_stand_for
from maverick_tui.agent.permissions.places import Places, is_folder
from maverick_tui.agent.permissions.reading import (
    folders_searched,
    may_read_below,
    read_below,
    reads_listed,
    searches,
    unwrapped,
)
from maverick_tui.agent.permissions.rules import paths_of, places_within, why_not_clear
from maverick_tui.agent.permissions.running import sets_git
from maverick_tui.agent.permissions.shell import all_commands, mentions, tails
from maverick_tui.agent.permissions.unpacking import writes_by_content
from maverick_tui.agent.tools import READING_TOOLS

SHELLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools whose argument is a command."""
MOST_WORDS = 300
"""Words of a command that are followed to where they lead."""
TOO_LONG = "It is too long to be checked."


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `here` is the folder in which its relative paths begin."""

    tool: str
    arguments: Mapping[str, Any]
    here: Path

    @property
    def command(self) -> str:
        """What a shell is to run."""
        return str(self.arguments.get("command") or "")

    @property
    def paths(self) -> list[str]:
        """The files and folders that are named."""
        return paths_of(self.tool, self.arguments)


def why_always_asked(call: Call, places: Places) -> str:
    """Why the call asks each time, whatever the rules and a person have allowed; nothing if it need not."""
    if call.tool in SHELLS:
        return _why_command_asks(call, places)
    if reason := why_not_clear(call.tool, call.arguments):
        return reason
    named = call.paths
    if len(named) > MOST_WORDS:
        return TOO_LONG
    # What a number of these stands for in our process, it need not stand for in the one that opens it.
    if reason := first_reason(places.why_not_to_open(path, call.here) for path in named):
        return reason
    if call.tool == "Grep" or (call.tool == "Glob" and named):
        return first_reason(places.why_not_to_search(path, call.here) for path in named or [""])
    is_reading = call.tool in READING_TOOLS
    if not is_reading and (
        reason := first_reason(places.why_not_to_edit(path, call.here) for path in named)
        or places.why_together(named, call.here)
    ):
        return reason
    look = places.why_not_to_read if is_reading else places.why_not_to_write
    for some in (named, places_within(call.tool, call.arguments, call.here)):
        if some is None:
            return TOO_LONG
        is_long = len(some) > MOST_WORDS
        if reason := first_reason(places.why_not_to_name(path) if is_long else look(path, call.here) for path in some):
            return reason
    return ""


def _why_command_asks(call: Call, places: Places) -> str:
    """By what it names and where that leads, or because it searches where keys are. What is too long to be followed
    asks, if somebody could take it for something that a rule covers; else only the names in it count.
    """
    plain, named = all_commands(call.command) or [], sorted(mentions(call.command))
    if plain and len(named) > MOST_WORDS:
        return TOO_LONG
    look = places.why_not_to_name if len(named) > MOST_WORDS else lambda word: places.why_not_to_write(word, call.here)
    for pattern in (word.text for words in plain for word in words if word.may_expand or not word.is_exact):
        found = could_stand_for(pattern, call.here)
        if found is None:
            return unknown_files(pattern)
        named += found
    if reason := first_reason(map(look, named)) or places.why_together(named[:MOST_WORDS], call.here):
        return reason
    calls = [[word.text for word in words] for words in plain]
    if any(map(sets_git, calls)):
        return "It changes the configuration of git, which can make git run programs."
    calls = [unwrapped(texts) for texts in calls]
    if any(map(writes_by_content, calls)):
        return "It writes what stands in another file, and where to is not known."
    if any(map(reads_listed, calls)):
        return "It reads files that are named in another file."
    below = [word for texts in calls for word in read_below(texts)]
    paths = {part for word in below for part in (word, word.rpartition("=")[2], *tails(word)) if part}
    if not calls and may_read_below(named):  # who reads what is not known
        paths.update(re.sub(r"^\$(?:HOME|\{HOME\})(?=/|$)", "~", word) for word in named[:MOST_WORDS])
    folders = (path for path in sorted(paths) if is_folder(path, call.here))
    if reason := first_reason(places.why_not_to_search(folder, call.here) for folder in folders):
        return reason
    for texts in filter(searches, calls):
        for path in folders_searched(texts):
            if reason := why_not_to_search(texts, path, call.here, places):
                return reason
    return ""


def first_reason(reasons: Iterable[str]) -> str:
    """The first of them that is not empty; empty if all are."""
    return next(filter(None, reasons), "")


def why_not_to_search(words: Sequence[str], path: str, here: Path, places: Places) -> str:
    """Why a call that searches below this path asks; nothing if it need not."""
    return places.why_not_to_search(path, here) or why_not_to_heed(words, path, here, places)


def unknown_files(pattern: str) -> str:
    """The reason where nobody can say what a pattern stands for."""
    return f"{pattern} stands for files that are not known."
