"""A database for each test, and the assistant in front of a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.tasks import open_database
from maverick_tui.tasks.database import SessionFactory


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'tasks.db'}"


@pytest.fixture
def factory(database: str) -> Iterator[SessionFactory]:
    made = open_database(database)
    yield made
    with made() as session:
        session.get_bind().engine.dispose()
