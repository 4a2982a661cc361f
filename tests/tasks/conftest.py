"""A database for each test, and the assistant in front of a scripted model."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.tasks import open_database
from maverick_tui.tasks.database import SessionFactory, close_database


@pytest.fixture(scope="session", autouse=True)
def _imports() -> None:
    """What is imported when it is first needed takes seconds, which no limit of a test is meant for."""
    for name in ("httpx2", "alembic.command", "mcp.server", "maverick_tui.tasks.runner"):
        importlib.import_module(name)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'tasks.db'}"


@pytest.fixture(scope="session")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database that is migrated, which takes longer than most of what is done with it."""
    file = tmp_path_factory.mktemp("empty") / "tasks.db"
    close_database(open_database(f"sqlite:///{file}"))
    return file


@pytest.fixture
def factory(database: str, _empty: Path) -> Iterator[SessionFactory]:
    shutil.copyfile(_empty, database.removeprefix("sqlite:///"))
    made = open_database(database)
    yield made
    close_database(made)
