"""What the tools of the task list do to one user's tasks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from maverick_tui.executor.tools import ToolContext
from maverick_tui.inert import one_line
from maverick_tui.tasks import texts
from maverick_tui.tasks.database import hide_values
from maverick_tui.tasks.lookup import MOST, Candidate, is_clear, says_more, without_number
from maverick_tui.tasks.models import Task
from maverick_tui.tasks.store import Status, TaskStore, WrongInput, given_up
from maverick_tui.tasks.words import folded
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

Answer = dict[str, Any]
UNCLEAR = "what you would like to do"
"""What is missing where a call makes no sense at all."""

BULK_PHRASES: dict[tuple[str, Status], str] = {
    ("complete", "open"): "yes complete all",
    ("delete", "all"): "yes delete all",
    ("delete", "completed"): "yes delete completed",
    ("delete", "open"): "yes delete open",
}
"""What must be said before many tasks are changed at once."""


class Toolbox:
    """What the tools do for one user. One that `is_confirmed` only takes a task by the name that a question gave it.

    It lasts as long as a connection, and remembers what it has asked there. From more than `most_changes` tasks on,
    changing them one by one is a big action too. `asked` are the tasks that the user was asked about before, by the
    names that they were given there: such a name means that very task, even if others have its words, and with its id
    even if others have its number by now. With `keeps_offers` those that are asked about here count as well.
    """

    def __init__(
        self,
        store: TaskStore,
        user_id: str,
        *,
        asks: bool,
        is_confirmed: bool,
        most_changes: int | None = None,
        asked: Mapping[str, int | None] | None = None,
        keeps_offers: bool = False,
    ) -> None:
        self._store = store
        self._user_id = user_id
        self._asks = asks
        self._is_confirmed = is_confirmed
        self._most_changes = most_changes
        self._asked: dict[tuple[str, str], Candidate | None] = {}
        """What was asked about here, by the phrase that confirms it and the name of the task."""
        self._changed: set[int] = set()
        self._renamed: dict[int, str] = {}
        """What tasks were called when the message came; nobody has been told their new name yet."""
        self._known = {folded(name): (name, task_id) for name, task_id in (asked or {}).items()}
        self._keeps_offers = keeps_offers

    @property
    def context(self) -> ToolContext:
        """What a call is made with, so that it works on this user's tasks."""
        return ToolContext(inputs={"toolbox": self})

    async def safely(self, work: Callable[[], Answer]) -> Answer:
        """The answer of a tool, whatever happens; the database is queried in a thread."""
        late = threading.Event()
        before = given_up.set(late)
        try:
            return await in_thread(work)
        except WrongInput as error:
            return failed("invalid", texts.needs(error.what), missing=error.what)
        except Exception as error:  # the log says what it was; the user is told that it did not work
            hide_values(error)
            log.exception("A tool of the task list failed")
            return failed("system", texts.SYSTEM_ERROR)
        finally:
            late.set()  # a thread that nobody is waiting for may not change anything
            given_up.reset(before)

    def add(self, title: str, notes: str, priority: str, due: str | None, tags: list[str]) -> Answer:
        """Add a task."""
        task = self._store.add(self._user_id, title, notes=notes, priority=priority, due=due, tags=tags)
        return done(task)

    def list(self, status: Status, priority: str | None, tag: str | None) -> Answer:
        """List tasks."""
        page = self._store.list(self._user_id, status=status, priority=priority, tag=tag)
        return {"success": True, "data": {"tasks": [task.view() for task in page.tasks], "total": page.total}}

    def named(self, words: str, act: Callable[[Candidate], Answer], *, guesses: bool = False) -> Answer:
        """Do something with the task that is meant, or ask which one it is; with `guesses`, even a guess counts."""
        words = one_line(words)
        if not words:
            return failed("invalid", texts.needs("the task"), missing="the task")
        name, task_id = self._known.get(folded(words), ("", None))
        if self._is_confirmed or task_id is not None:
            if exact := self._store.called(self._user_id, name or words, task_id):
                return act(exact)
            self._known.pop(folded(words), None)
            if self._is_confirmed or without_number(name):  # which may be another's number by now
                return failed("not_found", texts.not_found(words), query=words)
        found = self._store.find(self._user_id, f'"{words}"' if name else words)
        if not found:
            return failed("not_found", texts.not_found(words), query=words)
        names = [one.name for one in found][:MOST]
        if len(found) > 1:
            return self._offer("ambiguous", texts.ambiguous(words, names), words, found[:MOST])
        if not is_clear(words, found[0].title) and (not guesses or says_more(words, found[0].title)):
            return self._offer("not_found", texts.did_you_mean(words, names[0]), words, found)
        return act(found[0])

    def _offer(self, code: str, question: str, words: str, found: Sequence[Candidate]) -> Answer:
        """Let the user choose one of these."""
        if self._keeps_offers:
            self._known.update({folded(one.name): (one.name, one.id) for one in found})
        ids = {one.name: one.id for one in found}
        return failed(code, question, query=words, options=list(ids), ids=ids)

    def complete(self, found: Candidate) -> Answer:
        """Mark it as done."""
        if self._is_too_much(found):
            return self._ask(texts.confirm_bulk(texts.MANY_PHRASE), texts.MANY_PHRASE, found)
        return _or_gone(self._store.complete(self._user_id, found.id, titled=found.title), found)

    def change(self, found: Candidate, changes: Mapping[str, Any]) -> Answer:
        """Change what is given."""
        if not changes:
            return failed("invalid", texts.needs("what to change"), missing="what to change")
        if self._is_too_much(found):
            return self._ask(texts.confirm_bulk(texts.MANY_PHRASE), texts.MANY_PHRASE, found)
        changed = self._store.update(self._user_id, found.id, titled=found.title, **changes)
        # Where changes are counted they are all those of one message, and nobody has seen an answer in between.
        if self._most_changes is not None and changed is not None and changed.title != found.title:
            self._renamed.setdefault(found.id, found.title)
        return _or_gone(changed, found, before=found.title)

    def _is_too_much(self, found: Candidate) -> bool:
        """Whether so many were changed before that this one must be asked about; one task counts once."""
        if self._most_changes is None or found.id in self._changed:
            return False
        if len(self._changed) >= self._most_changes:
            return True
        self._changed.add(found.id)
        return False

    def delete(self, words: str, confirmation: str = "") -> Answer:
        """Delete a task, or ask first. What was asked about here may be confirmed here."""
        is_said = is_phrase(confirmation, texts.DELETE_PHRASE)
        if is_said and (about := self._asked.pop((texts.DELETE_PHRASE, words), None)):
            return self._delete(about)
        return self.named(words, self._ask_to_delete if self._asks else self._delete, guesses=self._asks)

    def _ask_to_delete(self, found: Candidate) -> Answer:
        if before := self._renamed.get(found.id):
            return failed("invalid", texts.just_renamed(before, found.title))
        return self._ask(texts.confirm_delete(found.name), texts.DELETE_PHRASE, found)

    def _delete(self, found: Candidate) -> Answer:
        return _or_gone(self._store.delete(self._user_id, found.id, titled=found.title), found)

    def _ask(self, question: str, phrase: str, about: Candidate | None = None) -> Answer:
        """Ask for a phrase, which counts as an answer once."""
        self._asked[phrase, about.name if about else ""] = about
        details = {"title": about.name, "ids": {about.name: about.id}} if about else {}
        return failed("confirm", question, phrase=phrase, **details)

    def _is_confirmed_here(self, confirmation: str, phrase: str) -> bool:
        if not is_phrase(confirmation, phrase) or (phrase, "") not in self._asked:
            return False
        del self._asked[phrase, ""]
        return True

    def bulk(self, action: str, status: Status, confirmation: str = "") -> Answer:
        """Change many tasks, or ask first."""
        phrase = BULK_PHRASES[action, status]
        if self._asks and not self._is_confirmed_here(confirmation, phrase):
            if self._store.count(self._user_id, status):
                return self._ask(texts.confirm_bulk(phrase), phrase)
            return {"success": True, "data": {"count": 0}}
        if action == "complete":
            count = self._store.complete_all(self._user_id)
        else:
            count = self._store.delete_all(self._user_id, status)
        return {"success": True, "data": {"count": count}}


def is_phrase(said: str, phrase: str) -> bool:
    """Whether these are the words that confirm something; a comma between them and a full stop make no difference."""
    return said.strip().removesuffix(".").lower().replace(",", " ").split() == phrase.split()


def done(task: Task, **more: Any) -> Answer:
    """What a tool answers when it has worked."""
    return {"success": True, "data": {**task.view(), **more}}


def _or_gone(task: Task | None, found: Candidate, **more: Any) -> Answer:
    """Somebody else may have removed it in the meantime."""
    if task is None:
        return failed("not_found", texts.not_found(found.title), query=found.title)
    return done(task, **more)


def without_ids(answer: Mapping[str, Any]) -> Answer:
    """What a tool answered, for a model: what it is not told, it cannot tell."""

    def left(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: left(item) for name, item in value.items() if name not in ("id", "ids")}
        return [left(item) for item in value] if isinstance(value, list) else value

    cleaned: Answer = left(answer)
    return cleaned


def failed(code: str, message: str, **details: Any) -> Answer:
    """What a tool answers when it has not; `message` is what the user should be told."""
    return {"success": False, "error": {"code": code, "message": message, **details}}
