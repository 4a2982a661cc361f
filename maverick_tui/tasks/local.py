"""Whose tasks they are, on a machine of one's own."""

from __future__ import annotations

import getpass


def local_user() -> str:
    """The name of the account; a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "me"
