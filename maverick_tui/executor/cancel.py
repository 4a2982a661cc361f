"""CancelToken: tells an execution to stop, from any task or thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class StoppedError(Exception):
    """A person has stopped one call; what was around it goes on."""


class CancelToken:
    """Once cancelled, it stays cancelled. One token may stop several executions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._listeners: list[Callable[[], None]] = []
        self._calls: dict[str, asyncio.Task[Any]] = {}
        self._stopped: set[str] = set()

    @property
    def is_cancelled(self) -> bool:
        """Whether it has been cancelled."""
        return self._reason is not None

    @property
    def reason(self) -> str:
        """Why; empty until it is cancelled."""
        return self._reason or ""

    def cancel(self, reason: str = "it was cancelled") -> None:
        """Stop everything that was given this token; only the first reason counts."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason or "it was cancelled"
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def cancel_call(self, call_id: str) -> bool:
        """Stop this one call of a tool, and nothing else; whether it was running. Only on the event loop."""
        if (task := self._calls.get(call_id)) is None:
            return False
        self._stopped.add(call_id)
        return task.cancel()

    async def alone(self, call_id: str, work: Coroutine[Any, Any, T]) -> T:
        """Do what a call is to do, so that it can be stopped by itself: then a `StoppedError` comes of it."""
        task = asyncio.create_task(work)
        self._calls[call_id] = task
        try:
            return await task
        except asyncio.CancelledError as error:
            if call_id in self._stopped and task.cancelled() and not is_being_cancelled():
                raise StoppedError from error
            raise
        finally:
            del self._calls[call_id]

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call this on cancellation, at once if it has happened; returns a function that removes the listener."""
        with self._lock:
            if self._reason is None:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def _forget(self, listener: Callable[[], None]) -> None:
        with self._lock, suppress(ValueError):
            self._listeners.remove(listener)

    async def wait(self) -> str:
        """Wait until it is cancelled; returns the reason."""
        loop, cancelled = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(cancelled.set)

        forget = self.listen(tell)
        try:
            await cancelled.wait()
        finally:
            forget()
        return self.reason


def is_being_cancelled() -> bool:
    """Whether this task itself is being cancelled, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
