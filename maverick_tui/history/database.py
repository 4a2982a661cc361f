"""The file of the index. It is derived: whatever is wrong with it, it is thrown away and made again."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.history.scanning import Summary, Turn

VERSION = 14
"""Of the tables below and of what they are filled with; an index of any other is made anew."""
BUSY_SECONDS = 5.0
"""Longest that we wait for another process that writes."""
_LOOKED_THROUGH = 64 << 20
"""The size of the largest index that is looked through for damage."""

SUMMARY = [field.name for field in fields(Summary)]
TURN = [field.name for field in fields(Turn)]
_TABLES = f"""
CREATE TABLE journals (run INTEGER PRIMARY KEY, run_id TEXT UNIQUE NOT NULL, inode INTEGER, size INTEGER,
    mtime INTEGER, labels INTEGER, head BLOB, carried TEXT NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL,
    read_mtime INTEGER, read_at REAL);
CREATE TABLE runs (run INTEGER PRIMARY KEY, {", ".join(SUMMARY)}, name TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]');
CREATE INDEX newest ON runs (last_at DESC);
CREATE TABLE turns (run INTEGER, {", ".join(TURN)}, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE INDEX requests ON turns (request) WHERE request <> '';
CREATE TABLE places (run INTEGER, number INTEGER, offset INTEGER, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE files (run INTEGER, path TEXT, PRIMARY KEY (run, path)) WITHOUT ROWID;
CREATE TABLE conversations (session_id TEXT, run INTEGER, PRIMARY KEY (session_id, run)) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5 (text, kind UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')
"""
_NAMES = {"journals", "runs", "turns", "places", "files", "conversations", "texts"}
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE = (
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
)


def index_file() -> Path:
    """Where the index is; it need not exist."""
    return paths.user_state() / "index.db"


def is_broken(error: sqlite3.Error) -> bool:
    """Whether the file makes no sense any more."""
    return _code(error) in _BROKEN


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else writes, and has done so for long."""
    return _code(error) in _BUSY


def is_unwritable(error: sqlite3.Error) -> bool:
    """Whether the disk or its rights are in the way."""
    return _code(error) in _UNWRITABLE


class Looked(NamedTuple):
    """What an index is like, as far as one sees without changing anything."""

    size: int
    runs: int = 0
    problem: str = ""


def look_at(file: Path) -> Looked:
    """Look at an index that is there; a large one is not gone through."""
    size = file.stat().st_size
    # Without a log beside it nobody writes; SQLite would make one to read.
    mode = "mode=ro" if Path(f"{file}-wal").exists() else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=1.0)) as connection:
            if not _is_ours(connection):
                return Looked(size, problem="it is of another version")
            (state,) = connection.execute("PRAGMA quick_check(1)").fetchone() if size <= _LOOKED_THROUGH else ("ok",)
            if state != "ok":
                return Looked(size, problem=f"it is damaged ({state.splitlines()[-1]})")
            return Looked(size, connection.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.Error as error:
        return Looked(size, problem=f"it cannot be read: {error}")


def open_database(file: Path) -> sqlite3.Connection:
    """The index with its tables, empty if it was of another version or made no sense."""
    with suppress(OSError):  # what that means, opening it tells
        paths.make_private(file.parent)
    try:
        return _open(file)
    except sqlite3.Error as error:
        if not is_broken(error):
            raise
    remove_database(file)
    return _open(file)


def memory_database() -> sqlite3.Connection:
    """An index that is gone with us."""
    connection = _connect(":memory:")
    with writing(connection):
        make_tables(connection)
    return connection


def remove_database(file: Path) -> None:
    """Remove a file that makes no sense, and what SQLite keeps beside it."""
    with alone(file.parent):
        for end in ("", "-wal", "-shm"):
            Path(f"{file}{end}").unlink(missing_ok=True)


def make_tables(connection: sqlite3.Connection) -> None:
    """Make all tables, in place of those that are there; inside of `writing`."""
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'texts_%'"
    ).fetchall():
        connection.execute(f'DROP TABLE "{name}"')
    try:
        for table in _TABLES.split(";"):
            connection.execute(table)
    except sqlite3.OperationalError as error:
        if "fts5" not in str(error):
            raise
        raise ConfigError(
            f"Runs cannot be listed or searched: the SQLite {sqlite3.sqlite_version} of this Python has no FTS5.",
            hint="Use a Python whose sqlite3 has it, such as those of python.org, Debian or Homebrew.",
        ) from error
    connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction; while it lasts, nobody else writes."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # it may have rolled itself back
            connection.rollback()
        raise
    connection.commit()


def _open(file: Path) -> sqlite3.Connection:
    if not file.exists():
        with suppress(OSError):
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))  # SQLite's own files take over its rights
    connection = _connect(str(file))
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if not _is_ours(connection):
            with writing(connection):
                if not _is_ours(connection):  # another process may just have made them
                    make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")  # not every Python's SQLite overwrites what is removed
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -32768")
    return connection


def _is_ours(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return version == VERSION and names >= _NAMES


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
