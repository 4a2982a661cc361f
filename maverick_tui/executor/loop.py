"""Loop: one execution. Ask, run the tools, ask again; and stop at once when it is told to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.executor import journal, tracing
from maverick_tui.executor.activity import (
    Activity,
    ErrorOccurred,
    TurnEnded,
    TurnStarted,
)
from maverick_tui.executor.asking import Asker, Turn
from maverick_tui.executor.calls import Calls
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import AgentDefinition
from maverick_tui.executor.draft import Draft
from maverick_tui.executor.ending import Ending, Stop
from maverick_tui.executor.failures import RefusalError
from maverick_tui.executor.limits import LimitError, ended_by
from maverick_tui.executor.messages import (
    Message,
    Response,
    Role,
    StopReason,
    ToolCall,
)
from maverick_tui.executor.plan import Parts, Plan, prepare
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.executor.resuming import Resumed, add_answers, at_calls
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.suspension import Suspension
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
        self._messages = list(plan.messages)
        self._call_ids = set() if call_ids is None else call_ids
        self._call_ids.update(call.id for message in plan.messages for call in message.tool_calls)
        self._resumed = resumed
        self._suspension: Suspension | None = None
        self._spending = Spending(plan.definition.run, above if resumed is None else resumed.spending(plan))
        self._asker = Asker(
            parts,
            plan,
            self._spending,
            emit=self._emit,
            check=self._check_going_on,
            parent=parent,
            call_ids=self._call_ids,
            has_asked=resumed is not None,
        )
        self._draft = Draft(plan, repairs=0 if resumed is None else resumed.suspension.repairs)
        self._turns = 0
        self._turn: Turn | None = None
        self._subagents: dict[str, ExecutionMetrics] = {}
        self._running: dict[str, Loop] = {}
        """Subagents under way, by the call that they serve."""
        self._is_over = False
        self._tools = self._with_agents()

    # -- life -------------------------------------------------------------------------------------------------------

    async def run(self) -> ExecutionResult[Any]:
        """Run to the end, whichever it is."""
        self._began = asyncio.get_running_loop().time()
        name = self._plan.definition.name
        with tracing.span(f"invoke_agent {name}", operation_name="invoke_agent", agent_name=name) as span:
            self._trace_id = self._trace_id or tracing.trace_id()
            journal.record("execution_start", self._trace_id, name, parent=self._parent)
            reason, error = TerminateReason.CANCELLED, None
            try:
                if (limit := self._plan.definition.run.timeout_ms) is not None:
                    self._ending.limit(
                        limit, used=0.0 if self._resumed is None else self._resumed.suspension.duration_ms
                    )
                reason, error = await self._ending.of(self._work(), self._wind_up, trace_id=self._trace_id)
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
            turns=self._turns,
            input_tokens=result.metrics.total_input_tokens,
            output_tokens=result.metrics.total_output_tokens,
            duration_ms=round(result.metrics.duration_ms, 3),
            parent=self._parent,
        )

    def _wind_up(self, error: AgentError | None) -> None:
        """Close what is open: subagents, an answer that was cut off, calls without an answer, the turn."""
        if self._is_over:
            return
        for call_id, subagent in self._running.items():
            subagent._wind_up(None)
            self._subagents[call_id] = subagent._metrics()
        turn = self._turn
        if turn is not None and turn.calls is not None:
            add_answers(self._messages, turn.calls.close())
        elif turn is not None:
            self._keep_partial(turn, is_refused=isinstance(error, RefusalError))
        if error is not None:
            self._emit(ErrorOccurred(error, parent=self._parent))
        if turn is not None:
            self._end_turn(turn, None)
        self._is_over = True

    def _keep_partial(self, turn: Turn, *, is_refused: bool) -> None:
        partial = self._asker.give_up(turn)
        if partial and not is_refused:
            self._draft.content = partial
            self._messages.append(Message(Role.ASSISTANT, partial))

    def _result(self, reason: TerminateReason, error: AgentError | None) -> ExecutionResult[Any]:
        parsed = self._draft.parsed
        errors = () if parsed is None else parsed.errors
        return ExecutionResult(
            success=reason is TerminateReason.COMPLETE and not errors,
            terminate_reason=reason,
            raw_content=self._draft.content,
            output=self._draft.output,
            output_valid=None if parsed is None else not errors,
            output_errors=errors,
            error=error,
            turn_count=self._turns,
            messages=tuple(self._messages),
            metrics=self._metrics(),
            trace_id=self._trace_id,
            suspension=self._suspension,
        )

    def _metrics(self) -> ExecutionMetrics:
        usage, below = self._spending.usage, self._subagents.values()
        return ExecutionMetrics(
            total_input_tokens=usage.input_tokens,
            total_output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            invocations=self._asker.invocations + sum(one.invocations for one in below),
            retries=self._asker.retries + sum(one.retries for one in below),
            tool_calls=self._spending.tool_calls,
            turns=self._turns,
            cost_usd=self._spending.cost_usd,
            duration_ms=self._worked_ms,
            model_ms=self._asker.seconds * 1000,
            subagents=dict(self._subagents),
        )

    @property
    def _worked_ms(self) -> float:
        return (asyncio.get_running_loop().time() - self._began) * 1000

    # -- turns ------------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        is_going_on = True
        if self._resumed is not None:
            is_going_on = await self._resume(self._resumed)
        while is_going_on:
            self._check_turns()
            await self._asker.measure(self._messages, self._tools.values())
            self._check_going_on()
            turn = self._begin_turn()
            response = await self._asker.ask(turn, self._messages, self._tools.values())
            is_going_on = await self._go_on(turn, response)
        self._draft.is_final = True
        if overrun := self._overrun():
            raise overrun

    def _check_turns(self) -> None:
        if self._was_last_turn:
            most = self._plan.definition.run.max_turns
            error = LimitError(f"The agent was not done after {most} turns.", hint="Raise max_turns, or ask for less.")
            raise Stop(TerminateReason.MAX_TURNS, error)

    @property
    def _was_last_turn(self) -> bool:
        most = self._plan.definition.run.max_turns
        before = 0 if self._resumed is None else self._resumed.turns_over
        return most is not None and before + self._turns >= most

    def _check_going_on(self) -> None:
        if self._ending.has_begun:
            raise asyncio.CancelledError
        if objection := self._spending.objection(self._plan.price):
            raise objection

    def _overrun(self) -> LimitError | None:
        """The limit that was passed, here or together with the part before it was resumed."""
        before = self._spending.above if self._resumed is not None else None
        return self._spending.overrun() or (None if before is None else before.overrun())

    async def _go_on(self, turn: Turn, response: Response) -> bool:
        """Take an answer; whether the model is to be asked again."""
        if response.stop_reason is StopReason.MAX_TOKENS:
            # Calls at the end of an answer that was cut are not whole.
            self._add_answer(replace(response, tool_calls=()))
            self._end_turn(turn, response.stop_reason)
            raise ended_by(
                "the answer was cut off, for it had no more tokens",
                limit="max_tokens",
                hint="Raise max_tokens, or the limits on tokens and dollars, or ask for less.",
            )
        if response.tool_calls and (overrun := self._overrun()):
            self._add_answer(replace(response, tool_calls=()))
            self._end_turn(turn, response.stop_reason)
            raise overrun
        response = self._asker.with_own_ids(turn, response)
        self._add_answer(response)
        if response.tool_calls:
            await self._run_calls(turn, response.tool_calls, response.stop_reason)
            return self._draft.handed_in is None
        again = self._wants_repair()
        self._end_turn(turn, response.stop_reason)
        return again

    def _add_answer(self, response: Response) -> None:
        message = response.message
        if message.content or message.tool_calls:
            self._messages.append(message)
        if response.content or not response.tool_calls:
            self._draft.content = response.content

    async def _resume(self, resumed: Resumed) -> bool:
        """Make the calls that were waiting, as was decided; whether the model is to be asked."""
        self._check_going_on()
        waiting, handed_in = resumed.suspension.pending, resumed.suspension.handed_in
        await self._run_calls(self._begin_turn(), waiting, StopReason.TOOL_USE, handed_in)
        return self._draft.handed_in is None

    async def _run_calls(
        self, turn: Turn, wanted: Sequence[ToolCall], reason: StopReason, handed_in: tuple[Any] | None = None
    ) -> None:
        calls = turn.calls = Calls(
            wanted,
            self._tools,
            config=self._plan.definition.tools,
            spending=self._spending,
            emit=self._emit,
            context=ToolContext(
                trace_id=self._trace_id,
                agent=self._plan.definition.name,
                cancel=self._cancel,
                deadline=self._ending.deadline,
                inputs=self._plan.values,
            ),
            parent=self._parent,
            approve=self._parts.approve if self._resumed is None else self._resumed.decide(self._parts.approve),
        )
        if self._ending.has_begun:
            raise asyncio.CancelledError
        await calls.run()
        answers, handed_in = calls.close(), handed_in or calls.completed
        if calls.suspended:
            self._suspend(wanted, answers, calls.suspended, handed_in)
        add_answers(self._messages, answers)
        turn.calls = None
        if self._suspension is None and handed_in is not None and not self._wants_repair(handed_in):
            self._draft.handed_in = handed_in
        self._end_turn(turn, reason)
        if self._suspension is not None:
            raise Stop(TerminateReason.SUSPENDED)
        if calls.is_over_limit and self._draft.handed_in is None:
            raise ended_by("the limit of tool calls is reached", limit="max_tool_calls")

    def _suspend(
        self,
        wanted: Sequence[ToolCall],
        answers: Sequence[Message],
        waiting: Collection[str],
        handed_in: tuple[Any] | None,
    ) -> None:
        """Note where it stands after the calls of a turn, of which some wait."""
        before, after = at_calls(self._messages)
        here = Suspension(
            self._plan.definition.name,
            before,
            (*after, *(answer for answer in answers if answer.tool_call_id not in waiting)),
            tuple(call for call in wanted if call.id in waiting),
            usage=self._spending.usage,
            cost_usd=self._spending.cost_usd,
            tool_calls=self._spending.tool_calls - len(waiting),  # they are counted when they are made
            turns=self._turns,
            repairs=self._draft.repairs,
            duration_ms=self._worked_ms,
            handed_in=handed_in,
        )
        self._suspension = here if self._resumed is None else self._resumed.together_with(here)

    def _wants_repair(self, handed_in: tuple[Any] | None = None) -> bool:
        """Read the output, and tell the model what is wrong with it, as often as that is wanted."""
        complaint = self._draft.complaint(handed_in, is_last_turn=self._was_last_turn)
        if complaint:
            self._messages.append(Message.user(complaint))
        return bool(complaint)

    def _begin_turn(self) -> Turn:
        self._turns += 1
        self._turn = Turn(self._turns)
        self._emit(TurnStarted(self._turns, self._parent))
        return self._turn

    def _end_turn(self, turn: Turn, reason: StopReason | None) -> None:
        if self._turn is turn:
            self._turn, turn.is_open = None, False
            self._emit(TurnEnded(turn.number, turn.spent, reason, self._parent))

    def _emit(self, event: Activity) -> None:
        if self._is_over:
            return
        journal.record_activity(event, self._trace_id, self._plan.definition.name)
        if self._listener is not None:
            try:
                self._listener(event)
            except Exception:  # whoever watches must not change what happens
                log.exception("on_activity failed for a %s", event.type, extra={"trace_id": self._trace_id})

    # -- subagents --------------------------------------------------------------------------------------------------

    def _with_agents(self) -> dict[str, Tool]:
        tools = dict(self._plan.tools)
        if self._depth_left > 0:
            from maverick_tui.executor.subagents import AgentTool

            for name in self._plan.definition.tools.agents:
                tools[name] = AgentTool(self._parts.agents[name], self._run_agent)
        return tools

    async def _run_agent(
        self, definition: AgentDefinition, inputs: Mapping[str, Any], context: ToolContext
    ) -> ExecutionResult[Any]:
        plan = prepare(self._parts, definition, inputs, (), needs_price=self._spending.needs_price)
        loop = Loop(
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
        self._running[context.call_id] = loop
        try:
            return await loop.run()
        finally:
            del self._running[context.call_id]
            self._subagents[context.call_id] = loop._metrics()
