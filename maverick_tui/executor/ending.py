"""Ending: how an execution ends. It finishes, is cancelled, or runs out of time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from maverick_tui.exceptions import AgentError, TimeoutError
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.limits import LimitError
from maverick_tui.executor.result import TerminateReason

log = logging.getLogger(__name__)

GRACE = 0.02
"""Seconds that cancelled work has to end; whatever takes longer is abandoned."""


class Stop(Exception):
    """The work has ended for this reason, which need not be an error."""

    def __init__(self, reason: TerminateReason, error: AgentError | None = None) -> None:
        self.reason = reason
        self.error = error


class Ending:
    """Watches one execution; `deadline` is its caller's, or its own if that comes first."""

    def __init__(self, cancel: CancelToken, deadline: float | None) -> None:
        self.deadline = deadline
        self._cancel = cancel
        self._whose = "by its caller's time limit"
        self._has_let_go = False
        self._began = 0.0

    @property
    def has_begun(self) -> bool:
        """Whether nothing more may start; a client may have swallowed the cancellation."""
        return self._has_let_go or self._cancel.is_cancelled

    @property
    def worked_ms(self) -> float:
        """How long ago it began."""
        return (asyncio.get_running_loop().time() - self._began) * 1000

    def begin(self, milliseconds: float | None, *, used: float) -> None:
        """Start the clock: it has this much time, less what was used before."""
        self._began = asyncio.get_running_loop().time()
        if milliseconds is None:
            return
        own = self._began + (milliseconds - used) / 1000
        if self.deadline is None or own <= self.deadline:
            self.deadline, self._whose = own, f"after {milliseconds / 1000:g} s, by its time limit"

    async def of(
        self, work: Coroutine[Any, Any, None], wind_up: Callable[[AgentError | None], None], *, trace_id: str
    ) -> tuple[TerminateReason, AgentError | None]:
        """Let it work until it is done, cancelled, or out of time; `wind_up` then ends everything that was started."""
        loop = asyncio.get_running_loop()
        stop: asyncio.Future[AgentError] = loop.create_future()

        def halt(why: AgentError) -> None:
            if not stop.done():
                stop.set_result(why)

        def halt_soon() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(halt, self._stopped())

        timer = None if self.deadline is None else loop.call_at(self.deadline, halt, self._late())
        forget = self._cancel.listen(halt_soon)
        task = loop.create_task(work, name="maverick-loop")
        task.add_done_callback(_look_at)
        both: set[asyncio.Future[Any]] = {task, stop}
        error: AgentError | None = None
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            await self._let_go(task)
            reason, error = self._outcome(task, stop, trace_id)
        except asyncio.CancelledError:
            await self._let_go(task)
            raise
        finally:
            forget()
            if timer is not None:
                timer.cancel()
            wind_up(error)
        return reason, error

    async def _let_go(self, task: asyncio.Task[None]) -> None:
        if not task.done():
            self._has_let_go = True
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)

    def _late(self) -> AgentError:
        return TimeoutError(
            f"The execution was ended {self._whose}.", hint="Raise timeout_ms, or make the task smaller."
        )

    def _stopped(self) -> AgentError:
        return AgentError(
            f"The execution was stopped: {self._cancel.reason}.", hint="What was said until then is kept."
        )

    def _outcome(
        self, task: asyncio.Task[None], stop: asyncio.Future[AgentError], trace_id: str
    ) -> tuple[TerminateReason, AgentError | None]:
        is_ended = task.done() and not task.cancelled()
        failure = task.exception() if is_ended else None
        if is_ended and failure is None:
            return TerminateReason.COMPLETE, None
        if stop.done():
            why = stop.result()
            return TerminateReason.TIMEOUT if why.kind == "timeout" else TerminateReason.CANCELLED, why
        if self._cancel.is_cancelled:
            return TerminateReason.CANCELLED, self._stopped()
        if isinstance(failure, Stop):
            return failure.reason, failure.error
        if isinstance(failure, LimitError):
            return TerminateReason.BUDGET, failure
        if isinstance(failure, AgentError):
            return TerminateReason.TIMEOUT if failure.kind == "timeout" else TerminateReason.ERROR, failure
        if failure is None:
            return TerminateReason.ERROR, AgentError("The call to the model was cancelled, but not by us.")
        log.error("An execution failed unexpectedly", exc_info=failure, extra={"trace_id": trace_id})
        wrapped = AgentError(f"{type(failure).__name__}: {failure}", hint="This is a bug in the agent's code.")
        wrapped.__cause__ = failure
        return TerminateReason.ERROR, wrapped


def _look_at(task: asyncio.Task[None]) -> None:
    """Retrieve a failure, so that asyncio does not complain about one that came too late to matter."""
    if not task.cancelled():
        task.exception()
