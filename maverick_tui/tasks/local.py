"""The tasks on the user's own machine: whose they are, where they are kept, and the list as the file there has it."""

from __future__ import annotations

import getpass
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui import paths

VERSION_TABLE = "maverick_alembic_version"
"""Our own, since the database may be one that others migrate too."""
HEAD = "0001"
"""The newest migration; a database that has it need not be looked at any further."""
_FILE = "sqlite:///"


def default_url() -> str:
    """SQLite in the user's state folder."""
    return f"{_FILE}{paths.user_state() / 'tasks.db'}"


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


class Listed(NamedTuple):
    """Some of the tasks that fit, as `Task.view` shows them, and how many there are in all."""

    tasks: list[dict[str, Any]]
    total: int


def read_list(url: str, user_id: str, *, everything: bool, tag: str | None, limit: int | None) -> Listed | None:
    """What `TaskStore.list` would find; None where that must be asked, as it can repair what is missing or say why.

    For a script that only shows the list: the database's library takes a second.
    """
    path = Path(url.removeprefix(_FILE))
    if not url.startswith(_FILE) or "?" in url or not path.is_file():
        return None
    wanted = "WHERE user_id = ?" if everything else "WHERE user_id = ? AND NOT completed"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            if connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() != [(HEAD,)]:
                return None
            rows = connection.execute(
                f"SELECT id, title, notes, priority, due, tags, completed FROM maverick_task {wanted} "
                "ORDER BY completed, id",
                (user_id,),
            )
            rows.row_factory = sqlite3.Row
            tasks = [
                {**row, "tags": json.loads(row["tags"]), "completed": bool(row["completed"])} for row in map(dict, rows)
            ]
    except (sqlite3.Error, ValueError):
        return None
    if tag is not None:
        tasks = [task for task in tasks if tag.casefold() in map(str.casefold, task["tags"])]
    return Listed(tasks[:limit], len(tasks))
