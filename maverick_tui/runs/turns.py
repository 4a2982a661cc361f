"""Turns: which turn is open, what comes in it, and what it has used. Exactly one end for each beginning."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from maverick_tui.agent.engine.claude.meter import Meter, Reading, added, usage_of
from maverick_tui.agent.engine.claude.notices import COMPACTING, LONGEST
from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.events.background import BY_ITSELF
from maverick_tui.events.kinds import (
    Event,
    Failure,
    ModelNamed,
    Noticed,
    Origin,
    Outcome,
    RequestStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from maverick_tui.exceptions import AgentError
from maverick_tui.runs.failures import failure_of

if TYPE_CHECKING:
    from claude_agent_sdk import Message

    from maverick_tui.agent.result import AgentUsage

log = logging.getLogger(__name__)


class Outlet:
    """Where the events of a run go. Whoever receives them cannot end the run by a mistake."""

    def __init__(self, on_event: Callable[[Event], None], clock: Callable[[], float]) -> None:
        self._on_event = on_event
        self.now = clock
        self.is_closed = False

    def emit(self, event: Event) -> None:
        """Hand the event on, unless the last one has been."""
        if self.is_closed:
            return
        try:
            self._on_event(event)
        except Exception:
            log.exception("%s could not be taken", type(event).__name__)


class OpenTurn:
    """A turn that has not ended yet; `idle` is set while nothing is being answered in it."""

    def __init__(self, number: int, text: str, origin: Origin, began: float) -> None:
        self.number = number
        self.text = text
        self.origin: Origin = origin
        self.began = began
        self.is_command = False
        """Whether it is a command of the engine's, and not words for the model."""
        self.is_asked = False
        self.is_cut = False
        """Whether somebody ended it on purpose."""
        self.error: BaseException | None = None
        self.usage: AgentUsage | None = None
        self.reading: Reading | None = None
        self.beside: list[Reading] = []
        """What the CLI has answered by itself before it came to this turn."""
        self.idle = asyncio.Event()
        self.idle.set()


class Turns:
    """The turns of one run: at most one is open. `on_change` is called when one has begun or ended."""

    def __init__(self, outlet: Outlet, on_change: Callable[[], None]) -> None:
        self.translator = Translator()
        self.meter = Meter()
        self.current: OpenTurn | None = None
        self._outlet = outlet
        self._on_change = on_change
        self._count = 0
        self._announced = ""
        """The prompt of a job that is about to begin a turn."""
        self._next_model = ""
        """The model that was chosen while another one was answering."""

    def begin(
        self, text: str = "", prompt_id: str = "", origin: Origin = "person", *, is_command: bool = False
    ) -> OpenTurn:
        """Open the next turn."""
        self._count += 1
        at = self._outlet.now()
        turn = self.current = OpenTurn(self._count, text, origin, at)
        turn.is_command = is_command
        self.translator.begin_turn()
        self._outlet.emit(TurnStarted(at, turn.number, text, prompt_id, origin, is_command))
        if is_command:
            self._outlet.emit(Noticed(at, "compacting", COMPACTING))
        self._on_change()
        return turn

    def change_model(self, model: str) -> None:
        """Tell that another model answers: at once, or when what is being answered has ended or that model speaks."""
        if self.current is None:
            self._outlet.emit(ModelNamed(self._outlet.now(), model, self.translator.session_id))
        else:
            self._next_model = model
            text = f"{model} takes over, at the latest with the next prompt."
            self._outlet.emit(Noticed(self._outlet.now(), "model", text[:LONGEST]))

    def take(self, message: Message) -> Message:
        """Tell what comes for the open turn; a result is returned with the figures of this turn alone."""
        for event in self._events(message):
            self._outlet.emit(event)
        if type(message).__name__ != "ResultMessage" or self.current is None:
            return message
        result: Any = message
        reading = self.current.reading = self.meter.read(result, self.translator.streamed.values())
        self.current.is_cut = self.current.is_cut or _is_aborted(result)
        return reading.own

    def take_background(self, message: Message) -> None:
        """Tell what the CLI does by itself. Its turns are turns of their own, unless one of ours is open already."""
        name = type(message).__name__
        is_result = name == "ResultMessage"
        if name == "SystemMessage" and cast(Any, message).subtype == "maverick_job_fired":
            self._announce(str(cast(Any, message).data["prompt"]))
            return
        if self.current is None and _is_late(name, message):
            return
        if self.current is None and (is_result or _is_content(name, message)):
            announced, self._announced = self._announced, ""
            self.begin(announced, origin="background").idle.clear()
        turn = self.current
        for event in self._events(message):
            if turn is not None or not isinstance(event, RequestStarted):
                self._outlet.emit(event)
        if not is_result or turn is None:
            return
        result: Any = message
        reading = self.meter.read(result, self.translator.streamed.values())
        if turn.origin != "background":
            turn.beside.append(reading)
            return
        turn.reading, turn.is_cut = reading, _is_aborted(result)
        if result.is_error and not turn.is_cut:
            from maverick_tui.agent.engine.claude.failures import result_failure

            turn.error = result_failure(result, None)
        self.end(turn)

    def _events(self, message: Message) -> list[Event]:
        """The events of a message; that the conversation is being compacted was told when somebody wanted it."""
        events = self.translator.feed(message, self._outlet.now())
        if self.current is not None and self.current.is_command:
            return [event for event in events if not (isinstance(event, Noticed) and event.kind == "compacting")]
        return events

    def _announce(self, prompt: str) -> None:
        """A job has come; what it says in an open turn of somebody else's is told in that one."""
        if self.current is None:
            self._announced = prompt
        else:
            self._outlet.emit(Noticed(self._outlet.now(), "job", f"{BY_ITSELF}: {prompt}"[:LONGEST]))

    def end_jobs(self) -> bool:
        """The CLI is gone, and its jobs with it; whether there were any."""
        events = self.translator.jobs.ended(self._outlet.now())
        for event in events:
            self._outlet.emit(event)
        return bool(events)

    def end_background(self, error: AgentError | None = None) -> None:
        """End an open turn of the CLI's own, since the CLI is gone: by an error, or because we have ended it."""
        turn = self.current
        if turn is not None and turn.origin == "background":
            turn.error, turn.is_cut = error, error is None
            self.end(turn)

    def end(self, turn: OpenTurn) -> None:
        """Close the turn, if it is the open one."""
        if turn is not self.current:
            return
        self.current = None
        turn.idle.set()
        outcome: Outcome = "interrupted" if turn.is_cut else "failed" if turn.error is not None else "done"
        failure: Failure | None = None
        if outcome == "failed" and turn.error is not None:
            failure = failure_of(turn.error, retry_at=self.translator.rejected_until)
        reading = turn.reading
        usage = self._usage(turn)
        self._outlet.emit(
            TurnEnded(
                self._outlet.now(),
                turn.number,
                outcome,
                usage,
                api_ms=reading.own.duration_api_ms if reading else 0,
                # The CLI's own number counts the results of tools as well.
                steps=len(self.translator.streamed) or (reading.own.num_turns if reading else 0),
                is_estimate=usage.cost_usd is None or bool(reading and reading.is_estimate),
                failure=failure,
            )
        )
        if self._next_model:
            model, self._next_model = self._next_model, ""
            self.change_model(model)
        self._on_change()

    def _usage(self, turn: OpenTurn) -> Usage:
        duration = round((self._outlet.now() - turn.began) * 1000)
        if turn.usage is not None:
            usage = usage_of(turn.usage, turn.reading.resumed_from if turn.reading else None)
        elif turn.reading is not None:
            usage = turn.reading.usage(self.translator.streamed.values(), duration)
        else:
            usage = Usage(duration_ms=max(0, duration))
        for reading in turn.beside:
            usage = added(usage, reading.usage((), 0))
        return usage


def _is_content(name: str, message: Any) -> bool:
    """Whether only a turn of the agent itself has such a message."""
    return name in ("StreamEvent", "AssistantMessage") and message.parent_tool_use_id is None


def _is_late(name: str, message: Any) -> bool:
    """Whether it is of an answer that has begun in a turn before, which was cut: nothing would end a turn for it."""
    is_own = name == "StreamEvent" and message.parent_tool_use_id is None
    return is_own and message.event.get("type") != "message_start"


def _is_aborted(result: Any) -> bool:
    return str(result.terminal_reason or "").startswith("aborted")
