"""The to-do list with ten thousand tasks of one user among others, in a real SQLite file."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from sqlmodel import col, select

from maverick_tui.tasks import Task, TaskStore, open_database
from maverick_tui.tasks.database import SessionFactory
from tests.bench.measure import Figure, median

TASKS = 10_000
ROUNDS = 31
WRITES = 500
USER = "alice"
VERBS = "call write read send plan clean paint book mend order check return sort water visit".split()
THINGS = (
    "mother invoice garden report ticket library printer bicycle dentist kitchen passport window contract battery "
    "birthday carpet insurance luggage newspaper orchard pension recipe schedule tenant umbrella vaccine wardrobe"
).split()

WRITER = """
import sys
from maverick_tui.tasks import TaskStore, open_database

store = TaskStore(open_database(sys.argv[1]))
for number in range(int(sys.argv[3])):
    task = store.add(sys.argv[2], f"{sys.argv[2]} {number}")
    store.complete(sys.argv[2], task.id)
"""


def tasks_store() -> Iterable[Figure]:
    """List, find and complete, each by itself."""
    with tempfile.TemporaryDirectory() as folder:
        factory = open_database(f"sqlite:///{folder}/tasks.db")
        chance = random.Random(7)
        with factory() as session:
            session.add_all(
                Task(user_id=user, title=_title(chance, number), completed=number % 3 == 0)
                for number in range(TASKS)
                for user in (USER, "bob")
            )
            session.commit()
        store = TaskStore(factory)
        own = [task.id for task in store.list(USER, limit=ROUNDS + 1).tasks]
        ids = iter([number for number in own if number is not None])
        cases: dict[str, Callable[[], object]] = {
            "list": lambda: store.list(USER),
            "find, by words": lambda: store.find(USER, "garden report"),
            "find, by words with mistakes": lambda: store.find(USER, "pant the brithday wardrob"),
            "find, nothing": lambda: store.find(USER, "xylophone concert"),
            "find, more than a title": lambda: store.find(USER, "call the mother about the party on friday"),
            "complete": lambda: store.complete(USER, next(ids)),
        }
        for name, case in cases.items():
            case()  # the first round pays for imports
            yield Figure(f"10,000 tasks: {name}", 1000 * median(_took(case) for _ in range(ROUNDS)), "ms", gate=20)
        reading = median(_worked(lambda: _titles_of(factory)) for _ in range(ROUNDS))
        finding = median(_worked(cases["find, nothing"]) for _ in range(ROUNDS))
        yield Figure("10,000 tasks: find nothing, in times of reading the titles", finding / reading, "x", gate=0.6)


def tasks_writers() -> Iterable[Figure]:
    """Two processes that write at the same time: nothing is lost."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/tasks.db"
        store = TaskStore(open_database(url))
        script = Path(folder, "writer.py")
        script.write_text(WRITER)
        began = time.perf_counter()
        users = ("left", "right")
        root = Path(__file__).parents[2]
        writers = [
            subprocess.Popen(
                [sys.executable, str(script), url, user, str(WRITES)], cwd=root, env={"PYTHONPATH": str(root)}
            )
            for user in users
        ]
        failed = sum(writer.wait() != 0 for writer in writers)
        took = time.perf_counter() - began
        lost = 2 * WRITES - sum(store.count(user, "completed") for user in users)
    yield Figure(f"tasks lost by two processes, {2 * WRITES:,} written", lost + failed, "", gate=0)
    yield Figure("one write beside another process", 1000 * took / (4 * WRITES), "ms", note="with the start of both")


def _title(chance: random.Random, number: int) -> str:
    end = f" {number}" if number % 4 == 0 else ""
    return f"{chance.choice(VERBS).capitalize()} the {' '.join(chance.sample(THINGS, 2))}{end}"


def _titles_of(factory: SessionFactory) -> list[str]:
    """What has to be read at least, row by row."""
    with factory() as session:
        return list(session.exec(select(Task.title).where(col(Task.user_id) == USER)))


def _worked(case: Callable[[], object]) -> float:
    """Seconds of the processor, whatever else the machine does."""
    began = time.process_time()
    case()
    return time.process_time() - began


def _took(case: Callable[[], object]) -> float:
    began = time.perf_counter()
    case()
    return time.perf_counter() - began


BENCHMARKS = (tasks_store, tasks_writers)
