"""What somebody had saved of their settings while they edited them, when we were killed.

They edit a copy, which holds all of the settings, keys included, and goes at the next start. What was changed in it
stays, unless there is a secret in it. Copies are in a folder of our state: beside the settings, which many keep in a
repository, an agent that works there could read and write them.
"""

from __future__ import annotations

import hashlib
import stat
import tomllib
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from maverick_tui import paths
from maverick_tui.bounded import read_whole
from maverick_tui.folder_locks import remove_abandoned
from maverick_tui.masking.redact import redact, redact_data

COPY = "config.toml"
_BEGUN = "begun"
"""A file that says by its digest what the copy was at first: the settings may be others by now."""
_MOST = 1_000_000
"""Bytes that settings have."""


def note_begun(folder: Path, content: bytes) -> None:
    """The copy in this folder is this, before anybody has edited it."""
    (folder / _BEGUN).write_text(_digest(content))


def set_aside(copy: Path) -> str:
    """Keep what somebody wrote, though it does not count; where it is, in a sentence."""
    names = (f"{copy.name}.rejected{f'.{number}' if number else ''}" for number in chain((0,), count(2)))
    aside = next(path for path in map(paths.edited_settings().joinpath, names) if not path.exists())
    copy.replace(aside)
    return f"The settings are as they were; what you wrote is in {aside}."


def left_edits() -> list[str]:
    """Remove what was left where settings were edited; where what was saved there is now, in sentences."""
    told = list[str]()

    def look(folder: Path) -> bool:
        with suppress(OSError):
            if _is_wanted(folder, folder / COPY):
                told.append(set_aside(folder / COPY))
        return False

    remove_abandoned(paths.edited_settings(), keeps=look, is_ours=True)
    return told


def _is_wanted(folder: Path, copy: Path) -> bool:
    """Whether somebody has changed it, and there is no secret in it."""
    if not stat.S_ISREG(copy.lstat().st_mode):
        return False
    content = read_whole(copy, _MOST)
    text = content.decode(errors="replace")
    if not text.strip() or (folder / _BEGUN).read_text() == _digest(content) or redact(text) != text:
        return False
    with suppress(tomllib.TOMLDecodeError):  # half a line may have been saved
        written = tomllib.loads(text)
        return bool(redact_data(written) == written)
    return True


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
