"""Asker: asks the model for one turn, with retries, and keeps count of what that costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.executor import tracing
from maverick_tui.executor.activity import Activity, ContentChunk, ErrorOccurred, PartialOutput, Thinking
from maverick_tui.executor.calls import Calls
from maverick_tui.executor.model.failures import NO_RETRIES, with_retries
from maverick_tui.executor.model.messages import (
    Agent,
    CountsTokens,
    Delta,
    Message,
    Request,
    RequestConfig,
    Response,
    distinct_id,
    is_forced,
)
from maverick_tui.executor.model.pricing import Price, price_of
from maverick_tui.executor.model.tokens import Size, longest_answer, size_of, size_of_messages
from maverick_tui.executor.output import read_begun
from maverick_tui.executor.plan import Parts, Plan
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.suspension import Resumed
from maverick_tui.executor.tools import Tool
from maverick_tui.usage import Usage

_SELDOM = 20
"""An output is read again once it has grown by one part in so many: reading it at each chunk takes quadratic time."""


@dataclass(slots=True)
class AskedTurn:
    """The state of the turn in progress."""

    number: int
    text: list[str] = field(default_factory=list)
    has_thought: bool = False
    read: int = 0
    unread: int = 0
    """Characters already searched for an output, and those that have come since."""
    partial_output: Any = None
    coming: Usage = field(default_factory=Usage)
    """Of the answer that is arriving, as far as it has been reported."""
    spent: Usage = field(default_factory=Usage)
    """Of everything that was answered, including failed attempts."""
    release: Callable[[], None] | None = None
    """Gives back what was set aside for the request in progress."""
    named: set[str] = field(default_factory=set)
    """Ids given to calls while their answer was arriving."""
    calls: Calls | None = None
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Frame:
    """What the parts of one execution share."""

    parts: Parts
    plan: Plan
    spending: Spending
    emit: Callable[[Activity], None]
    parent: str
    """The call that it serves, if it is a subagent's."""
    call_ids: set[str]
    """The ids of all known calls, here and in other executions of the same tree."""
    resumed: Resumed | None


class Asker:
    """Asks the model for one execution. `check` is called before each attempt, and raises if it may not be made."""

    def __init__(self, frame: Frame, check: Callable[[], None]) -> None:
        self._parts, self._plan, self._spending = frame.parts, frame.plan, frame.spending
        self._emit, self._parent, self._call_ids = frame.emit, frame.parent, frame.call_ids
        self._check = check
        self._has_asked = frame.resumed is not None  # then it has its first answer
        self._known: tuple[int, int] | None = None
        """How many tokens the model has read and written so far, and in how many messages."""
        self.invocations = self.retries = 0
        self.seconds = 0.0

    async def measure(self, messages: Sequence[Message], tools: Iterable[Tool]) -> None:
        """Find out how much the next request gives the model to read, if a limit depends on it.

        The endpoint is only asked if the limits might be too tight; where it cannot count, an estimate is used.
        """
        spending, definition = self._spending, self._plan.definition
        if not spending.bounds_input:
            return
        config = RequestConfig(model=definition.model.model, thinking=definition.model.thinking)
        request = Request(tuple(messages), tuple(tools), config, self._plan.system, parent=self._parent)
        size = self._size(request)
        spending.next_input = size.most
        counted = None if self._fits() else await _counted(self._parts.model, request)
        spending.next_input = size.likely if counted is None else counted

    def _size(self, request: Request) -> Size:
        if self._known is not None:
            tokens, count = self._known
            return Size(tokens, tokens) + size_of_messages(request.messages[count:])
        around = getattr(self._parts.model, "tools_overhead", 0) if request.tools else 0
        return Size(around, around) + size_of(request)

    def _fits(self) -> bool:
        """Whether the limits leave room for the next request and the longest possible answer."""
        price = self._plan.price
        most, wanted = self._spending.most_output(price), self._longest_answer
        is_roomy = most is None or wanted is None or most >= wanted
        return is_roomy and self._spending.objection(price, beside_held=True) is None

    @property
    def _longest_answer(self) -> int | None:
        model = self._plan.definition.model
        return longest_answer(model.thinking or 0, model.max_tokens, getattr(self._parts.model, "max_tokens", None))

    async def ask(self, turn: AskedTurn, messages: Sequence[Message], tools: Iterable[Tool]) -> Response:
        """The answer; failures that may pass are retried."""
        plan = self._plan
        policy = plan.definition.run.retry

        def tell(error: AgentError, delay: float, attempt: int) -> None:
            self._spend(turn, turn.coming, plan.price, is_void=True)
            self._call_ids -= turn.named
            turn.named.clear()
            self._check()
            self.retries += 1
            turn.text.clear()
            turn.read, turn.unread, turn.partial_output = 0, 0, None
            turn.has_thought = False
            self._emit(ErrorOccurred(error, delay, attempt, policy.max_retries, self._parent))

        began = asyncio.get_running_loop().time()
        model = self._parts.model_of(plan.definition)
        about = {
            "operation.name": "chat",
            "provider.name": getattr(self._parts.model, "provider_name", None),
            "request.model": model or None,
        }
        with tracing.span(f"chat {model}".rstrip(), about, is_remote=True) as span:
            try:
                response = await with_retries(policy, lambda: self._attempt(turn, messages, tools), tell)
            finally:
                self.seconds += asyncio.get_running_loop().time() - began
            span.set(
                {
                    "response.model": response.model or None,
                    "response.id": response.id or None,
                    "response.finish_reasons": [response.stop_reason.value],
                    "usage.input_tokens": response.usage.all_input,
                    "usage.output_tokens": response.usage.output_tokens,
                }
            )
        self.invocations += 1
        self._spend(turn, response.usage, price_of(response.model) or plan.price)
        if response.usage.all_input:
            self._known = response.usage.total, len(messages) + bool(response.content or response.tool_calls)
        self._tell_unsaid(turn, response)
        turn.text.clear()
        return response

    def with_own_ids(self, turn: AskedTurn, response: Response) -> Response:
        """The answer, with an id for each call that no other call has, here or in a subagent: some endpoints start
        counting again with each answer. A model that streams has already asked for its ids, see `Request.own_id`.
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

    def give_up(self, turn: AskedTurn) -> str:
        """Count an answer that will never be complete; returns what it has said so far."""
        self._spend(turn, turn.coming, self._plan.price)
        return "".join(turn.text).rstrip()

    async def _attempt(self, turn: AskedTurn, messages: Sequence[Message], tools: Iterable[Tool]) -> Response:
        """Ask once, when the limits allow it: what others may still give back is waited for."""
        plan = self._plan
        self._check()
        while self._spending.objection(plan.price, beside_held=True):
            await self._spending.released()
            self._check()
        request = self._request(turn, messages, tools)
        turn.release = self._spending.hold(self._longest_answer, plan.price)
        return await self._parts.model.run(request)

    def _request(self, turn: AskedTurn, messages: Sequence[Message], tools: Iterable[Tool]) -> Request:
        definition = self._plan.definition
        seconds = definition.run.per_request.timeout_ms
        config = RequestConfig(
            max_tokens=definition.model.max_tokens,
            most_tokens=self._spending.most_output(self._plan.price),
            temperature=definition.model.temperature,
            model=definition.model.model,
            thinking=definition.model.thinking,
            top_p=definition.model.top_p,
            stop_sequences=definition.model.stop_sequences or None,
            tool_choice=self._tool_choice,
            timeout=None if seconds is None else seconds / 1000,
            retry=NO_RETRIES,  # the executor does the retrying
        )
        return Request(
            tuple(messages),
            tuple(tools),
            config,
            self._plan.system,
            listen=lambda delta: self._take(turn, delta),
            parent=self._parent,
            own_id=lambda wanted: self._own_id(turn, wanted),
        )

    @property
    def _tool_choice(self) -> str | None:
        wanted = self._plan.definition.model.tool_choice
        return None if (self.invocations or self._has_asked) and is_forced(wanted) else wanted

    def _own_id(self, turn: AskedTurn, wanted: str) -> str:
        own = distinct_id(wanted, self._call_ids)
        self._call_ids.add(own)
        turn.named.add(own)
        return own

    def _take(self, turn: AskedTurn, delta: Delta) -> None:
        if not turn.is_open:  # from a client that goes on after its answer, or did not stop when told to
            return
        if delta.usage is not None:
            turn.coming = delta.usage
        if delta.kind == "text" and delta.text:
            turn.text.append(delta.text)
            self._emit(ContentChunk(delta.text, self._parent))
            if self._plan.definition.output is not None and self._plan.definition.output.partial:
                self._tell_partial_output(turn, delta.text)
        elif delta.kind == "thinking" and delta.text:
            turn.has_thought = True
            self._emit(Thinking(delta.text, self._parent))

    def _tell_partial_output(self, turn: AskedTurn, more: str) -> None:
        turn.unread += len(more)
        if turn.unread * _SELDOM < turn.read:
            return
        text = "".join(turn.text)
        turn.read, turn.unread = len(text), 0
        output = read_begun(text)
        if output is not None and output != turn.partial_output:
            turn.partial_output = output
            self._emit(PartialOutput(output, self._parent))

    def _tell_unsaid(self, turn: AskedTurn, response: Response) -> None:
        """Emit an answer in one piece, if the model did not stream it."""
        if not turn.has_thought:
            for thought in response.thoughts:
                if thought.text:
                    self._emit(Thinking(thought.text, self._parent))
        if response.content and not turn.text:
            self._emit(ContentChunk(response.content, self._parent))

    def _spend(self, turn: AskedTurn, usage: Usage, price: Price | None, *, is_void: bool = False) -> None:
        turn.coming = Usage()
        if turn.release is not None:
            turn.release()
            turn.release = None
        if usage != Usage():
            turn.spent += usage
            self._spending.add(usage, price.of(usage) if price is not None else None, is_void=is_void)


async def _counted(model: Agent, request: Request) -> int | None:
    """How much the request gives the model to read, as its endpoint counts it; None if it cannot count."""
    return await model.count_tokens(request) if isinstance(model, CountsTokens) else None
