"""Loop: what an execution does: ask, run the tools, ask again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.activity import TurnEnded, TurnStarted
from maverick_tui.executor.asking import AskedTurn, Asker, Frame
from maverick_tui.executor.calls import Calls
from maverick_tui.executor.ending import Ending, Stop
from maverick_tui.executor.limits import LimitError, ended_by
from maverick_tui.executor.model.failures import RefusalError
from maverick_tui.executor.model.messages import Message, Response, Role, StopReason, ToolCall
from maverick_tui.executor.output import Draft
from maverick_tui.executor.result import TerminateReason
from maverick_tui.executor.suspension import Resumed, Suspension, add_answers, at_calls
from maverick_tui.executor.tools import Tool, ToolContext


class Loop:
    """The turns of one execution; `context` gives what its tools are told. The conversation is in `messages`."""

    def __init__(
        self, frame: Frame, tools: Mapping[str, Tool], ending: Ending, context: Callable[[], ToolContext]
    ) -> None:
        self._plan, self._spending, self._resumed = frame.plan, frame.spending, frame.resumed
        self._approve, self._emit, self._parent = frame.parts.approve, frame.emit, frame.parent
        self._between = frame.parts.between
        self._tools = tools
        self._ending = ending
        self._context = context
        self._turn: AskedTurn | None = None
        self.asker = Asker(frame, self._check_going_on)
        repairs = 0 if frame.resumed is None else frame.resumed.suspension.repairs
        self.draft = Draft(frame.plan.reader, repairs=repairs)
        self.messages = list(frame.plan.messages)
        self.suspension: Suspension | None = None
        self.count = 0

    async def run(self) -> None:
        """Ask and run tools until the model is done; any other end is raised."""
        is_going_on = True
        if self._resumed is not None:
            is_going_on = await self._resume(self._resumed)
        while is_going_on:
            self._check_turns()
            await self.asker.measure(self.messages, self._tools.values())
            self._check_going_on()
            turn = self._begin_turn()
            response = await self.asker.ask(turn, self.messages, self._tools.values())
            is_going_on = await self._go_on(turn, response)
        self.draft.is_final = True
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
        return most is not None and before + self.count >= most

    def _check_going_on(self) -> None:
        if self._ending.has_begun:
            raise asyncio.CancelledError
        if objection := self._spending.objection(self._plan.price):
            raise objection

    def _overrun(self) -> LimitError | None:
        """The limit that was exceeded, here or together with the part before it was resumed."""
        before = self._spending.above if self._resumed is not None else None
        return self._spending.overrun() or (None if before is None else before.overrun())

    async def _go_on(self, turn: AskedTurn, response: Response) -> bool:
        """Take an answer; returns whether to ask the model again."""
        if response.stop_reason is StopReason.MAX_TOKENS:
            # The last calls of an answer that was cut off are incomplete.
            self._add_answer(replace(response, tool_calls=()))
            self._end_turn(turn, response.stop_reason)
            raise ended_by(
                "the answer was cut off because it ran out of tokens",
                limit="max_tokens",
                hint="Raise max_tokens, or the limits on tokens and dollars, or ask for less.",
            )
        if response.tool_calls and (overrun := self._overrun()):
            self._add_answer(replace(response, tool_calls=()))
            self._end_turn(turn, response.stop_reason)
            raise overrun
        response = self.asker.with_own_ids(turn, response)
        self._add_answer(response)
        if response.tool_calls:
            await self._run_calls(turn, response.tool_calls, response.stop_reason)
            return self.draft.handed_in is None
        again = self._wants_repair()
        self._end_turn(turn, response.stop_reason)
        return again

    def _add_answer(self, response: Response) -> None:
        message = response.message
        if message.content or message.tool_calls:
            self.messages.append(message)
        if response.content or not response.tool_calls:
            self.draft.content = response.content

    async def _resume(self, resumed: Resumed) -> bool:
        """Make the calls that were waiting, as decided; returns whether to ask the model."""
        self._check_going_on()
        waiting, handed_in = resumed.suspension.pending, resumed.suspension.handed_in
        await self._run_calls(self._begin_turn(), waiting, StopReason.TOOL_USE, handed_in)
        return self.draft.handed_in is None

    async def _run_calls(
        self, turn: AskedTurn, wanted: Sequence[ToolCall], reason: StopReason, handed_in: tuple[Any] | None = None
    ) -> None:
        calls = turn.calls = Calls(
            wanted,
            self._tools,
            config=self._plan.definition.tools,
            spending=self._spending,
            emit=self._emit,
            context=self._context(),
            parent=self._parent,
            approve=self._approve if self._resumed is None else self._resumed.decide(self._approve),
        )
        if self._ending.has_begun:
            raise asyncio.CancelledError
        await calls.run()
        answers, handed_in = calls.close(), handed_in or calls.completed
        if calls.suspended:
            self._suspend(wanted, answers, calls.suspended, handed_in)
        add_answers(self.messages, answers)
        turn.calls = None
        if self.suspension is None and handed_in is None and not self._parent and (words := self._between()):
            self.messages.append(Message.user(words))
        if self.suspension is None and handed_in is not None and not self._wants_repair(handed_in):
            self.draft.handed_in = handed_in
        self._end_turn(turn, reason)
        if self.suspension is not None:
            raise Stop(TerminateReason.SUSPENDED)
        if calls.is_over_limit and self.draft.handed_in is None:
            raise ended_by("the limit on tool calls has been reached", limit="max_tool_calls")

    def _suspend(
        self,
        wanted: Sequence[ToolCall],
        answers: Sequence[Message],
        waiting: Collection[str],
        handed_in: tuple[Any] | None,
    ) -> None:
        """Note where it stands after the calls of a turn, some of which are waiting."""
        before, after = at_calls(self.messages)
        here = Suspension(
            self._plan.definition.name,
            before,
            (*after, *(answer for answer in answers if answer.tool_call_id not in waiting)),
            tuple(call for call in wanted if call.id in waiting),
            usage=self._spending.usage,
            cost_usd=self._spending.cost_usd,
            tool_calls=self._spending.tool_calls - len(waiting),  # they are counted when they are made
            turns=self.count,
            repairs=self.draft.repairs,
            duration_ms=self._ending.worked_ms,
            handed_in=handed_in,
        )
        self.suspension = here if self._resumed is None else self._resumed.together_with(here)

    def _wants_repair(self, handed_in: tuple[Any] | None = None) -> bool:
        """Read the output, and tell the model what is wrong with it, as often as is allowed."""
        complaint = self.draft.complaint(handed_in, is_last_turn=self._was_last_turn)
        if complaint:
            self.messages.append(Message.user(complaint))
        return bool(complaint)

    def _begin_turn(self) -> AskedTurn:
        self.count += 1
        self._turn = AskedTurn(self.count)
        self._emit(TurnStarted(self.count, self._parent))
        return self._turn

    def _end_turn(self, turn: AskedTurn, reason: StopReason | None) -> None:
        if self._turn is turn:
            self._turn, turn.is_open = None, False
            self._emit(TurnEnded(turn.number, turn.spent, reason, self._parent))

    # -- the end ----------------------------------------------------------------------------------------------------

    def close(self, error: AgentError | None) -> None:
        """Answer calls that have no answer, and keep what the model had said when it was cut off."""
        turn = self._turn
        if turn is not None and turn.calls is not None:
            add_answers(self.messages, turn.calls.close())
        elif turn is not None and (partial := self.asker.give_up(turn)) and not isinstance(error, RefusalError):
            self.draft.content = partial
            self.messages.append(Message(Role.ASSISTANT, partial))

    def end(self) -> None:
        """End the turn that is open."""
        if self._turn is not None:
            self._end_turn(self._turn, None)
