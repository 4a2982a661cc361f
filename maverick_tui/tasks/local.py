"""Whose tasks they are, on a machine of one's own."""

from __future__ import annotations

import getpass
import os


def local_user() -> str:
    """The name of the account, as the system has it; a container may have none, and then the environment is asked."""
    try:
        import pwd  # not on Windows
    except ImportError:
        return _named()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return _named()


def _named() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "me"
