"""The list read from the file is the one that the store lists, or it is left to the store."""

from __future__ import annotations

import sqlite3
from itertools import product
from pathlib import Path

import pytest

from maverick_tui.tasks import TaskStore
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.local import read_list


def test_it_reads_what_the_store_lists(database: str, factory: SessionFactory) -> None:
    store = TaskStore(factory)
    store.add("bob", "His")
    for number, tags in enumerate([["Home"], [], ["home", "ß"], ["work"]]):
        store.add("u", f"Tea {number}", notes="Ünï", priority="High", due="2026-12-31" if number else None, tags=tags)
    store.complete("u", 3)
    for everything, tag, limit in product([True, False], [None, "HOME", "none"], [None, 1]):
        found = read_list(database, "u", everything=everything, tag=tag, limit=limit)
        page = store.list("u", status="all" if everything else "open", tag=tag, limit=limit)
        assert found is not None
        assert found == ([task.view() for task in page.tasks], page.total)


@pytest.mark.parametrize(
    "url", ["postgresql://host/db", "sqlite://", "sqlite:///{folder}/none.db", "sqlite:///{folder}"]
)
def test_what_is_no_file_is_left_to_the_store(tmp_path: Path, url: str) -> None:
    assert read_list(url.format(folder=tmp_path), "u", everything=True, tag=None, limit=None) is None
    assert not list(tmp_path.glob("*.db")), "nothing is created"


@pytest.mark.parametrize(
    "change", ["UPDATE maverick_alembic_version SET version_num = '0'", "DROP TABLE maverick_task"]
)
def test_what_is_not_as_expected_is_left_to_the_store(
    database: str, factory: SessionFactory, tmp_path: Path, change: str
) -> None:
    with sqlite3.connect(tmp_path / "tasks.db") as connection:
        connection.execute(change)
    assert read_list(database, "u", everything=True, tag=None, limit=None) is None
