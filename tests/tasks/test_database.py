"""Opening the database, whatever it is, and whatever is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from mcp import Client
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, SQLModel, create_engine

from maverick_tui.exceptions import ConfigError
from maverick_tui.tasks import MCPToolServer, TaskStore, database, open_database
from maverick_tui.tasks.database import SessionFactory, close_database, unusable
from maverick_tui.tasks.local import HEAD, VERSION_TABLE, default_url
from tests.tasks.support import call

POSTGRES = os.environ.get("MAVERICK_TEST_POSTGRES", "")


def test_an_empty_file_is_brought_up_to_date_and_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "down" / "tasks.db"
    url = f"sqlite:///{file}"
    TaskStore(open_database(url)).add("u", "Tea")
    for _ in range(2):
        assert [task.title for task in TaskStore(open_database(url)).list("u").tasks] == ["Tea"]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT version_num FROM maverick_alembic_version").fetchall() == [(HEAD,)]


def test_the_newest_migration_is_known_and_makes_the_tables_of_the_models(factory: SessionFactory) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]
    with factory() as session:
        context = MigrationContext.configure(
            session.connection(), opts={"compare_type": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, SQLModel.metadata) == []


def test_the_migrations_can_be_undone(tmp_path: Path) -> None:
    from alembic import command

    engine = create_engine(f"sqlite:///{tmp_path / 'tasks.db'}")
    database.upgrade(engine)
    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    database.upgrade(engine)
    TaskStore(lambda: Session(engine)).add("u", "Tea")
    engine.dispose()


def test_only_its_owner_may_read_it(database: str, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        store = TaskStore(open_database(database))
        store.add("u", "Tea")
    finally:
        os.umask(old)
    files = list(tmp_path.glob("tasks.db*"))
    assert {file.name for file in files} >= {"tasks.db", "tasks.db-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_by_default_it_is_in_the_users_state_folder(home: Path) -> None:
    TaskStore(open_database()).add("u", "Tea")
    [file] = home.rglob("tasks.db")
    assert default_url() == f"sqlite:///{file}"


async def test_in_memory_it_is_one_database_for_all_threads() -> None:
    server = MCPToolServer(open_database("sqlite://"))
    async with Client(server.for_user("u")) as client:
        assert (await call(client, "add_task", title="Tea"))["success"]
        assert (await call(client, "list_tasks"))["data"]["total"] == 1


BAD = [
    ("sqlite:////proc/nowhere/tasks.db", "No such file or directory"),
    ("sqlite:///{folder}/file/tasks.db", "exists"),
    ("sqlite:///{folder}", "unable to open database file"),
    ("sqlite:///{folder}/junk.db", "file is not a database"),
    ("sqlite:///{folder}/newer.db", "a newer version of this program has changed its tables"),
    ("tasks.db", "it is not a database URL"),
    ("", "it is not a database URL"),
    ("nosuch://host/db", "Can't load plugin"),
    ("postgresql+nodriver://me:hunter2@host/db", "Can't load plugin"),
    ("postgresql//me:hunter2@host/db", "it is not a database URL"),
    ("postgresql://me:hunter2@host:port/db", "it is not a database URL"),
    ("postgresql://me:p@ss/hunter2@host/db", "the password in the URL has an @"),
    ("postgresql://me@corp:p/ss@hunter2@host/db", "the password in the URL has an @"),
    ("nosuch://me:p@ss?hunter2@host/db", "the password in the URL has an @"),
    ("nosuch://me:hunter2@host/db?user=a@b", "Can't load plugin"),
    ("nosuch://me@host/a:b@c@d", "Can't load plugin"),
]


@pytest.mark.parametrize(("url", "why"), BAD)
def test_what_cannot_be_opened_is_one_clear_error(tmp_path: Path, url: str, why: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "junk.db").write_text("This is no database, however long one looks at it. " * 100)
    with sqlite3.connect(tmp_path / "newer.db") as connection:
        connection.execute("CREATE TABLE maverick_alembic_version (version_num VARCHAR(32))")
        connection.execute("INSERT INTO maverick_alembic_version VALUES ('9999')")
    url = url.format(folder=tmp_path)
    with pytest.raises(ConfigError) as raised:
        open_database(url or " ")
    assert why in raised.value.message
    assert "\n" not in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert raised.value.message.startswith("The tasks cannot be opened")
    assert raised.value.message.endswith(".")
    assert not raised.value.message.endswith("..")


def test_a_full_disk_is_no_reason_to_correct_the_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/tasks.db"
    factory = open_database(url)
    for why in ("disk I/O error", "database or disk is full"):  # SQLite's words, by which of its files has no room
        told = unusable(OperationalError("", {}, sqlite3.OperationalError(why)), factory)
        assert f"{url}: {why}." in told.message
        assert "room" in told.hint
        assert "URL" not in told.hint
    close_database(factory)
    monkeypatch.setattr(Path, "touch", lambda self, **_: os.write(os.open("/dev/full", os.O_WRONLY), b"x"))
    with pytest.raises(ConfigError, match="No space left on device") as raised:
        open_database(url)
    assert "URL" not in raised.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_only_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(ConfigError, match="Permission denied"):
        open_database(f"sqlite:///{folder}/tasks.db")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:hunter2@127.0.0.1:1/db?sslpassword=hunter2",
        "mysql+pymysql://me:hunter2@127.0.0.1:1/db?ssl_key=hunter2",
        "mssql+pyodbc://me:hunter2@127.0.0.1:1/db?api_token=hunter2",
    ],
)
def test_secrets_of_a_url_are_not_told(url: str) -> None:
    with pytest.raises(ConfigError) as raised:
        open_database(url)
    assert "hunter2" not in str(raised.value)
    assert "127.0.0.1" in str(raised.value)


def test_many_can_open_a_new_database_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'tasks.db'}"
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            TaskStore(open_database(url)).add("u", f"t{number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert TaskStore(open_database(url)).count("u", "all") == 8


def test_a_writer_does_not_keep_readers_waiting(database: str, factory: SessionFactory, tmp_path: Path) -> None:
    store = TaskStore(factory)
    store.add("u", "Tea")
    with sqlite3.connect(tmp_path / "tasks.db") as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.find("u", "tea")[0].title == "Tea"
        assert store.list("u").total == 1
        other.rollback()


def test_a_database_that_others_migrate_is_shared_with_them(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shared.db") as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.execute("INSERT INTO alembic_version VALUES ('theirs')")
        connection.execute("CREATE TABLE task (id INTEGER PRIMARY KEY, theirs TEXT)")
    TaskStore(open_database(f"sqlite:///{tmp_path / 'shared.db'}")).add("u", "Tea")
    with sqlite3.connect(tmp_path / "shared.db") as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("theirs",)]


def test_importing_the_package_loads_no_database() -> None:
    code = (
        "import sys, maverick_tui.tasks as tasks\n"
        "heavy = {'sqlalchemy', 'sqlmodel', 'alembic', 'mcp', 'httpx2', 'pydantic', 'rapidfuzz'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "tasks.AgentContext, tasks.AgentResult, tasks.MessageHistory, tasks.ToolCallRecord\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "for name in tasks.__all__: getattr(tasks, name)\n"
        "assert 'alembic' not in sys.modules and 'httpx2' not in sys.modules and 'rapidfuzz' not in sys.modules\n"
        "try: tasks.Nothing\n"
        "except AttributeError: print('fine')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_the_names_of_the_contract_are_there() -> None:
    from maverick_tui import tasks

    assert set(tasks.__all__) >= {
        "AgentRunner", "AgentContext", "MessageHistory", "AgentResult", "ToolCallRecord", "MCPToolServer", "Task",
        "TaskStore",
    }  # fmt: skip


def test_several_new_databases_can_be_opened_at_once(tmp_path: Path) -> None:
    def work(number: int) -> None:
        close_database(open_database(f"sqlite:///{tmp_path}/{number}.db"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))


@pytest.mark.skipif(not POSTGRES, reason="MAVERICK_TEST_POSTGRES names no server")
def test_many_first_starts_on_postgresql_do_not_race() -> None:
    engine = database.open_engine(POSTGRES)
    with engine.begin() as connection:
        for table in (VERSION_TABLE, "maverick_task", "maverick_chat_message"):
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    engine.dispose()
    code = "import sys; from maverick_tui.tasks import open_database; sys.stdin.readline(); open_database(sys.argv[1])"
    command = [sys.executable, "-c", code, POSTGRES]
    starts = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for start in starts:
        assert start.stdin is not None
        start.stdin.write("go\n")
        start.stdin.flush()
    assert [start.communicate()[1] for start in starts] == [""] * 4


@pytest.mark.skipif(not POSTGRES, reason="MAVERICK_TEST_POSTGRES names no server")
async def test_postgresql() -> None:
    factory = open_database(POSTGRES)
    close_database(open_database(POSTGRES))
    server = MCPToolServer(factory)
    with factory() as session:
        session.connection().exec_driver_sql("DELETE FROM maverick_task")
        session.commit()
    for user in ("alice", "bob"):
        async with Client(server.for_user(user)) as client:
            assert (await call(client, "add_task", title="Öl kaufen", tags=["home"], due="2026-12-31"))["success"]
            assert (await call(client, "complete_task", task="öl"))["success"]
            assert (await call(client, "list_tasks", status="all", tag="HOME"))["data"]["total"] == 1
    async with Client(server.for_user("alice", asks=False)) as client:
        assert (await call(client, "delete_all_tasks", which="all"))["data"] == {"count": 1}
    assert server.store.count("bob", "completed") == 1
    [task] = server.store.list("bob", status="all").tasks
    assert task.created_at.tzinfo is not None
    with factory() as session:
        session.get_bind().dispose()  # type: ignore[union-attr]
    assert task.id is not None
    changed = server.store.update("bob", task.id, titled="Öl kaufen", notes="n")
    assert changed is not None
    assert (changed.notes, changed.tags) == ("n", ["home"])
    gone = server.store.delete("bob", task.id)
    assert gone is not None
    assert gone.title == "Öl kaufen"
    close_database(factory)
