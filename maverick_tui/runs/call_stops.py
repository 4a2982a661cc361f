"""CallStops: stops one call of a tool, or one subagent, while the turn goes on; acknowledged, and then confirmed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.events.kinds import (
    CallStopping,
    Event,
    Noticed,
    TaskProgressed,
    ToolCalled,
    ToolFinished,
    TurnEnded,
)
from maverick_tui.exceptions import AgentError

if TYPE_CHECKING:
    from maverick_tui.agent.engines import StopsCalls
    from maverick_tui.runs.log import EventLog
    from maverick_tui.runs.prompter import Prompter
    from maverick_tui.runs.questions import Questions

STOPS_WITHIN = 20.0
"""Seconds in which a call has to end that was told to."""
INSTEAD = "Interrupt the turn instead."
STOPPED_BY = "The user has stopped this call."


class CallStops:
    """Of one run."""

    def __init__(self, events: EventLog, questions: Questions) -> None:
        self._events = events
        self._questions = questions

    def stop(self, call: str, prompter: Prompter | None) -> Coroutine[Any, Any, None]:
        """Acknowledge that the call is to stop, at once; to stop it is what is returned."""
        self._tell(call, "asked")
        return self._stop(call, prompter)

    async def _stop(self, call: str, prompter: Prompter | None) -> None:
        told = [event for event in self._events.since(0) if getattr(event, "call", "") == call]
        since = len(self._events)
        if self._questions.refuse(call, STOPPED_BY):
            self._tell(call, "stopped")
            return
        why = await self._asked(call, told, prompter, since)
        if not why and not await self._has_ended(call, since, is_in_turn=not _is_answered(told)):
            why = f"It goes on all the same. {INSTEAD}"
        self._tell(call, "failed" if why else "stopped", why)
        if why:
            self._events.emit(Noticed(self._events.now(), "stop", why))

    def _tell(self, call: str, state: Literal["asked", "stopped", "failed"], reason: str = "") -> None:
        self._events.emit(CallStopping(self._events.now(), call, state, reason))

    async def _asked(self, call: str, told: Sequence[Event], prompter: Prompter | None, since: int) -> str:
        """Have the session stop it; why it cannot. What ends by itself meanwhile needs no session any more."""
        tool = next((event.name for event in told if isinstance(event, ToolCalled)), "")
        if not tool:
            return "There is no such call."
        if _is_answered(told) and not _is_alive(told):
            return f"{tool} has ended already."
        if prompter is None or not hasattr(prompter.session, "stop_call"):
            return f"This agent cannot stop a single call. {INSTEAD}"
        stopping = asyncio.ensure_future(cast("StopsCalls", prompter.session).stop_call(call, tool))
        ending = asyncio.ensure_future(self._has_ended(call, since, is_in_turn=not _is_answered(told)))
        try:
            await asyncio.wait({stopping, ending}, return_when=asyncio.FIRST_COMPLETED)
            why = stopping.result() if stopping.done() else ""
        except (AgentError, asyncio.TimeoutError) as error:
            why = error.message if isinstance(error, AgentError) else f"{tool} could not be stopped in time."
        finally:
            for waiting in (stopping, ending):
                waiting.cancel()
            await asyncio.gather(stopping, ending, return_exceptions=True)
        return f"{why} {INSTEAD}" if why else ""

    async def _has_ended(self, call: str, since: int, *, is_in_turn: bool) -> bool:
        """Whether the call comes to its end in time, by itself or, if it is part of that, with its turn."""
        reader = self._events.reader(since)
        try:
            async with asyncio.timeout(STOPS_WITHIN):
                while await self._events.wait(reader.number):
                    for event in reader.take():
                        if _ends(event, call) or (is_in_turn and isinstance(event, TurnEnded)):
                            return True
        except asyncio.TimeoutError:
            return False
        return True


def _is_answered(told: Sequence[Event]) -> bool:
    return any(isinstance(event, ToolFinished) for event in told)


def _is_alive(told: Sequence[Event]) -> bool:
    """Whether the call is a task that goes on, by the last that was told of it."""
    states = [event.state for event in told if isinstance(event, TaskProgressed)]
    return bool(states) and states[-1] not in ENDED_TASKS


def _ends(event: Event, call: str) -> bool:
    if isinstance(event, TaskProgressed):
        return event.call == call and event.state in ENDED_TASKS
    return isinstance(event, ToolFinished) and event.call == call
