"""AgentExecutor: runs definitions with one model and a set of tools."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Generic, Self

from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.executor.activity import Activity
from maverick_tui.executor.calls import Approve, Verdict
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import AgentDefinition, T
from maverick_tui.executor.execution import Execution
from maverick_tui.executor.model import pricing
from maverick_tui.executor.model.messages import Agent, Image, Message, TakesTime
from maverick_tui.executor.plan import Parts, prepare
from maverick_tui.executor.result import ExecutionResult
from maverick_tui.executor.suspension import Resumed, Suspension
from maverick_tui.executor.tools import Tool, ToolRegistry
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

OnActivity = Callable[[Activity], None]


class AgentExecutor:
    """Asks a model, runs the tools that it calls, and asks again, until it is done or a limit is reached.

    It keeps nothing between executions, and several may run at the same time. `agents` are definitions that others
    may call as tools; `approve` is asked before each tool call, and `between` after them for what
    a person wants to add before the model goes on. No call gets an id of `call_ids`; new ones are put there.
    """

    def __init__(
        self,
        agent: Agent,
        tools: ToolRegistry | Iterable[Tool | Callable[..., Any]] = (),
        *,
        agents: Mapping[str, AgentDefinition] | None = None,
        approve: Approve | None = None,
        between: Callable[[], str] = lambda: "",
        call_ids: set[str] | None = None,
    ) -> None:
        registry = tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)
        self._parts = Parts(agent, registry, agents or {}, approve, between, call_ids)

    async def execute(
        self,
        definition: AgentDefinition[T] | type[Any],
        *,
        inputs: Mapping[str, Any] | None = None,
        cancel: CancelToken | None = None,
        on_activity: OnActivity | None = None,
        history: Sequence[Message] = (),
        images: Sequence[Image] = (),
    ) -> ExecutionResult[T]:
        """Run it to the end. Failures on the way are part of the result; wrong inputs raise a `ConfigError`, and a tool
        that does not exist an `InvalidToolError`, before anything is spent. `history` is the conversation that it
        continues. `definition` may also be what `registry.get(name)` returns for a registered one. `images` are shown
        with the task.
        """
        return await self._run(definition, inputs, cancel, on_activity, history, images=images)

    async def resume(
        self,
        definition: AgentDefinition[T] | type[Any],
        suspension: Suspension,
        decisions: Mapping[str, Verdict] | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        cancel: CancelToken | None = None,
        on_activity: OnActivity | None = None,
    ) -> ExecutionResult[T]:
        """Continue an execution that ended as `suspended`, in this process or another, with what was decided since.

        `decisions` are verdicts by call id; `approve` is asked about a call without one. `inputs` must be given again,
        as they are not part of the state. Metrics and events cover what happens from here on.
        """
        resumed = Resumed(suspension, decisions or {})
        history = (*suspension.messages, *suspension.answers)
        return await self._run(definition, inputs, cancel, on_activity, history, resumed=resumed)

    async def _run(
        self,
        definition: AgentDefinition[T] | type[Any],
        inputs: Mapping[str, Any] | None,
        cancel: CancelToken | None,
        on_activity: OnActivity | None,
        history: Sequence[Message],
        *,
        images: Sequence[Image] = (),
        resumed: Resumed | None = None,
    ) -> ExecutionResult[T]:
        if on_activity is not None and inspect.iscoroutinefunction(on_activity):
            raise ConfigError(
                "on_activity cannot be an async function.", hint="Let it put the event in a queue, or use stream()."
            )
        parts = self._parts
        if not isinstance(definition, AgentDefinition):
            parts, definition = _with_own_tools(parts, definition), _definition_of(definition)
        if resumed is not None:
            resumed.check(definition)
        if not pricing.is_read():  # in a thread: it takes longer than the event loop may block
            await in_thread(pricing.price_of, parts.model_of(definition))
        plan = prepare(parts, definition, inputs or {}, history, images=images, is_resumed=resumed is not None)
        cancel = cancel or CancelToken()
        await self._get_ready(cancel)
        return await Execution(parts, plan, emit=on_activity, cancel=cancel, resumed=resumed).run()

    async def _get_ready(self, cancel: CancelToken) -> None:
        """Wait until the model can be asked at once, so that starting its client does not count as the run's time."""
        model = self._parts.model
        if not isinstance(model, TakesTime) or model.is_ready:
            return
        work, stop = asyncio.ensure_future(model.get_ready()), asyncio.ensure_future(cancel.wait())
        try:
            await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            stop.cancel()
            await asyncio.wait({work, stop})
        if not work.cancelled() and (failure := work.exception()) is not None:
            log.debug("The model could not get ready, and will say why when it is asked: %s", failure)

    def stream(
        self,
        definition: AgentDefinition[T] | type[Any],
        *,
        inputs: Mapping[str, Any] | None = None,
        cancel: CancelToken | None = None,
        on_activity: OnActivity | None = None,
        history: Sequence[Message] = (),
        images: Sequence[Image] = (),
    ) -> ExecutionStream[T]:
        """The same, as an iterator of its events; `result` is there once it has ended."""
        start = partial(self.execute, definition, inputs=inputs, history=history, images=images)
        return ExecutionStream(start, cancel or CancelToken(), on_activity)


class ExecutionStream(Generic[T]):
    """The events of one execution as they come. It starts when the first one is asked for.

    Closing it, or leaving it as a context, ends the execution; `result` then says how far it got and what it cost.
    Dropping it ends the execution, too.
    """

    def __init__(
        self,
        execute: Callable[..., Coroutine[Any, Any, ExecutionResult[T]]],
        cancel: CancelToken,
        on_activity: OnActivity | None,
    ) -> None:
        unread, news = self._unread, self._news = deque[Activity](), asyncio.Event()

        def take(event: Activity) -> None:
            unread.append(event)
            news.set()
            if on_activity is not None:
                on_activity(event)

        # A token of its own: the caller's may stop other executions as well.
        self._stop = stop = CancelToken()
        self._follow = partial(cancel.listen, lambda: stop.cancel(cancel.reason))
        # The task must not refer to this object, or nobody would notice that it was dropped.
        self._start = partial(execute, cancel=stop, on_activity=take)
        self._task: asyncio.Task[ExecutionResult[T]] | None = None
        self._is_closed = False

    def __aiter__(self) -> AsyncIterator[Activity]:
        return self

    async def __anext__(self) -> Activity:
        news = self._news
        if self._task is None and not self._is_closed:
            self._task = asyncio.create_task(self._start(), name="maverick-execution")
            self._task.add_done_callback(lambda _task: news.set())
            forget = self._follow()
            self._task.add_done_callback(lambda _task: forget())
        while not self._unread:
            if self._task is None or self._task.done():
                if self._task is not None and not self._is_closed:
                    self._task.result()  # raises what execute() raises
                raise StopAsyncIteration
            news.clear()
            await news.wait()
        return self._unread.popleft()

    @property
    def result(self) -> ExecutionResult[T]:
        """The outcome, even if it was closed early."""
        if self._task is None or not self._task.done() or self._task.cancelled():
            raise AgentError("The execution has not ended.", kind="invalid", hint="Read all of its events first.")
        return self._task.result()

    async def aclose(self) -> None:
        """End the execution if it is still running; its events so far and its `result` can still be read."""
        self._is_closed = True
        if self._task is not None:
            self._stop.cancel("its stream was closed")
            await asyncio.wait({self._task})

    def __del__(self) -> None:
        """End an execution that nobody can read any more."""
        task = getattr(self, "_task", None)
        if task is not None and not task.done():
            with suppress(RuntimeError):  # its event loop has ended
                task.get_loop().call_soon_threadsafe(task.cancel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _definition_of(registered: type[Any]) -> AgentDefinition[Any]:
    found = getattr(registered, "definition", None)
    if not isinstance(found, AgentDefinition):
        raise ConfigError(
            f"{registered!r} was not made from a definition.",
            hint="Give an AgentDefinition, or what the registry returns for one; others have an execute of their own.",
        )
    return found


def _with_own_tools(parts: Parts, registered: type[Any]) -> Parts:
    """The parts with the tools that were registered along with a definition."""
    brought = ToolRegistry(getattr(registered, "own_tools", ()))
    return replace(parts, tools=ToolRegistry([*(one for one in parts.tools if one.name not in brought), *brought]))
