"""IndexThread: asks the index of all runs in a thread of its own, so that no key waits for the disk."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from maverick_tui.exceptions import MaverickError
from maverick_tui.history.index import RunIndex
from maverick_tui.inert import one_line
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

T = TypeVar("T")
_TOLD_EVERY = 0.1
"""Seconds between two words on how far the index has come."""

_WAITED_FOR = 2.0
"""Seconds for which somebody who leaves waits for the index; it may be in the middle of a large journal."""


class _Question(NamedTuple):
    kind: str
    number: int
    ask: Callable[[RunIndex], Iterable[Any]]
    answered: Callable[[Any], None]


class _Left(Exception):
    """Nobody waits for the index any longer."""


class IndexThread:
    """Of the questions of one kind only the last counts: those before it are dropped, and so are their answers.

    An answer may come in several parts; between two of them a newer question takes over.
    """

    def __init__(self, failed: Callable[[str], None], progress: Callable[[int, int], None]) -> None:
        """`failed` is told why there is no answer, `progress` how many of how many runs have been read."""
        self._loop = asyncio.get_running_loop()
        self._failed = failed
        self._progress = progress
        self._changed = threading.Condition()
        self._waiting: dict[str, _Question] = {}
        self._numbers = itertools.count(1)
        self._last: dict[str, int] = {}
        self._is_closed = False
        self._told_at = 0.0
        self._ended = threading.Event()
        self._at_end: Callable[[], None] | None = None
        self._is_last = False
        """Whether the index takes in what was done at the end: somebody waits for that."""
        threading.Thread(target=self._work, name="maverick-history", daemon=True).start()

    def ask(self, kind: str, question: Callable[[RunIndex], Iterable[T]], answered: Callable[[T], None]) -> None:
        """Ask; `answered` hears each part, in the loop."""
        with self._changed:
            self._last[kind] = number = next(self._numbers)
            self._waiting[kind] = _Question(kind, number, question, answered)
            self._changed.notify()

    async def close(self, at_end: Callable[[], None] | None) -> None:
        """Answer nothing more. What is to be done as the last thing is waited for, and the index knows of it then."""
        with self._changed:
            self._at_end, self._is_closed = at_end, True
            self._waiting.clear()
            self._changed.notify()
        await in_thread(self._ended.wait, None if at_end is not None else _WAITED_FOR)

    # -- in the thread ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        index: RunIndex | None = None
        try:
            while (question := self._next()) is not None:
                try:
                    index = index or RunIndex(on_progress=self._tell_progress)
                    self._answer(index, question)
                except _Left:
                    break
                except Exception as error:  # whatever the disk or the index does to us, the screen stays
                    self._tell(self._failed, _reason(error))
            if self._at_end is not None:
                self._at_end()
                if index is not None:
                    self._is_last = True
                    index.refresh()
        except Exception as error:  # the same, though nobody may hear it any more
            log.exception("What was to be done when the history was left has failed")
            self._tell(self._failed, _reason(error))
        finally:
            if index is not None:
                index.close()
            self._ended.set()

    def _next(self) -> _Question | None:
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            return None if self._is_closed else self._waiting.pop(next(iter(self._waiting)))

    def _answer(self, index: RunIndex, question: _Question) -> None:
        for part in question.ask(index):
            if not self._counts(question):
                return
            self._tell(self._hear, question, part)

    def _counts(self, question: _Question) -> bool:
        return not self._is_closed and self._last[question.kind] == question.number

    def _tell_progress(self, done: int, total: int) -> None:
        if self._is_closed and not self._is_last:
            raise _Left
        if time.monotonic() - self._told_at > _TOLD_EVERY:
            self._told_at = time.monotonic()
            self._tell(self._progress, done, total)

    def _tell(self, hear: Callable[..., None], *values: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended, so nobody listens
            self._loop.call_soon_threadsafe(hear, *values)

    # -- in the loop --------------------------------------------------------------------------------------------------

    def _hear(self, question: _Question, part: Any) -> None:
        if self._counts(question):  # another may have been asked while this was on its way
            question.answered(part)


def _reason(error: Exception) -> str:
    if isinstance(error, MaverickError):
        return one_line(str(error))
    return one_line(f"The runs cannot be read: {type(error).__name__}: {error}")
