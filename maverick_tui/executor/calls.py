"""Calls: the tool calls of one turn, run in parallel. Whatever happens to a call, the model gets an answer to it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from maverick_tui.exceptions import AgentError, did_you_mean
from maverick_tui.executor import tracing
from maverick_tui.executor.activity import Activity, ToolCallFinished, ToolCallStarted
from maverick_tui.executor.cancel import StoppedError, is_being_cancelled
from maverick_tui.executor.definition import ToolConfig
from maverick_tui.executor.model.messages import Message, ToolCall
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.tools import Tool, ToolContext, ToolError
from maverick_tui.masking.redact import beginning
from maverick_tui.shown import words_of

log = logging.getLogger(__name__)

WAITS = "This call is waiting for a decision."
NOT_BELOW = "This call needs a decision that may take a while, and a subagent cannot wait for one."
CUT_OFF = "This call was cut off before it was answered."
STOPPED = "The user has stopped this call before it was answered. What it has done until then is done."
NO_MORE_CALLS = "This call was not made: the limit on tool calls has been reached."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about a call; a plain `Verdict()` lets it happen as the model wants it.

    `refusal` says why it may not be made, and is told to the model; `arguments` replace the model's own.
    """

    refusal: str = ""
    arguments: Mapping[str, Any] | None = None
    suspends: bool = False
    """Whether the decision comes later: the execution ends as `suspended` once the turn's other calls have ended."""


Approve: TypeAlias = Callable[[Tool, ToolCall], Awaitable[Verdict]]
"""Decides whether a call may be made: an async function that is given the tool and the call before each one.

The calls of a turn are put to it in parallel. The time it takes counts as the run's, not the tool's. If it raises, the
call is not made, and the model is told of the error as the failure of the call.
"""


class _Suspended(Exception):
    """The decision about a call comes later."""


class Calls:
    """The calls of one turn; `close` gives an answer for each of them, in their order."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        tools: Mapping[str, Tool],
        *,
        config: ToolConfig,
        spending: Spending,
        emit: Callable[[Activity], None],
        context: ToolContext,
        parent: str = "",
        approve: Approve | None = None,
    ) -> None:
        self._calls = calls
        self._tools = tools
        self._config = config
        self._spending = spending
        self._emit = emit
        self._context = context
        self._parent = parent
        self._approve = approve
        self._began: dict[str, float] = {}
        self._answers: dict[str, Message] = {}
        self.completed: tuple[Any] | None = None
        """What a tool that ends the execution has returned."""
        self.suspended: set[str] = set()
        """Calls whose decision comes later."""
        self.is_over_limit = False
        self._is_closed = False

    async def run(self) -> None:
        """Run all of them, and wait for all, even when cancelled."""
        free = asyncio.Semaphore(self._config.max_parallel)
        async with asyncio.TaskGroup() as group:
            for call in self._calls:
                group.create_task(self._answer(call, free))

    def close(self) -> list[Message]:
        """The answers; calls that have none were cut off, and whatever they still return is ignored."""
        self._is_closed = True
        for call in self._calls:
            if call.id in self.suspended:
                self._answers[call.id] = Message.result(call.id, WAITS, is_error=True)
            elif call.id in self._began and call.id not in self._answers:
                self._finish(call, CUT_OFF, is_error=True)
            elif call.id not in self._answers:
                self._answers[call.id] = Message.result(call.id, CUT_OFF, is_error=True)
        return [self._answers[call.id] for call in self._calls]

    async def _answer(self, call: ToolCall, free: asyncio.Semaphore) -> None:
        self._begin(call)
        if not self._spending.count_tool_call():
            self.is_over_limit = True
            self._finish(call, NO_MORE_CALLS, is_error=True)
            return
        async with free:
            try:
                found = self._found(call)
                value = await self._traced(found, call)
                text = as_text(value)
            except _Suspended:
                self.suspended.add(call.id)
                took = (time.perf_counter() - self._began[call.id]) * 1000
                self._emit(ToolCallFinished(call.id, WAITS, is_error=True, duration_ms=took, parent=self._parent))
            except AgentError as error:
                self._finish(call, str(error), is_error=True)
            except BaseException as error:  # something for the model to know
                if isinstance(error, asyncio.CancelledError) and is_being_cancelled():
                    raise
                log.debug(
                    "The tool %s failed",
                    call.tool_name,
                    exc_info=True,
                    extra={"trace_id": self._context.trace_id},
                )
                self._finish(call, f"{type(error).__name__}: {words_of(error)}", is_error=True)
            else:
                if getattr(found, "completes", False) and self.completed is None:
                    self.completed = (value,)
                self._finish(call, text)

    def _begin(self, call: ToolCall) -> None:
        self._began[call.id] = time.perf_counter()
        self._emit(ToolCallStarted(call, self._parent))

    def _finish(self, call: ToolCall, text: str, *, is_error: bool = False) -> None:
        if call.id in self._answers:  # it was cut off, but is still running
            return
        text = self._capped(text)
        took = (time.perf_counter() - self._began[call.id]) * 1000
        self._answers[call.id] = Message.result(call.id, text, is_error=is_error)
        self._emit(ToolCallFinished(call.id, text, is_error, took, self._parent))

    def _found(self, call: ToolCall) -> Tool:
        if call.tool_name not in self._tools:
            meant = did_you_mean(call.tool_name, self._tools)
            raise AgentError(
                f"There is no tool named {call.tool_name!r}.",
                kind="tool",
                hint=meant or f"Available: {', '.join(self._tools) or 'none'}.",
            )
        if call.invalid:
            raise AgentError(
                f"The arguments of {call.tool_name} are not a JSON object: {beginning(call.invalid, 200)}",
                kind="tool",
                hint="Send them again.",
            )
        return self._tools[call.tool_name]

    async def _traced(self, found: Tool, call: ToolCall) -> Any:
        about = {"operation.name": "execute_tool", "tool.name": call.tool_name, "tool.call.id": call.id}
        with tracing.span(f"execute_tool {call.tool_name}", about):
            return await self._call(found, call)

    async def _call(self, found: Tool, call: ToolCall) -> Any:
        arguments: dict[str, Any] = dict(call.arguments)
        if self._approve is not None:
            verdict = await self._approve(found, call)
            if verdict.refusal:
                raise ToolError(verdict.refusal)
            if verdict.suspends and self._parent:
                raise ToolError(NOT_BELOW)
            if verdict.suspends:
                raise _Suspended
            if verdict.arguments is not None:
                arguments = dict(verdict.arguments)
        if self._is_closed:
            raise asyncio.CancelledError
        own: float | None = getattr(found, "timeout", None)
        seconds = self._config.timeout_ms / 1000 if own is None else own
        at = asyncio.get_running_loop().time() + seconds
        deadlines = [when for when in (at, self._context.deadline) if when is not None and when != float("inf")]
        context = replace(self._context, call_id=call.id, deadline=min(deadlines, default=None))
        try:
            async with asyncio.timeout(seconds) as limit:
                return await context.cancel.alone(call.id, found.execute(arguments, context))
        except StoppedError as error:
            raise ToolError(STOPPED, kind="tool") from error
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolError(f"{call.tool_name} took longer than {seconds:g} s.", kind="timeout") from error

    def _capped(self, text: str) -> str:
        most = self._config.max_result_chars
        if len(text) <= most:
            return text
        return f"{text[:most]}\n\n[cut here: {len(text) - most:,} of {len(text):,} characters are left out]"


def as_text(value: Any) -> str:
    """What a tool returned, as the model reads it: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    from pydantic_core import to_json

    return to_json(value).decode()
