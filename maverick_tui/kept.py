"""Commands that are kept (`keeper.py`), each with a note in our state for as long as it is."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from maverick_tui import keeper
from maverick_tui.paths import make_private, user_state


class Kept(Protocol):
    """The outer keeper, as whoever has started it knows it."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def send_signal(self, number: signal.Signals, /) -> None:
        """Send any."""


def notes() -> Path:
    """The folder of the notes, which have the names of marks; it need not be there."""
    return user_state() / "kept"


def kept_command(mark: str, papers: int = 0) -> list[str]:
    """What stands before the absolute path of a command to keep it; nothing where that cannot be done.

    Whatever carries the mark in its environment is found by the note if all who could end it were killed.
    """
    note = ""
    if sys.platform == "linux":
        with suppress(OSError):  # it is kept all the same
            make_private(notes())
            note = str(notes() / mark)
    return keeper.keeper_command(papers, note)


def tell_to_end(process: Kept) -> None:
    """Have what is kept end: also where what it has started has stopped its keepers, of which the outer one goes on."""
    with suppress(ProcessLookupError):
        process.terminate()
        if sys.platform != "win32":
            process.send_signal(signal.SIGCONT)
