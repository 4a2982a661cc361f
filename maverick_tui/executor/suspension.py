"""Suspension: an execution that is waiting for decisions about calls, as JSON, to be resumed in any process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json, to_jsonable_python

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.calls import Approve, Verdict
from maverick_tui.executor.definition import AgentDefinition
from maverick_tui.executor.model.messages import Message, Role, ToolCall
from maverick_tui.executor.plan import Plan
from maverick_tui.executor.spending import Spending
from maverick_tui.executor.tools import Tool
from maverick_tui.masking.redact import redact, redact_data
from maverick_tui.shown import located
from maverick_tui.usage import Usage

_VERSION = 1
_MASKED = "This call cannot be made: its arguments contained a secret, which was not kept. Make it again."


@dataclass(frozen=True, slots=True)
class Suspension:
    """Where an execution stands: the conversation up to the calls, the answers so far, and the calls that are waiting.

    What it has used counts towards its limits when it continues.
    """

    agent: str
    messages: tuple[Message, ...]
    answers: tuple[Message, ...]
    pending: tuple[ToolCall, ...]
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    tool_calls: int = 0
    turns: int = 0
    repairs: int = 0
    duration_ms: float = 0.0
    """How long it has worked; the time it spends waiting is not counted."""
    handed_in: tuple[Any] | None = None
    """What another tool of the turn returned to end the execution, which it does once the waiting calls are made."""
    masked: tuple[str, ...] = ()
    """Waiting calls whose arguments contained a secret, which is not kept: they need new arguments."""
    version: int = _VERSION

    def to_json(self) -> str:
        """The state to be stored, without secrets: where there was one, in a result or an argument, a mask says so."""
        pending = tuple(map(_clean_call, self.pending))
        changed = {old.id for old, new in zip(self.pending, pending, strict=True) if old != new}
        clean = replace(
            self,
            messages=tuple(map(_clean_message, self.messages)),
            answers=tuple(map(_clean_message, self.answers)),
            pending=pending,
            handed_in=None if self.handed_in is None else (redact_data(to_jsonable_python(self.handed_in[0])),),
            masked=tuple(sorted({*self.masked, *changed})),
        )
        return to_json(clean).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Suspension:
        """The state that `to_json` returned; anything else is a `ConfigError`."""
        try:
            made: Suspension = _adapter().validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(
                f"The state of a suspended execution cannot be read: {located(first['loc'], first['msg'])}.",
                hint="Pass what Suspension.to_json() returned.",
            ) from error
        if made.version != _VERSION:
            raise ConfigError(
                f"The state of a suspended execution has version {made.version}, but only {_VERSION} can be read.",
                hint="Resume it with the version that wrote it.",
            )
        return made


@dataclass(frozen=True, slots=True)
class Resumed:
    """A suspended execution that continues; `approve` is asked about calls that `decisions` leave out."""

    suspension: Suspension
    decisions: Mapping[str, Verdict] = field(default_factory=dict)

    def check(self, definition: AgentDefinition) -> None:
        """Refuse another agent's state, one in which nothing waits, and decisions about calls that are not waiting."""
        if self.suspension.agent != definition.name:
            raise ConfigError(
                f"The suspended execution is one of {self.suspension.agent!r}, not of {definition.name!r}.",
                hint="Resume it with the definition that it was started with.",
            )
        waiting = {call.id for call in self.suspension.pending}
        asked = self.suspension.messages[-1].tool_calls if self.suspension.messages else ()
        if not waiting or waiting - {call.id for call in asked}:
            raise ConfigError(
                "The state of a suspended execution does not end with waiting calls.",
                hint="Pass what Suspension.to_json() returned.",
            )
        if strange := sorted(set(self.decisions) - waiting):
            raise ConfigError(
                f"No call {', '.join(map(repr, strange))} is waiting for a decision.",
                hint=f"Waiting: {', '.join(sorted(waiting))}.",
            )

    def spending(self, plan: Plan) -> Spending:
        """What was used before, which counts towards the limits, too."""
        before = self.suspension
        return Spending(
            plan.definition.run,
            usage=before.usage,
            known_cost=before.cost_usd or 0.0,
            tool_calls=before.tool_calls,
        )

    def decide(self, approve: Approve | None) -> Approve:
        """Goes by what was decided, and asks `approve` about anything else."""

        async def decided(tool: Tool, call: ToolCall) -> Verdict:
            verdict = self.decisions.get(call.id)
            if verdict is None and approve is not None:
                verdict = await approve(tool, call)
            elif verdict is None:  # what was waiting for a decision goes on waiting
                verdict = Verdict(suspends=any(call.id == one.id for one in self.suspension.pending))
            is_masked = call.id in self.suspension.masked and verdict.arguments is None
            return Verdict(_MASKED) if is_masked and not verdict.refusal and not verdict.suspends else verdict

        return decided

    @property
    def turns_over(self) -> int:
        """Turns that were finished before; the one whose calls were waiting continues."""
        return max(0, self.suspension.turns - 1)

    def together_with(self, here: Suspension) -> Suspension:
        """The state of an execution that waits once more, including what it had used before."""
        before = self.suspension
        waiting = {call.id for call in here.pending}
        costs = (here.cost_usd, before.cost_usd)
        return replace(
            here,
            usage=here.usage + before.usage,
            cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
            tool_calls=here.tool_calls + before.tool_calls,
            turns=here.turns + self.turns_over,
            duration_ms=here.duration_ms + before.duration_ms,
            masked=tuple(one for one in before.masked if one in waiting),
        )


def at_calls(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The conversation up to the calls in progress, and the answers to them so far."""
    asked = _last_asked(messages)
    return tuple(messages[: asked + 1]), tuple(messages[asked + 1 :])


def add_answers(messages: list[Message], answers: Sequence[Message]) -> None:
    """Add answers to those that are there for the same turn, in the order of its calls."""
    asked = _last_asked(messages)
    order = {call.id: number for number, call in enumerate(messages[asked].tool_calls)}
    together = [*messages[asked + 1 :], *answers]
    messages[asked + 1 :] = sorted(together, key=lambda answer: order[answer.tool_call_id])


def _last_asked(messages: Sequence[Message]) -> int:
    """The position of the message whose calls are in progress."""
    return max(number for number, message in enumerate(messages) if message.role is Role.ASSISTANT)


@cache
def _adapter() -> TypeAdapter[Suspension]:
    return TypeAdapter(Suspension)


def _clean_message(message: Message) -> Message:
    return replace(
        message,
        content=redact(message.content),
        tool_calls=tuple(map(_clean_call, message.tool_calls)),
        # A changed one would no longer match its signature, and be rejected.
        thoughts=tuple(thought for thought in message.thoughts if redact(thought.text) == thought.text),
    )


def _clean_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments=redact_data(call.arguments), invalid=redact(call.invalid))
