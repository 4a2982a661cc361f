"""Loop: one execution. Ask, run the tools, ask again; and stop at once when it is told to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from maverick_tui.exceptions import AgentError, TimeoutError
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
from maverick_tui.executor.failures import RefusalError
from maverick_tui.executor.limits import LimitError, ended_by
from maverick_tui.executor.messages import (
    Message,
    Response,
    Role,
    StopReason,
    ToolCall,
    distinct_id,
)
from maverick_tui.executor.output import Parsed
from maverick_tui.executor.plan import Parts, Plan, prepare
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.executor.resuming import Resumed, add_answers, suspension_of
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.suspension import Suspension
from maverick_tui.executor.tools import Tool, ToolContext

log = logging.getLogger(__name__)

GRACE = 0.02
"""Seconds that what was cancelled has to end; whoever takes longer is left to himself."""


class _Stop(Exception):
    def __init__(self, reason: TerminateReason, error: AgentError | None = None) -> None:
        self.reason = reason
        self.error = error


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
        self._trace_id = trace_id
        self._parent = parent
        own_depth = plan.definition.tools.max_depth
        self._depth_left = own_depth if depth_left is None else min(own_depth, depth_left)
        self._deadline = deadline
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
        )
        self._turns = self._repairs = 0
        self._turn: Turn | None = None
        self._content = ""
        self._parsed: Parsed | None = None
        self._completed: tuple[Any] | None = None
        self._subagents: dict[str, ExecutionMetrics] = {}
        self._running: dict[str, Loop] = {}
        """Subagents under way, by the call that they serve."""
        self._is_stopping = self._is_over = self._is_answered = False
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
                reason, error = await self._ended()
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

    async def _ended(self) -> tuple[TerminateReason, AgentError | None]:
        """Work until it is done, cancelled, or out of time; then bring everything that has begun to its end."""
        loop = asyncio.get_running_loop()
        stop: asyncio.Future[AgentError] = loop.create_future()

        def halt(why: AgentError) -> None:
            if not stop.done():
                stop.set_result(why)

        def halt_soon() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(halt, self._stopped())

        timer = self._set_timer(halt)
        forget = self._cancel.listen(halt_soon)
        work = loop.create_task(self._work(), name="maverick-loop")
        work.add_done_callback(_look_at)
        both: set[asyncio.Future[Any]] = {work, stop}
        error: AgentError | None = None
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            await self._let_go(work)
            reason, error = self._outcome(work, stop)
        except asyncio.CancelledError:
            await self._let_go(work)
            raise
        finally:
            forget()
            if timer is not None:
                timer.cancel()
            self._wind_up(error)
        return reason, error

    def _set_timer(self, halt: Callable[[AgentError], None]) -> asyncio.TimerHandle | None:
        """Have it end at its own limit, or at that of whoever has called it."""
        limit = self._plan.definition.run.timeout_ms
        whose = "by the time limit of its caller"
        if limit is not None:
            own = self._began + limit / 1000
            if self._deadline is None or own <= self._deadline:
                self._deadline, whose = own, f"after {limit / 1000:g} s, by its time limit"
        if self._deadline is None:
            return None
        late = TimeoutError(f"The execution was ended {whose}.", hint="Raise timeout_ms, or make the task smaller.")
        return asyncio.get_running_loop().call_at(self._deadline, halt, late)

    async def _let_go(self, work: asyncio.Task[None]) -> None:
        if not work.done():
            self._is_stopping = True
            work.cancel()
            await asyncio.wait({work}, timeout=GRACE)

    def _stopped(self) -> AgentError:
        return AgentError(
            f"The execution was stopped: {self._cancel.reason}.", hint="What was said until then is kept."
        )

    def _outcome(
        self, work: asyncio.Task[None], stop: asyncio.Future[AgentError]
    ) -> tuple[TerminateReason, AgentError | None]:
        is_ended = work.done() and not work.cancelled()
        failure = work.exception() if is_ended else None
        if is_ended and failure is None:
            return TerminateReason.COMPLETE, None
        if stop.done():
            why = stop.result()
            return TerminateReason.TIMEOUT if why.kind == "timeout" else TerminateReason.CANCELLED, why
        if self._cancel.is_cancelled:
            return TerminateReason.CANCELLED, self._stopped()
        if isinstance(failure, _Stop):
            return failure.reason, failure.error
        if isinstance(failure, LimitError):
            return TerminateReason.BUDGET, failure
        if isinstance(failure, AgentError):
            return TerminateReason.TIMEOUT if failure.kind == "timeout" else TerminateReason.ERROR, failure
        if failure is None:
            return TerminateReason.ERROR, AgentError("The call of the model was cancelled, but not by us.")
        log.error("An execution failed unexpectedly", exc_info=failure, extra={"trace_id": self._trace_id})
        wrapped = AgentError(f"{type(failure).__name__}: {failure}", hint="This is a mistake of the agent's code.")
        wrapped.__cause__ = failure
        return TerminateReason.ERROR, wrapped

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
            self._content = partial
            self._messages.append(Message(Role.ASSISTANT, partial))

    def _result(self, reason: TerminateReason, error: AgentError | None) -> ExecutionResult[Any]:
        is_complete = reason is TerminateReason.COMPLETE
        output: Any = self._content if self._is_answered else None
        parsed = self._parsed
        if self._plan.reader is not None:
            output = parsed.value if parsed is not None and self._is_answered else None
        elif self._completed is not None:
            output = self._completed[0]
        has_failed = parsed is not None and bool(parsed.errors)
        return ExecutionResult(
            success=is_complete and not has_failed,
            terminate_reason=reason,
            raw_content=self._content,
            output=output,
            output_valid=None if parsed is None else not parsed.errors,
            output_errors=() if parsed is None else parsed.errors,
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
            duration_ms=(asyncio.get_running_loop().time() - self._began) * 1000,
            model_ms=self._asker.seconds * 1000,
            subagents=dict(self._subagents),
        )

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
        self._is_answered = True
        if overrun := self._overrun():
            raise overrun

    def _check_turns(self) -> None:
        limits = self._plan.definition.run
        before = 0 if self._resumed is None else self._resumed.suspension.turns
        if limits.max_turns is not None and self._turns + before >= limits.max_turns:
            raise _Stop(
                TerminateReason.MAX_TURNS,
                LimitError(
                    f"The agent was not done after {limits.max_turns} turns.", hint="Raise max_turns, or ask for less."
                ),
            )

    def _check_going_on(self) -> None:
        if self._is_stopping or self._cancel.is_cancelled:  # also where a client has swallowed the cancellation
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
        response = self._with_own_ids(turn, response)
        self._add_answer(response)
        if response.tool_calls:
            await self._run_tools(turn, response)
            return self._completed is None
        again = self._wants_repair()
        self._end_turn(turn, response.stop_reason)
        return again

    def _add_answer(self, response: Response) -> None:
        message = response.message
        if message.content or message.tool_calls:
            self._messages.append(message)
        if response.content or not response.tool_calls:
            self._content = response.content

    def _with_own_ids(self, turn: Turn, response: Response) -> Response:
        """The answer with an id for each call that no other has, here or in a subagent; there are endpoints that count
        anew each time. An agent that streams has asked for its ids already, see `Request.own_id`.
        """
        calls = []
        for call in response.tool_calls:
            if call.id in turn.named:
                turn.named.remove(call.id)
                calls.append(call)
                continue
            own = distinct_id(call.id, self._call_ids)
            self._call_ids.add(own)
            calls.append(call if own == call.id else replace(call, id=own))
        return replace(response, tool_calls=tuple(calls)) if calls else response

    async def _resume(self, resumed: Resumed) -> bool:
        """Make the calls that were waiting, as was decided; whether the model is to be asked."""
        self._check_going_on()
        await self._run_calls(self._begin_turn(), resumed.suspension.pending, StopReason.TOOL_USE)
        return self._completed is None

    async def _run_tools(self, turn: Turn, response: Response) -> None:
        await self._run_calls(turn, response.tool_calls, response.stop_reason)

    async def _run_calls(self, turn: Turn, wanted: Sequence[ToolCall], reason: StopReason) -> None:
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
                deadline=self._deadline,
                inputs=self._plan.values,
            ),
            parent=self._parent,
            approve=self._parts.approve if self._resumed is None else self._resumed.decide(self._parts.approve),
        )
        if self._is_stopping:
            raise asyncio.CancelledError
        await calls.run()
        answers = calls.close()
        if calls.suspended and calls.completed is None:
            self._suspension = suspension_of(
                self._plan, self._messages, wanted, answers, calls.suspended, self._spending, self._turns, self._resumed
            )
        add_answers(self._messages, answers)
        turn.calls = None
        self._completed = self._accepted(calls.completed)
        self._end_turn(turn, reason)
        if self._suspension is not None:
            raise _Stop(TerminateReason.SUSPENDED)
        if calls.is_over_limit and self._completed is None:
            raise ended_by("the limit of tool calls is reached", limit="max_tool_calls")

    def _accepted(self, completed: tuple[Any] | None) -> tuple[Any] | None:
        """What a tool has handed in to end the execution, unless it does not fit, and is to be handed in again."""
        return None if completed is not None and self._wants_repair(completed) else completed

    def _wants_repair(self, handed_in: tuple[Any] | None = None) -> bool:
        """Read the output, and tell the model what is wrong with it, as often as that is wanted."""
        reader, config = self._plan.reader, self._plan.definition.output
        if reader is None or config is None:
            return False
        self._parsed = reader.read(self._content) if handed_in is None else reader.check(handed_in[0])
        if not self._parsed.errors or self._repairs >= config.repair_turns:
            return False
        limit = self._plan.definition.run.max_turns
        if limit is not None and self._turns >= limit:
            return False
        self._repairs += 1
        self._messages.append(Message.user(reader.complaint(self._parsed.errors)))
        return True

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


def _look_at(work: asyncio.Task[None]) -> None:
    """Take note of a failure, so that nobody complains of one that came too late to matter."""
    if not work.cancelled():
        work.exception()
