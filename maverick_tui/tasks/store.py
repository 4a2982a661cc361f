"""TaskStore: tasks in a database. Every method names its user, and every query is filtered by that user."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, String, cast, func
from sqlmodel import Session, SQLModel, col, delete, select, update

from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import inert, one_line
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.lookup import MOST, Candidate, called, chosen, meant_in, names_in
from maverick_tui.tasks.models import MAX_NOTES, MAX_TAGS, MAX_TITLE, PRIORITIES, Task, now
from maverick_tui.tasks.words import folded

Status = Literal["open", "completed", "all"]

_MOST_VALUES = 500
"""Of one question to a database, which does not take any number of them."""

given_up: ContextVar[threading.Event | None] = ContextVar("given_up", default=None)
"""Set when nobody is waiting any more for what a thread does: then it may not change anything."""


class WrongInput(ValueError):
    """Something that a task cannot have; `what` names it in the user's words."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} cannot be used")
        self.what = what


class GivenUp(Exception):
    """A change came too late, and was not made."""


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Some of the tasks that fit, and how many there are in all."""

    tasks: tuple[Task, ...]
    total: int


class TaskStore:
    """Each method is one transaction."""

    def __init__(self, session_factory: SessionFactory) -> None:
        self._open = session_factory

    # -- reading ------------------------------------------------------------------------------------------------------

    def list(
        self,
        user_id: str,
        *,
        status: Status = "open",
        priority: str | None = None,
        tag: str | None = None,
        limit: int | None = 50,
        offset: int = 0,
    ) -> TaskPage:
        """Tasks in the order they were added, the open ones first."""
        wanted = [*_of(user_id, status)]
        if priority is not None:
            wanted.append(col(Task.priority) == _priority(priority))
        order = (col(Task.completed), col(Task.id))
        with self._open() as session:
            if tag is not None:  # JSON is asked differently by each database, and tags are few
                ids = _tagged(session, select(Task.id, cast(Task.tags, String)).where(*wanted).order_by(*order), tag)
                some = ids[offset:][:limit]
                if len(some) <= _MOST_VALUES:
                    wanted.append(col(Task.id).in_(some))
                known = set(some)
                page = session.exec(select(Task).where(*wanted).order_by(*order))
                return TaskPage(tuple(task for task in page if task.id in known), len(ids))
            total = session.exec(select(func.count()).select_from(Task).where(*wanted)).one()
            some_of = select(Task).where(*wanted).order_by(*order).limit(limit).offset(offset)
            return TaskPage(tuple(session.exec(some_of)), total)

    def get(self, user_id: str, task_id: int) -> Task | None:
        """One task; None if it does not exist or is somebody else's."""
        with self._open() as session:
            return session.exec(select(Task).where(*_exactly(user_id, task_id, None))).first()

    def called(self, user_id: str, name: str, task_id: int | None = None) -> Candidate | None:
        """The task that a question called by this name: the one with that id, if it still has its title.

        Without an id, it is the one that a question would call so at this moment.
        """
        with self._open() as session:
            if task_id is not None:
                found = _candidates(session, _exactly(user_id, task_id, None))
                return next((one._replace(name=name) for one in found if one.title in names_in(name)), None)
            titles = _titles(session, _of(user_id, "all")).split("\n")
            wanted = set(map(folded, names_in(name)))
            alike = sorted({title for title in titles if folded(title) in wanted})[:_MOST_VALUES]
            found = _candidates(session, [*_of(user_id, "all"), col(Task.title).in_(alike)])
        return called(name, found, titles)

    def find(self, user_id: str, query: str) -> Sequence[Candidate]:
        """The tasks that these words could mean: one if it is clear, several if it is not, or none."""
        own = _of(user_id, "all")
        with self._open() as session:
            text = _titles(session, own)
            places = meant_in(query, text)
            titles = text.split("\n") if places else ()
            some = sorted({titles[at] for at in places})[:_MOST_VALUES]
            rows = _candidates(session, [*own, col(Task.title).in_(some)]) if some else []
        return chosen(query, rows, titles)[: MOST + 1]

    # -- writing ------------------------------------------------------------------------------------------------------

    def add(
        self,
        user_id: str,
        title: str,
        *,
        notes: str = "",
        priority: str = "Medium",
        due: date | str | None = None,
        tags: Iterable[str] = (),
    ) -> Task:
        """Add a task."""
        _require_user(user_id)
        task = Task(
            user_id=user_id,
            title=_title(title),
            notes=_notes(notes),
            priority=_priority(priority),
            due=_due(due),
            tags=_tags(tags),
        )
        with self._open() as session:
            session.add(task)
            session.flush()
            session.refresh(task)
            session.expunge(task)
            _commit(session)
        return task

    # What was looked up may be another task by now: so a change may say which title it must still have.

    def complete(self, user_id: str, task_id: int, *, titled: str | None = None) -> Task | None:
        """Mark a task as done; None if it does not exist or is somebody else's."""
        done = {"completed": True, "completed_at": func.coalesce(Task.completed_at, now())}
        return self._change(user_id, task_id, titled, done)

    def update(self, user_id: str, task_id: int, *, titled: str | None = None, **changes: Any) -> Task | None:
        """Change what is given: title, notes, priority, due, tags, completed."""
        read: dict[str, Callable[[Any], Any]] = {
            "title": _title, "notes": _notes, "priority": _priority, "due": _due, "tags": _tags, "completed": bool,
        }  # fmt: skip
        if unknown := changes.keys() - read.keys():
            raise WrongInput(", ".join(sorted(unknown)))
        values = {name: read[name](value) for name, value in changes.items()}
        if "completed" in values:
            values["completed_at"] = func.coalesce(Task.completed_at, now()) if values["completed"] else None
        return self._change(user_id, task_id, titled, values)

    def _change(self, user_id: str, task_id: int, titled: str | None, values: dict[str, Any]) -> Task | None:
        change = update(Task).where(*_exactly(user_id, task_id, titled)).values(**values, updated_at=now())
        return self._returned(change)

    def delete(self, user_id: str, task_id: int, *, titled: str | None = None) -> Task | None:
        """Remove a task; returns what it was, or None if it does not exist or is somebody else's."""
        return self._returned(delete(Task).where(*_exactly(user_id, task_id, titled)))

    def _returned(self, statement: Any) -> Task | None:
        """The task that a statement has changed, or removed: read by the statement itself, so nothing comes between."""
        with self._open() as session:
            columns = SQLModel.metadata.tables[str(Task.__tablename__)].columns
            row = session.connection().execute(statement.returning(*columns)).mappings().first()
            _commit(session)
        return Task(**row) if row is not None else None

    def complete_all(self, user_id: str) -> int:
        """Mark every open task as done; returns how many there were."""
        moment = now()
        with self._open() as session:
            change = update(Task).where(*_of(user_id, "open"))
            done = _execute(session, change.values(completed=True, completed_at=moment, updated_at=moment))
            _commit(session)
            return done

    def delete_all(self, user_id: str, status: Status) -> int:
        """Remove all tasks of a kind; returns how many there were."""
        with self._open() as session:
            gone = _execute(session, delete(Task).where(*_of(user_id, status)))
            _commit(session)
            return gone

    def count(self, user_id: str, status: Status) -> int:
        """How many tasks of a kind there are."""
        with self._open() as session:
            return session.exec(select(func.count()).select_from(Task).where(*_of(user_id, status))).one()


def _titles(session: Session, wanted: Iterable[ColumnElement[bool]]) -> str:
    """All titles, one in a line; in one piece where a database does not cut it, which takes a quarter of the time."""
    if session.get_bind().dialect.name in ("sqlite", "postgresql"):
        whole = select(func.aggregate_strings(col(Task.title), "\n")).where(*wanted)
        return session.connection().execute(whole).scalar() or ""
    return "\n".join(session.exec(select(Task.title).where(*wanted)))


def _tagged(session: Session, query: Any, tag: str) -> list[int]:
    """Which of these have the tag; the same text is read only once."""
    has_it: dict[str, bool] = {}
    ids: list[int] = []
    for number, text in session.connection().execute(query).fetchall():
        if text not in has_it:
            has_it[text] = tag.casefold() in map(str.casefold, json.loads(text))
        if has_it[text]:
            ids.append(number)
    return ids


def _candidates(session: Session, wanted: Iterable[ColumnElement[bool]]) -> list[Candidate]:
    query = select(Task.id, Task.title, Task.completed).where(*wanted).order_by(col(Task.completed), col(Task.id))
    rows = session.connection().execute(query).fetchall()
    return [Candidate(number, title, completed, title) for number, title, completed in rows]


def _commit(session: Session) -> None:
    """Commit what was changed, unless whoever wanted it has been told meanwhile that it did not work."""
    late = given_up.get()
    if late is not None and late.is_set():
        session.rollback()
        raise GivenUp
    session.commit()


def _execute(session: Session, statement: Any) -> int:
    return int(session.connection().execute(statement).rowcount)


def _of(user_id: str, status: Status) -> list[ColumnElement[bool]]:
    """What every query begins with."""
    _require_user(user_id)
    wanted: list[ColumnElement[bool]] = [col(Task.user_id) == user_id]
    if status != "all":
        wanted.append(col(Task.completed) == (status == "completed"))
    return wanted


def _exactly(user_id: str, task_id: int, titled: str | None) -> list[ColumnElement[bool]]:
    is_titled = [] if titled is None else [col(Task.title) == titled]
    return [*_of(user_id, "all"), col(Task.id) == task_id, *is_titled]


def _require_user(user_id: str) -> None:
    if not isinstance(user_id, str) or not user_id:
        raise ConfigError("A task needs a user.", hint="Say whose tasks are meant.")


def _title(value: Any) -> str:
    title = one_line(value).strip() if isinstance(value, str) else ""
    if not title:
        raise WrongInput("the title")
    if len(title) > MAX_TITLE:
        raise WrongInput("how to shorten the title")
    return title


def _notes(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NOTES:
        raise WrongInput("the notes")
    return inert(value)


def _priority(value: Any) -> str:
    name = str(value).strip().capitalize()
    if name not in PRIORITIES:
        raise WrongInput("the priority")
    return name


def _due(value: Any) -> date | None:
    if value is None or value == "":
        return None
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    try:
        return datetime.fromisoformat(str(value).strip()).date()
    except ValueError:
        raise WrongInput("the due date") from None


def _tags(value: Any) -> list[str]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, Iterable):
        raise WrongInput("the tags")
    tags = list(dict.fromkeys(one_line(str(word)).strip()[:50] for word in words))
    tags = [tag for tag in tags if tag]
    if len(tags) > MAX_TAGS:
        raise WrongInput("which tags to keep")
    return tags
