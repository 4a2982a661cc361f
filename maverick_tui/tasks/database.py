"""Opens the database: SQLite in the user's folder, or whatever a URL names, brought up to date first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError, StatementError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.masking.names import is_secret
from maverick_tui.masking.redact import redact, without
from maverick_tui.tasks.local import HEAD, VERSION_TABLE, default_url

SessionFactory = Callable[[], Session]

BUSY_SECONDS = 5.0
"""How long a writer waits for another; much less than a message may take."""
MIGRATION_LOCK = 0x6D617665_7269636B
"""The lock that whoever migrates a PostgreSQL database waits for: "maverick", as a number that nobody else takes by
chance."""


def open_database(url: str | None = None) -> SessionFactory:
    """A factory of sessions for this URL; tables that are missing or old are brought up to date."""
    engine = open_engine(url or default_url())
    try:
        upgrade(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        raise _unusable(engine.url, getattr(error, "orig", None) or error) from error
    return lambda: Session(engine, expire_on_commit=False)


def close_database(factory: SessionFactory) -> None:
    """Close the connections of a factory."""
    with factory() as session:
        session.get_bind().engine.dispose()


def open_engine(url: str) -> Engine:
    """An engine for this URL, with SQLite set up so that several processes can write."""
    if _ends_password_early(url):  # what is behind it would be shown, and looked up, as the name of a server
        raise ConfigError(
            "The tasks cannot be opened: the password in the URL has an @ that stands there as it is.",
            hint="Write @ in a password as %40, and / as %2F.",
        )
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise _unusable(None, "it is not a database URL") from error
    try:
        # An error shows the statement, but not the values: they are the user's.
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
        options: dict[str, Any] = {}
        if parsed.database in (None, "", ":memory:"):  # it lives in its connection, which everybody takes in turns
            options = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
        elif not parsed.database.startswith("file:"):
            file = Path(parsed.database)
            paths.make_private(file.parent)
            file.touch(mode=0o600, exist_ok=True)
        arguments = {"timeout": BUSY_SECONDS, "check_same_thread": False}
        engine = create_engine(parsed, hide_parameters=True, connect_args=arguments, **options)
    except (SQLAlchemyError, ImportError, ValueError, OSError) as error:
        raise _unusable(parsed, error) from error
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _ends_password_early(url: str) -> bool:
    """Whether a password has an `@`, which ends it for whoever reads the URL."""
    user, colon, rest = url.partition("://")[2].partition(":")
    place, _, query = rest.partition("@")[2].partition("?")
    names = (part.partition("=")[0] for part in query.split("&"))
    return bool(colon) and "/" not in user and any("@" in part for part in (place, *names))


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Any) -> None:
    # A transaction that reads first and writes later would fail, not wait, if another process wrote in between. So it
    # says at its start that it will write; the store's start with what they write, and readers wait for nobody.
    kind = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")


_migrating = threading.Lock()
"""Alembic keeps what it is working on in its module, so a process migrates one database at a time."""


def upgrade(engine: Engine) -> None:
    """Run the migrations that the database does not have yet."""
    if not _is_current(engine):
        with _migrating:
            _migrate(engine)


def _migrate(engine: Engine) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with engine.connect().execution_options(sqlite_begin="IMMEDIATE") as connection, connection.begin():
        if connection.dialect.name == "postgresql":  # two would make the same tables; SQLite has one writer
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise _unusable(engine.url, "a newer version of this program has changed its tables") from error


def _is_current(engine: Engine) -> bool:
    with engine.connect() as connection:
        if not inspect(connection).has_table(VERSION_TABLE):
            return False
        return connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalars().all() == [HEAD]


def hide_values(error: BaseException) -> None:
    """Keep the values of a statement, which are a user's, out of the log, even for engines that are not ours."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, StatementError):
            seen.hide_parameters = True
        seen = seen.__cause__ or seen.__context__


def unusable(error: SQLAlchemyError, factory: SessionFactory) -> ConfigError:
    """What is wrong with a database that was opened, without the statement that showed it."""
    with factory() as session:
        return _unusable(session.get_bind().engine.url, getattr(error, "orig", None) or error)


_MAKE_ROOM = "Make room on its disk, and do the same again: what the list had before is still there."
_HINTS = {
    "locked": "Another program is writing to it: wait for that, and try again.",
    "no such table": "Its tables are gone: put a copy of the file back, or move it away to start an empty list.",
    "disk I/O error": "See whether its disk is full, or broken: with room there, the same will work.",
    "is full": _MAKE_ROOM,
    "No space left": _MAKE_ROOM,
    "does not exist": "Its tables are gone: put a copy of the database back, or name another one.",
}
_HINT = "Correct the URL, for example sqlite:////home/me/tasks.db, and check that you may write there."


def _unusable(url: URL | None, why: object) -> ConfigError:
    """What is wrong, in one line and without what is secret in the URL."""
    lines = redact(str(why)).strip().splitlines()
    reason = lines[0].rstrip(".") if lines else type(why).__name__
    where = ""
    if url is not None:
        secret = [name for name in url.query if is_secret(name)]
        where = f" at {redact(url.difference_update_query(secret).render_as_string(hide_password=True))}"
        given = (str(url.password or ""), *(text for name in secret for text in _texts(url.query[name])))
        reason = without(reason, given)
    return ConfigError(
        f"The tasks cannot be opened{where}: {reason}.",
        hint=next((hint for words, hint in _HINTS.items() if words in reason), _HINT),
    )


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value
