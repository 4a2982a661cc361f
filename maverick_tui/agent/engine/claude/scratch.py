"""A folder of this program's own for what the CLI writes for a moment."""

from __future__ import annotations

import atexit
import os
from contextlib import ExitStack
from functools import cache

from maverick_tui.folder_locks import scratch_folder


@cache
def private_folder() -> str:
    """Where that is, until this program ends; empty if there can be none.

    With each command the CLI writes to a file in the common folder, whose name anybody can guess, through a link if
    there is one (measured): on a system that lets links be followed there, another user could have it write anywhere.
    """
    holding = ExitStack()
    try:
        folder = holding.enter_context(scratch_folder("claude"))
    except OSError:  # the disk is full, say: whatever needs a place will tell
        return ""
    atexit.register(_close, holding, os.getpid())
    return str(folder)


def _close(holding: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # and no child of it by a fork, which would take its parent's folder away
        holding.close()
