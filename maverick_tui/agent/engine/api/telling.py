"""Telling: what the executor and its model do, told as the events of a run."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from maverick_tui.agent.engine.outputs import cut_text
from maverick_tui.agent.engine.prices import context_size, estimate
from maverick_tui.agent.engines import Listener, hold_of
from maverick_tui.agent.streaming import Heard
from maverick_tui.events import kinds as ev
from maverick_tui.executor.activity import Activity, ErrorOccurred, ToolCallFinished
from maverick_tui.executor.calls import as_text
from maverick_tui.executor.limits import LimitError
from maverick_tui.executor.model.messages import (
    Agent,
    CountsTokens,
    Delta,
    Request,
    Response,
    Role,
    TakesTime,
    ToolCall,
)
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult
from maverick_tui.usage import Usage


class Telling(Agent):
    """Stands between the executor and its model, and tells the listener what both of them do for one prompt."""

    def __init__(self, agent: Agent, listener: Listener, model: str | None = None) -> None:
        self.model = model or str(getattr(agent, "model", ""))
        self.provider_name = str(getattr(agent, "provider_name", ""))
        self.max_tokens: int | None = getattr(agent, "max_tokens", None)
        self.tools_overhead = int(getattr(agent, "tools_overhead", 0))
        self.heard = Heard()
        self.other_model = ""
        """The model that was chosen while this prompt was being answered."""
        self._agent = agent
        self._listener = listener
        self._reported: set[str] = set()
        self._stream = _Stream(self)

    # -- the model --------------------------------------------------------------------------------------------------

    async def run(self, request: Request) -> Response:
        """Ask the model, and tell the answer as it comes."""
        if (hold := hold_of(self._listener)) is not None and (why := await hold("")):
            raise LimitError(why, hint="Ask again, and give it more.")
        if self.other_model:
            request = replace(request, config=replace(request.config, model=self.other_model))
        listen = request.listen
        stream = None if request.parent else self._stream

        def both(delta: Delta) -> None:
            if listen is not None:
                listen(delta)
            if stream is not None:
                stream.take(delta)

        if stream is not None:
            self.tell(ev.RequestStarted(self.now()))
        response = await self._agent.run(replace(request, listen=both))
        if stream is None or not stream.end(response.tool_calls):  # a subagent, or a model that does not stream
            self._tell_whole(response, request.parent)
        return response

    @property
    def is_ready(self) -> bool:
        """Whether the model can be asked at once."""
        return not isinstance(self._agent, TakesTime) or self._agent.is_ready

    async def get_ready(self) -> None:
        """Have the model do what takes a while."""
        if isinstance(self._agent, TakesTime):
            await self._agent.get_ready()

    async def count_tokens(self, request: Request) -> int | None:
        """As the model's endpoint counts; None if it does not."""
        return await self._agent.count_tokens(request) if isinstance(self._agent, CountsTokens) else None

    def _tell_whole(self, response: Response, parent: str) -> None:
        for thought in response.thoughts:
            self._tell_text("thinking", thought.text, parent)
        self._tell_text("text", response.content, parent)
        for call in response.tool_calls:
            self.tell(ev.ToolCalled(self.now(), call.id, call.tool_name, call.arguments, parent))
        # Behind the text: what is written before is guessed until it is reported.
        self.report(_new_id(), response.usage, response.model, parent)

    def _tell_text(self, kind: ev.BlockKind, text: str, parent: str = "") -> None:
        if text.strip():
            for event in ev.whole_block(self.next_block(), kind, text, self.now(), parent):
                self.tell(event)

    # -- the executor -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Tell which model answers."""
        self.tell(ev.ModelNamed(self.now(), self.model, context_size=context_size(self.model)))

    def take(self, event: Activity) -> None:
        """Tell of tools that have answered and of calls that are tried again; the rest the model's side tells."""
        if isinstance(event, ToolCallFinished):
            self.tell(ev.ToolFinished(self.now(), event.tool_call_id, cut_text(event.result), event.is_error))
        elif isinstance(event, ErrorOccurred) and event.retry_in is not None:
            status = getattr(event.error, "status", None)
            self.tell(
                ev.RetryScheduled(
                    self.now(),
                    event.attempt,
                    event.limit,
                    event.retry_in,
                    status if isinstance(status, int) else None,
                    event.error.message,
                )
            )

    def end(self, result: ExecutionResult[Any]) -> None:
        """Tell what a tool has returned that has ended the work: that is the answer."""
        is_handed_in = bool(result.messages) and result.messages[-1].role is Role.TOOL_RESULT
        text = as_text(result.output) if result.output is not None and is_handed_in else ""
        if text and text != result.raw_content and result.error is None:
            self._tell_text("text", text)

    # -- telling ----------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """How often the model was asked, and answered."""
        return len(self._reported)

    def now(self) -> float:
        """The time of an event."""
        return self._listener.now()

    def next_block(self) -> int:
        """The number of a new block."""
        return self._listener.next_block()

    def tell(self, event: ev.Event) -> None:
        """Pass an event on."""
        self.heard.take(event)
        self._listener.tell(event)

    def name(self, model: str) -> None:
        """Tell that another model answers than the one that was named last."""
        if model and model != self.model:
            self.model = model
            self.tell(ev.ModelNamed(self.now(), model, context_size=context_size(model)))

    def report(self, message: str, usage: Usage, model: str = "", parent: str = "") -> None:
        """Tell what an answer has used until now."""
        if not parent:
            self._reported.add(message)
        cost = estimate(model or self.model, usage)
        self.tell(ev.UsageReported(self.now(), message, *usage.tokens, parent, cost))


@dataclass(slots=True)
class _Block:
    number: int
    kind: ev.BlockKind
    call: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)


class _Stream:
    """The agent's own answer while it comes. Text and calls are whole at its end: until then a retry can undo them."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._blocks: dict[int, _Block] = {}
        self._ended: set[int] = set()
        self._message = ""

    def take(self, delta: Delta) -> None:
        if delta.kind == "start":
            self._restart()
            self._message = _new_id()
            self._telling.name(delta.text)
            self._report(delta)
        elif delta.kind == "usage":
            self._report(delta)
        elif delta.kind == "text":
            self._grow(delta, "text")
        elif delta.kind == "thinking":
            self._grow(delta, "thinking")
        elif delta.kind == "tool":
            self._start(delta.index, "tool", delta.id, delta.text)
        elif delta.kind == "arguments":
            self._grow(delta, "tool")
        elif delta.kind == "end" and (block := self._blocks.get(delta.index)) and block.kind == "thinking":
            self._end(delta.index)  # its time is shown

    def end(self, calls: Sequence[ToolCall]) -> bool:
        """The answer is whole, and these are its calls; whether there was anything of it."""
        wanted = {call.id: call.arguments for call in calls}  # which need not have come in pieces
        for index, block in sorted(self._blocks.items()):
            if index in self._ended:
                continue
            if block.kind == "tool":
                arguments = wanted.get(block.call, {})
                called = ev.ToolCalled(self._telling.now(), block.call, block.name, arguments, block=block.number)
                self._telling.tell(called)
            self._end(index)
        had_any = bool(self._blocks)
        self._blocks.clear()
        self._ended.clear()
        return had_any

    def _restart(self) -> None:
        """What has come until now is void."""
        if set(self._blocks) - self._ended:
            self._telling.tell(ev.ReplyRestarted(self._telling.now()))
        self._blocks.clear()
        self._ended.clear()

    def _start(self, index: int, kind: ev.BlockKind, call: str = "", name: str = "") -> None:
        block = self._blocks[index] = _Block(self._telling.next_block(), kind, call, name)
        self._telling.tell(ev.BlockStarted(self._telling.now(), block.number, kind, name=name, call=call))

    def _grow(self, delta: Delta, kind: ev.BlockKind) -> None:
        if delta.index not in self._blocks:
            self._start(delta.index, kind)
        block = self._blocks[delta.index]
        block.parts.append(delta.text)
        self._telling.tell(ev.BlockGrew(self._telling.now(), block.number, delta.text))

    def _end(self, index: int) -> None:
        self._ended.add(index)
        self._telling.tell(ev.BlockEnded(self._telling.now(), self._blocks[index].number))

    def _report(self, delta: Delta) -> None:
        self._telling.report(self._message, delta.usage or Usage())


def _new_id() -> str:
    """The id of an answer: endpoints may call all of theirs the same, or nothing."""
    return uuid.uuid4().hex


def usage_of(metrics: ExecutionMetrics) -> Usage:
    """What an execution has used."""
    return replace(metrics.usage, cost_usd=metrics.cost_usd, duration_ms=round(metrics.duration_ms))
