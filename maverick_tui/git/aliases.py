"""What calls of git stand for by aliases, whoever has set them."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from maverick_tui.git.asking import find_git, read_settings

_LASTS = 30.0
"""Seconds for which what was found counts."""


def written_out(words: Sequence[str], folder: Path) -> str | None:
    """The command that a call without git's own options is by an alias, for a shell; empty if it has none, and None if
    that cannot be told. A command of git's own counts as its alias, too, although git prefers most of them.
    """
    found = _aliases(folder, int(time.monotonic() / _LASTS))
    if found is None:
        return None
    meant = found.get(words[1].casefold(), "") if len(words) > 1 else ""
    start = meant.removeprefix("!") if meant.startswith("!") else f"git {meant}"
    return " ".join((start, shlex.join(words[2:]))).strip() if meant else ""


@lru_cache(maxsize=32)
def _aliases(folder: Path, _moment: int) -> dict[str, str] | None:
    if find_git(folder) is None:
        return {}
    found = read_settings(folder)
    if found is None:
        return None
    named = ((one.key.casefold(), one.value) for one in found.settings if one.section == "alias")
    return {key.removeprefix("alias.").removesuffix(".command"): value.strip() for key, value in named}
