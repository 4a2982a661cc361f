"""Loop: one execution from its beginning to its end, with what it tells on the way, and what came of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.executor import journal, tracing
from maverick_tui.executor.activity import Activity, ErrorOccurred
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import AgentDefinition
from maverick_tui.executor.ending import Ending
from maverick_tui.executor.loop import Turns
from maverick_tui.executor.plan import Parts, Plan, prepare
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.executor.resuming import Resumed
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.subagents import AgentTool, Subagents
from maverick_tui.executor.tools import Tool, ToolContext

log = logging.getLogger(__name__)


class Loop:
    """One execution of a plan. A subagent's has the call that it serves as `parent`, and spends from `above`."""

    def __init__(
        self,
        parts: Parts,
        plan: Plan,
        *,
        emit: Callable[[Activity], None] | None,
        cancel: CancelToken,
        trace_id: str = "",
        parent: str = "",
        depth_left: int | None = None,
        call_ids: set[str] | None = None,
        above: Spending | None = None,
        deadline: float | None = None,
        resumed: Resumed | None = None,
    ) -> None:
        self._parts = parts
        self._plan = plan
        self._listener = emit
        self._cancel = cancel
        self._ending = Ending(cancel, deadline)
        self._trace_id = trace_id
        self._parent = parent
        own_depth = plan.definition.tools.max_depth
        self._depth_left = own_depth if depth_left is None else min(own_depth, depth_left)
        self._call_ids = set() if call_ids is None else call_ids
        self._call_ids.update(call.id for message in plan.messages for call in message.tool_calls)
        self._resumed = resumed
        self._spending = Spending(plan.definition.run, above if resumed is None else resumed.spending(plan))
        self._subagents = Subagents(self._begin_agent)
        self._turns = Turns(
            parts,
            plan,
            self._with_agents(),
            self._spending,
            self._ending,
            emit=self._emit,
            context=self._context,
            parent=parent,
            call_ids=self._call_ids,
            resumed=resumed,
        )
        self._is_over = False

    # -- life -------------------------------------------------------------------------------------------------------

    async def run(self) -> ExecutionResult[Any]:
        """Run to the end, whichever it is."""
        used = 0.0 if self._resumed is None else self._resumed.suspension.duration_ms
        self._ending.begin(self._plan.definition.run.timeout_ms, used=used)
        name = self._plan.definition.name
        with tracing.span(f"invoke_agent {name}", operation_name="invoke_agent", agent_name=name) as span:
            self._trace_id = self._trace_id or tracing.trace_id()
            journal.record("execution_start", self._trace_id, name, parent=self._parent)
            reason, error = TerminateReason.CANCELLED, None
            try:
                reason, error = await self._ending.of(self._turns.run(), self.wind_up, trace_id=self._trace_id)
            finally:
                result = self._result(reason, error)
                self._record_end(result)
            if error is not None:
                span.fail(error)
            usage = result.metrics.usage
            span.set(usage_input_tokens=usage.all_input, usage_output_tokens=usage.output_tokens)
        return result

    def _record_end(self, result: ExecutionResult[Any]) -> None:
        journal.record(
            "execution_end",
            self._trace_id,
            self._plan.definition.name,
            reason=result.terminate_reason.value,
            turns=self._turns.count,
            input_tokens=result.metrics.total_input_tokens,
            output_tokens=result.metrics.total_output_tokens,
            duration_ms=round(result.metrics.duration_ms, 3),
            parent=self._parent,
        )

    def wind_up(self, error: AgentError | None) -> None:
        """Close what is open: subagents, an answer that was cut off, calls without an answer, the turn."""
        if self._is_over:
            return
        self._subagents.wind_up()
        self._turns.close(error)
        if error is not None:
            self._emit(ErrorOccurred(error, parent=self._parent))
        self._turns.end()
        self._is_over = True

    def _result(self, reason: TerminateReason, error: AgentError | None) -> ExecutionResult[Any]:
        draft = self._turns.draft
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
            turn_count=self._turns.count,
            messages=tuple(self._turns.messages),
            metrics=self.metrics(),
            trace_id=self._trace_id,
            suspension=self._turns.suspension,
        )

    def metrics(self) -> ExecutionMetrics:
        """What it has used so far."""
        usage, asker, below = self._spending.usage, self._turns.asker, self._subagents.used.values()
        return ExecutionMetrics(
            total_input_tokens=usage.input_tokens,
            total_output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            invocations=asker.invocations + sum(one.invocations for one in below),
            retries=asker.retries + sum(one.retries for one in below),
            tool_calls=self._spending.tool_calls,
            turns=self._turns.count,
            cost_usd=self._spending.cost_usd,
            duration_ms=self._ending.worked_ms,
            model_ms=asker.seconds * 1000,
            subagents=dict(self._subagents.used),
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
            **{name: AgentTool(self._parts.agents[name], self._subagents.run) for name in names},
        }

    def _begin_agent(self, definition: AgentDefinition, inputs: Mapping[str, Any], context: ToolContext) -> Loop:
        plan = prepare(self._parts, definition, inputs, (), needs_price=self._spending.needs_price)
        return Loop(
            self._parts,
            plan,
            emit=self._listener,
            cancel=self._cancel,
            trace_id=self._trace_id,
            parent=context.call_id,
            depth_left=self._depth_left - 1,
            call_ids=self._call_ids,
            above=self._spending,
            deadline=context.deadline,
        )
