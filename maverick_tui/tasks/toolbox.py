"""What the tools of the task list do to one user's tasks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from maverick_tui.executor.threads import in_thread
from maverick_tui.executor.tools import ToolContext
from maverick_tui.inert import one_line
from maverick_tui.tasks import texts
from maverick_tui.tasks.database import hide_values
from maverick_tui.tasks.lookup import MOST, Candidate, is_clear, says_more
from maverick_tui.tasks.models import Task
from maverick_tui.tasks.store import Status, TaskStore, WrongInput, given_up
from maverick_tui.tasks.words import folded

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
    """What the tools do for one user. One that `is_confirmed` takes a task by its whole title only.

    It lasts as long as a connection, and remembers what it has asked there. From more than `most_changes` tasks on,
    changing them one by one is a big action too. `offered` are the titles that the user was asked to choose from: one
    of them is that very task, also if others have its words. With `keeps_offers` those that are asked about here count
    as well.
    """

    def __init__(
        self,
        store: TaskStore,
        user_id: str,
        *,
        asks: bool,
        is_confirmed: bool,
        most_changes: int | None = None,
        offered: Iterable[str] = (),
        keeps_offers: bool = False,
    ) -> None:
        self._store = store
        self._user_id = user_id
        self._asks = asks
        self._is_confirmed = is_confirmed
        self._most_changes = most_changes
        self._asked: set[tuple[str, str]] = set()
        """The questions that were asked: the phrase that confirms each, and the title it is about."""
        self._changed: set[int] = set()
        self._offered = set(map(folded, offered))
        self._keeps_offers = keeps_offers

    @property
    def context(self) -> ToolContext:
        """What a call is made with, so that it works on this user's tasks."""
        return ToolContext(inputs={"toolbox": self})

    async def safely(self, work: Callable[[], Answer]) -> Answer:
        """The answer of a tool, whatever happens; the database is asked in a thread."""
        late = threading.Event()
        before = given_up.set(late)
        try:
            return await in_thread(work)
        except WrongInput as error:
            return failed("invalid", texts.needs(error.what), missing=error.what)
        except Exception as error:  # what it was is for the log; the user is told that it did not work
            hide_values(error)
            log.exception("A tool of the task list failed")
            return failed("system", texts.SYSTEM_ERROR)
        finally:
            late.set()  # a thread that nobody waits for any more may not change anything
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
        """Do something with the task that is meant, or ask which one it is; with `guesses` also if it only may be."""
        words = one_line(words)
        if not words:
            return failed("invalid", texts.needs("the task"), missing="the task")
        if self._is_confirmed:
            exact = self._store.titled(self._user_id, words)
            return act(exact) if exact else failed("not_found", texts.not_found(words), query=words)
        is_offered = folded(words) in self._offered
        found = self._store.find(self._user_id, f'"{words}"' if is_offered else words)
        if not found:
            return failed("not_found", texts.not_found(words), query=words)
        names = [one.name for one in found][:MOST]
        if len(found) > 1:
            return self._offer("ambiguous", texts.ambiguous(words, names), words, names)
        if not is_clear(words, found[0].title) and (not guesses or says_more(words, found[0].title)):
            return self._offer("not_found", texts.did_you_mean(words, names[0]), words, names)
        return act(found[0])

    def _offer(self, code: str, question: str, words: str, names: Sequence[str]) -> Answer:
        """Let the user choose one of these."""
        if self._keeps_offers:
            self._offered.update(map(folded, names))
        return failed(code, question, query=words, options=list(names))

    def complete(self, found: Candidate) -> Answer:
        """Mark it as done."""
        if self._is_too_much(found):
            return self._ask(texts.confirm_bulk(texts.MANY_PHRASE), texts.MANY_PHRASE, found.name)
        return _or_gone(self._store.complete(self._user_id, found.id, titled=found.title), found)

    def change(self, found: Candidate, changes: Mapping[str, Any]) -> Answer:
        """Change what is given."""
        if not changes:
            return failed("invalid", texts.needs("what to change"), missing="what to change")
        if self._is_too_much(found):
            return self._ask(texts.confirm_bulk(texts.MANY_PHRASE), texts.MANY_PHRASE, found.name)
        changed = self._store.update(self._user_id, found.id, titled=found.title, **changes)
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
        """Delete a task, or ask whether it is to be. What was asked about here may be confirmed here."""
        if self._is_answer(confirmation, texts.DELETE_PHRASE, words):
            found = self._store.titled(self._user_id, words)
            return self._delete(found) if found else failed("not_found", texts.not_found(words), query=words)
        return self.named(words, self._ask_to_delete if self._asks else self._delete, guesses=self._asks)

    def _ask_to_delete(self, found: Candidate) -> Answer:
        return self._ask(texts.confirm_delete(found.name), texts.DELETE_PHRASE, found.name)

    def _delete(self, found: Candidate) -> Answer:
        return _or_gone(self._store.delete(self._user_id, found.id, titled=found.title), found)

    def _ask(self, question: str, phrase: str, title: str = "") -> Answer:
        self._asked.add((phrase, title))
        about = {"title": title} if title else {}
        return failed("confirm", question, phrase=phrase, **about)

    def _is_answer(self, confirmation: str, phrase: str, title: str = "") -> bool:
        """Whether these words answer a question that was asked here; it is answered once."""
        if not is_phrase(confirmation, phrase) or (phrase, title) not in self._asked:
            return False
        self._asked.remove((phrase, title))
        return True

    def bulk(self, action: str, status: Status, confirmation: str = "") -> Answer:
        """Change many tasks, or ask whether they are to be."""
        phrase = BULK_PHRASES[action, status]
        if self._asks and not self._is_answer(confirmation, phrase):
            if self._store.count(self._user_id, status):
                return self._ask(texts.confirm_bulk(phrase), phrase)
            return {"success": True, "data": {"count": 0}}
        if action == "complete":
            count = self._store.complete_all(self._user_id)
        else:
            count = self._store.delete_all(self._user_id, status)
        return {"success": True, "data": {"count": count}}


def is_phrase(said: str, phrase: str) -> bool:
    """Whether these are the words that confirm something; a comma between them and a full stop are no other words."""
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
    """What a tool has answered, for a model: what it is not told it cannot tell."""

    def left(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: left(item) for name, item in value.items() if name != "id"}
        return [left(item) for item in value] if isinstance(value, list) else value

    cleaned: Answer = left(answer)
    return cleaned


def failed(code: str, message: str, **details: Any) -> Answer:
    """What a tool answers when it has not; `message` is what the user is to be told."""
    return {"success": False, "error": {"code": code, "message": message, **details}}
