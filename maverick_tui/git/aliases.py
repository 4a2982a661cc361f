"""What calls of git stand for by aliases, whoever has set them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from maverick_tui.git.asking import find_git, read_settings


def aliases_in(folder: Path) -> dict[str, str] | None:
    """The aliases that git has in a folder at this moment, and what they stand for; None if that cannot be told.

    What they are depends on more than the files that they stand in: on the branch, for one, where a file is included
    for that. So whoever keeps them keeps them for no longer than it takes to judge one call.
    """
    if find_git(folder) is None:
        return {}
    found = read_settings(folder)
    if found is None:
        return None
    named = ((one.key.casefold(), one.value) for one in found.settings if one.section == "alias")
    return {key.removeprefix("alias.").removesuffix(".command"): value.strip() for key, value in named}


def written_out(words: Sequence[str], aliases: Mapping[str, str]) -> str:
    """The command that a call without git's own options is by one of these, for a shell; empty if it is none. A command
    of git's own counts as its alias, too, although git prefers most of them.
    """
    meant = aliases.get(words[1].casefold(), "") if len(words) > 1 else ""
    start = meant.removeprefix("!") if meant.startswith("!") else f"git {meant}"
    return " ".join((start, shlex.join(words[2:]))).strip() if meant else ""
