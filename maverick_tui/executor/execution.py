"""Execution: one execution from beginning to end, what it reports on the way, and what comes of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from maverick_tui.exceptions import AgentError
from maverick_tui.executor import journal, tracing
from maverick_tui.executor.activity import Activity, ErrorOccurred
from maverick_tui.executor.asking import Frame
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import TASK, AgentDefinition
from maverick_tui.executor.ending import Ending
from maverick_tui.executor.loop import Loop
from maverick_tui.executor.plan import Parts, Plan, prepare
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.suspension import Resumed
from maverick_tui.executor.tools import Tool, ToolContext, ToolError

log = logging.getLogger(__name__)

RunAgent: TypeAlias = Callable[[AgentDefinition, Mapping[str, Any], ToolContext], Awaitable[ExecutionResult[Any]]]


class Execution:
    """One execution of a plan. A subagent's serves the `call` of the one `above`, and spends from that one's limits."""

    def __init__(
        self,
        parts: Parts,
        plan: Plan,
        *,
        emit: Callable[[Activity], None] | None,
        cancel: CancelToken,
        resumed: Resumed | None = None,
        above: Execution | None = None,
        call: ToolContext | None = None,
    ) -> None:
        self._parts = parts
        self._plan = plan
        self._listener = emit
        self._cancel = cancel
        self._ending = Ending(cancel, None if call is None else call.deadline)
        self._trace_id: str = "" if above is None else above._trace_id
        self._parent = "" if call is None else call.call_id
        own_depth = plan.definition.tools.max_depth
        self._depth_left: int = own_depth if above is None else min(own_depth, above._depth_left - 1)
        known = set[str]() if parts.call_ids is None else parts.call_ids
        self._call_ids: set[str] = known if above is None else above._call_ids
        self._call_ids.update(call.id for message in plan.messages for call in message.tool_calls)
        self._resumed = resumed
        before = above._spending if above is not None else None if resumed is None else resumed.spending(plan)
        self._spending: Spending = Spending(plan.definition.run, before)
        self._below: dict[str, Execution] = {}
        """The subagents in progress, by the calls that they serve."""
        self._used_below: dict[str, ExecutionMetrics] = {}
        frame = Frame(parts, plan, self._spending, self._emit, self._parent, self._call_ids, resumed)
        self._loop = Loop(frame, self._with_agents(), self._ending, self._context)
        self._is_over = False

    # -- life -------------------------------------------------------------------------------------------------------

    async def run(self) -> ExecutionResult[Any]:
        """Run to the end, whatever that is."""
        used = 0.0 if self._resumed is None else self._resumed.suspension.duration_ms
        self._ending.begin(self._plan.definition.run.timeout_ms, used=used)
        name = self._plan.definition.name
        with tracing.span(f"invoke_agent {name}", {"operation.name": "invoke_agent", "agent.name": name}) as span:
            self._trace_id = self._trace_id or tracing.trace_id()
            journal.record("execution_start", self._trace_id, name, parent=self._parent)
            reason, error = TerminateReason.CANCELLED, None
            try:
                reason, error = await self._ending.of(self._loop.run(), self.wind_up, trace_id=self._trace_id)
            finally:
                result = self._result(reason, error)
                self._record_end(result)
            if error is not None:
                span.fail(error)
            usage = result.metrics.usage
            span.set({"usage.input_tokens": usage.all_input, "usage.output_tokens": usage.output_tokens})
        return result

    def _record_end(self, result: ExecutionResult[Any]) -> None:
        journal.record(
            "execution_end",
            self._trace_id,
            self._plan.definition.name,
            reason=result.terminate_reason.value,
            turns=self._loop.count,
            input_tokens=result.metrics.total_input_tokens,
            output_tokens=result.metrics.total_output_tokens,
            duration_ms=round(result.metrics.duration_ms, 3),
            parent=self._parent,
        )

    def wind_up(self, error: AgentError | None) -> None:
        """Close what is open: subagents, an unfinished answer, unanswered calls, the turn."""
        if self._is_over:
            return
        for call_id, one in self._below.items():
            one.wind_up(None)
            self._used_below[call_id] = one.metrics()
        self._loop.close(error)
        if error is not None:
            self._emit(ErrorOccurred(error, parent=self._parent))
        self._loop.end()
        self._is_over = True

    def _result(self, reason: TerminateReason, error: AgentError | None) -> ExecutionResult[Any]:
        draft = self._loop.draft
        parsed = draft.parsed
        errors = () if parsed is None else parsed.errors
        return ExecutionResult(
            success=reason is TerminateReason.COMPLETE and not errors,
            terminate_reason=reason,
            raw_content=draft.content,
            output=draft.output,
            output_valid=None if parsed is None else not errors,
            output_errors=errors,
            error=error,
            turn_count=self._loop.count,
            messages=tuple(self._loop.messages),
            metrics=self.metrics(),
            trace_id=self._trace_id,
            suspension=self._loop.suspension,
        )

    def metrics(self) -> ExecutionMetrics:
        """What it has used so far."""
        usage, asker, below = self._spending.usage, self._loop.asker, self._used_below.values()
        return ExecutionMetrics(
            total_input_tokens=usage.input_tokens,
            total_output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            invocations=asker.invocations + sum(one.invocations for one in below),
            retries=asker.retries + sum(one.retries for one in below),
            tool_calls=self._spending.tool_calls,
            turns=self._loop.count,
            cost_usd=self._spending.cost_usd,
            duration_ms=self._ending.worked_ms,
            model_ms=asker.seconds * 1000,
            subagents=dict(self._used_below),
        )

    def _emit(self, event: Activity) -> None:
        if self._is_over:
            return
        journal.record_activity(event, self._trace_id, self._plan.definition.name)
        if self._listener is not None:
            try:
                self._listener(event)
            except Exception:  # whoever watches must not change what happens
                log.exception("on_activity failed for a %s", event.type, extra={"trace_id": self._trace_id})

    # -- tools ------------------------------------------------------------------------------------------------------

    def _context(self) -> ToolContext:
        return ToolContext(
            trace_id=self._trace_id,
            agent=self._plan.definition.name,
            cancel=self._cancel,
            deadline=self._ending.deadline,
            inputs=self._plan.values,
        )

    def _with_agents(self) -> dict[str, Tool]:
        names = self._plan.definition.tools.agents if self._depth_left > 0 else ()
        return {
            **self._plan.tools,
            **{name: AgentTool(self._parts.agents[name], self._run_agent) for name in names},
        }

    async def _run_agent(
        self, definition: AgentDefinition, inputs: Mapping[str, Any], context: ToolContext
    ) -> ExecutionResult[Any]:
        plan = prepare(self._parts, definition, inputs, (), needs_price=self._spending.needs_price)
        one = Execution(self._parts, plan, emit=self._listener, cancel=self._cancel, above=self, call=context)
        self._below[context.call_id] = one
        try:
            return await one.run()
        finally:
            del self._below[context.call_id]
            self._used_below[context.call_id] = one.metrics()


class AgentTool:
    """An agent as a tool: takes its declared inputs, and the task if its definition has none of its own."""

    is_read_only = True  # it acts through its own tools, and each of their calls is approved by itself

    def __init__(self, definition: AgentDefinition, run: RunAgent) -> None:
        self._definition = definition
        self._run = run
        self.name = definition.name
        self.description = definition.description or f"The agent {definition.name}."
        limit = definition.run.timeout_ms
        self.timeout = float("inf") if limit is None else limit / 1000 + 1  # its own limit comes first

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its inputs."""
        properties: dict[str, Any] = {}
        required = []
        if self._definition.needs_task:
            properties[TASK] = {"type": "string", "description": "What the agent should do."}
            required.append(TASK)
        for spec in self._definition.inputs.specs:
            properties[spec.name] = {"type": spec.type, "description": spec.description}
            if spec.choices:
                properties[spec.name]["enum"] = list(spec.choices)
            if spec.required:
                required.append(spec.name)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Run the agent; its answer is the result, and a failure includes what it had said."""
        result = await self._run(self._definition, arguments, context)
        if result.success:
            return result.output if result.output is not None else result.raw_content
        why = result.error or "; ".join(result.output_errors) or result.terminate_reason.value
        said = f"\n\nIt had said:\n{result.raw_content}" if result.raw_content else ""
        raise ToolError(f"The agent {self.name} did not finish ({result.terminate_reason.value}): {why}{said}")
