"""What a person should know of the folder that a command is given in, on standard error."""

from __future__ import annotations

import sys
from pathlib import Path

from maverick_tui import paths
from maverick_tui.ownership import strangers_repository


def tell_of_place(cwd: Path) -> None:
    """Before an agent works in a folder: why none should, or what of it does not count."""
    _tell(paths.too_much(cwd))
    tell_of_stranger(cwd)


def tell_of_stranger(cwd: Path) -> None:
    """That the repository around a folder is another user's, so that what is in it does not count here."""
    if stranger := strangers_repository(cwd):
        _tell(stranger.words)


def _tell(warning: str) -> None:
    if warning:
        print(f"maverick: {warning}", file=sys.stderr)
