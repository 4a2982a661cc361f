"""A database for each test, and the assistant in front of a scripted model."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.tasks import open_database
from maverick_tui.tasks.database import SessionFactory


@pytest.fixture(scope="session", autouse=True)
def _imports() -> None:
    """What is imported when it is first needed takes seconds, which no limit of a test is meant for."""
    for name in ("anthropic", "alembic.command", "mcp.server", "maverick_tui.tasks.runner"):
        importlib.import_module(name)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'tasks.db'}"


@pytest.fixture
def factory(database: str) -> Iterator[SessionFactory]:
    made = open_database(database)
    yield made
    with made() as session:
        session.get_bind().engine.dispose()
