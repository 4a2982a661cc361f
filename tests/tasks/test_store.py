"""Tasks in a real database file."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from maverick_tui.tasks import TaskStore
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.store import WrongInput
from tests.support.sampling import examples, sampled

WRITERS = """
import sys
from maverick_tui.tasks import TaskStore, open_database

store = TaskStore(open_database(sys.argv[1]))
name = sys.argv[2]
for number in range(int(sys.argv[3])):
    task = store.add("u", f"{name} {number}")
    store.complete("u", task.id)
    store.update("u", task.id, notes=name)
    if number % 5 == 0:
        assert store.delete("u", task.id) is not None
"""


@pytest.fixture
def store(factory: SessionFactory) -> TaskStore:
    return TaskStore(factory)


def test_what_is_written_is_read(store: TaskStore) -> None:
    task = store.add("u", "Tea", notes="two\nlines", priority="high", due="2026-12-31", tags=["a", " b ", "a", ""])
    assert task.id is not None
    found = store.get("u", task.id)
    assert found == task
    assert (task.priority, task.due, task.tags) == ("High", date(2026, 12, 31), ["a", "b"])
    assert datetime.now(UTC) - task.created_at < timedelta(seconds=10), "with its zone"


def test_what_changes_and_what_stays(store: TaskStore) -> None:
    made = store.add("u", "Tea", notes="n", tags=["a"])
    assert made.id is not None
    changed = store.update("u", made.id, title="Green tea", due=datetime(2026, 1, 2, 3, tzinfo=UTC))
    assert changed is not None
    assert (changed.title, changed.notes, changed.tags, changed.due) == ("Green tea", "n", ["a"], date(2026, 1, 2))
    assert changed.updated_at > made.updated_at
    done = store.complete("u", made.id)
    again = store.complete("u", made.id)
    assert done is not None
    assert again is not None
    assert done.completed_at == again.completed_at is not None, "it was done when it was done first"
    opened = store.update("u", made.id, completed=False, due="")
    assert opened is not None
    assert (opened.completed, opened.completed_at, opened.due) == (False, None, None)
    assert store.update("u", 99, title="x") is None


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"title": " "}, "the title"),
        ({"title": None}, "the title"),
        ({"priority": "x"}, "the priority"),
        ({"due": "2026-13-01"}, "the due date"),
        ({"due": "2026-12-31junk"}, "the due date"),
        ({"tags": 5}, "the tags"),
        ({"tags": [str(n) for n in range(21)]}, "which tags to keep"),
        ({"notes": None}, "the notes"),
        ({"created_at": None}, "created_at"),
        ({"id": 7}, "id"),
    ],
)
def test_what_a_task_cannot_have(store: TaskStore, values: dict[str, Any], what: str) -> None:
    store.add("u", "Tea")
    with pytest.raises(WrongInput) as raised:
        store.update("u", 1, **values)
    assert raised.value.what == what
    assert [task.title for task in store.list("u").tasks] == ["Tea"]


def test_pages_filters_and_order(store: TaskStore) -> None:
    for number in range(7):
        tags = ["Home"] if number % 2 else []
        store.add("u", f"t{number}", priority="High" if number > 4 else "Low", tags=tags)
    store.complete("u", 1)
    assert [task.title for task in store.list("u", status="all").tasks] == [f"t{n}" for n in (1, 2, 3, 4, 5, 6, 0)]
    page = store.list("u", limit=2, offset=2)
    assert ([task.title for task in page.tasks], page.total) == (["t3", "t4"], 6)
    assert [task.title for task in store.list("u", priority="high").tasks] == ["t5", "t6"]
    tagged = store.list("u", tag="home", limit=2)
    assert ([task.title for task in tagged.tasks], tagged.total) == (["t1", "t3"], 3)
    assert [task.title for task in store.list("u", status="completed").tasks] == ["t0"]


def test_an_id_is_never_given_again_so_a_late_change_meets_no_other_task(store: TaskStore) -> None:
    old = store.add("u", "Old")
    assert old.id is not None
    store.delete("u", old.id)
    new = store.add("u", "Important")
    assert new.id != old.id
    assert store.delete("u", old.id) is None
    assert store.count("u", "all") == 1


def test_a_change_can_say_which_title_the_task_must_still_have(store: TaskStore) -> None:
    number = store.add("u", "Tea").id
    assert number is not None
    assert store.complete("u", number, titled="Coffee") is None
    assert store.update("u", number, titled="Coffee", notes="n") is None
    assert store.delete("u", number, titled="Coffee") is None
    [task] = store.list("u").tasks
    assert (task.completed, task.notes) == (False, "")
    gone = store.delete("u", number, titled="Tea")
    assert gone is not None
    assert (gone.title, gone.user_id) == ("Tea", "u")


@pytest.mark.req("004-iso-others")
def test_a_list_by_tag_never_shows_what_came_between_its_two_questions(
    store: TaskStore, factory: SessionFactory
) -> None:
    class Interrupted(Session):
        """Before its second question the task becomes somebody else's."""

        def exec(self, *arguments: Any, **named: Any) -> Any:
            self.connection().exec_driver_sql("UPDATE maverick_task SET user_id = 'mallory'")
            return super().exec(*arguments, **named)

    store.add("alice", "Mine", tags=["x"])
    with factory() as session:
        engine = session.get_bind()
    assert TaskStore(lambda: Interrupted(engine)).list("alice", tag="x").tasks == ()


def test_without_a_limit_all_are_listed(store: TaskStore) -> None:
    for number in range(60):
        store.add("u", f"t{number}", tags=["x"])
    assert len(store.list("u").tasks) == 50
    assert len(store.list("u", limit=None).tasks) == 60
    assert len(store.list("u", limit=None, tag="x").tasks) == 60


COUNT = examples(25, 60)


@pytest.mark.req("004-iso-others")
@pytest.mark.parametrize("others", sampled([["left"], ["left", "right"]], 2, ids=["two", "three"]))
def test_writers_in_several_processes_lose_nothing(
    others: list[str], mark: str, database: str, store: TaskStore, tmp_path: Path
) -> None:
    script = tmp_path / "write.py"
    script.write_text(WRITERS)
    root = str(Path(__file__).parents[2])
    processes = [
        subprocess.Popen([sys.executable, str(script), database, name, str(COUNT)], cwd=root, env={"PYTHONPATH": root})
        for name in others
    ]
    for number in range(COUNT):
        store.add("u", f"own {number}")
        store.find("u", "left 1")
    assert {process.wait(60) for process in processes} == {0}
    kept = [number for number in range(COUNT) if number % 5]
    wanted = {f"own {number}" for number in range(COUNT)}
    wanted |= {f"{name} {number}" for name in others for number in kept}
    page = store.list("u", status="all", limit=1000)
    assert {task.title for task in page.tasks} == wanted
    assert page.total == len(wanted), "none twice"
    assert all(task.completed and task.notes == task.title.split()[0] for task in page.tasks if "own" not in task.title)
