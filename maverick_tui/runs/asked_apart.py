"""AskedApart: the conversations that an agent's own code has open apart from its run, so that they end with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from maverick_tui.exceptions import AgentError

ENDS_WITHIN = 3.0
"""Seconds in which a conversation ends that was told to; who cancels `execute` waits longer."""


class AskedApart:
    """Those of one run. In a thread each has an event loop of its own, which no cancellation of ours reaches."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: dict[object, asyncio.Task[Any]] = {}
        """What asks, for each conversation."""
        self._one_ended = asyncio.Event()
        self._is_over = False

    @contextmanager
    def known(self, *, is_cut: bool) -> Iterator[None]:
        """Know of the conversation that the current task has meanwhile. AgentError if none may begin any more."""
        task = asyncio.current_task()
        assert task is not None
        one = object()
        self._tasks[one] = task  # before anything is looked at: from another thread it may end just now
        try:
            if is_cut or self._is_over:
                raise AgentError("The run for which this is asked was told to end.", hint="Ask in another run.")
            yield
        finally:
            del self._tasks[one]
            with suppress(RuntimeError):  # nobody waits: the loop of the run is gone
                self._loop.call_soon_threadsafe(self._one_ended.set)

    async def end(self, *, for_good: bool = False) -> None:
        """End those in threads, which have not heard that `execute` was cancelled; or `for_good` all that there are."""
        self._is_over = self._is_over or for_good
        ending = set[object]()
        for one, task in self._tasks.copy().items():
            if task.get_loop() is not self._loop:
                with suppress(RuntimeError):  # its loop has ended meanwhile
                    task.get_loop().call_soon_threadsafe(task.cancel)
            elif for_good and not task.cancelling():
                task.cancel()
            else:
                continue
            ending.add(one)
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDS_WITHIN):
                while ending & self._tasks.keys():
                    self._one_ended.clear()
                    await self._one_ended.wait()
