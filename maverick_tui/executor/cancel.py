"""CancelToken: tells an execution to stop, from any task or thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress


class CancelToken:
    """Once cancelled, it stays cancelled. One token may stop several executions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._listeners: list[Callable[[], None]] = []

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
