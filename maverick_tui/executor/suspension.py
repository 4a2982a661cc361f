"""Suspension: an execution that waits for decisions about calls, as JSON, to be resumed in any process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json, to_jsonable_python

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.messages import Message, ToolCall, Usage
from maverick_tui.masking.redact import redact, redact_data

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Suspension:
    """Where an execution stands: the conversation up to the calls, those that have an answer, and those that wait.

    What it has used counts towards its limits when it goes on.
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
    """How long it has worked; the time that it waits is not counted."""
    handed_in: tuple[Any] | None = None
    """What a tool beside the waiting calls has returned to end the execution, which it does once they are made."""
    masked: tuple[str, ...] = ()
    """Waiting calls whose arguments held a secret, which is not kept: they need new arguments to be made."""
    version: int = _VERSION

    def to_json(self) -> str:
        """The state to be stored, without secrets: where one stood, in a result or an argument, it says so."""
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
        """The state that `to_json` gave; anything else is a `ConfigError`."""
        try:
            made: Suspension = _adapter().validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ConfigError(
                f"The state of a suspended execution cannot be read: {where}: {first['msg']}.",
                hint="Give what Suspension.to_json() gave.",
            ) from error
        if made.version != _VERSION:
            raise ConfigError(
                f"The state of a suspended execution has version {made.version}, {_VERSION} can be read.",
                hint="Resume it with the version that has written it.",
            )
        return made


@cache
def _adapter() -> TypeAdapter[Suspension]:
    return TypeAdapter(Suspension)


def _clean_message(message: Message) -> Message:
    return replace(
        message,
        content=redact(message.content),
        tool_calls=tuple(map(_clean_call, message.tool_calls)),
        # One that is not as it was would be refused, by its signature.
        thoughts=tuple(thought for thought in message.thoughts if redact(thought.text) == thought.text),
    )


def _clean_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments=redact_data(call.arguments), invalid=redact(call.invalid))
