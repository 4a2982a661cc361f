"""Whose tasks they are and where they are kept, on the user's own machine."""

from __future__ import annotations

import getpass
import os

from maverick_tui import paths

VERSION_TABLE = "maverick_alembic_version"
"""Our own, since the database may be one that others migrate too."""
HEAD = "0001"
"""The newest migration; a database that has it need not be looked at any further."""


def default_url() -> str:
    """SQLite in the user's state folder."""
    return f"sqlite:///{paths.user_state() / 'tasks.db'}"


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
