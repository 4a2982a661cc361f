"""The result of an execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.definition import T
from maverick_tui.executor.model.messages import Message
from maverick_tui.executor.suspension import Suspension
from maverick_tui.usage import Usage


class TerminateReason(StrEnum):
    """Why an execution ended."""

    COMPLETE = "complete"
    MAX_TURNS = "max_turns"
    TIMEOUT = "timeout"
    ERROR = "error"
    CANCELLED = "cancelled"
    BUDGET = "budget"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True)
class ExecutionMetrics:
    """What an execution has used; `subagents` has what each call of one has used, by call id.

    Tokens, cost, invocations, retries and tool calls include those of its subagents; turns and `model_ms` are its own.
    """

    total_input_tokens: int = 0
    total_output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    invocations: int = 0
    """How often a model was asked and answered."""
    retries: int = 0
    tool_calls: int = 0
    turns: int = 0
    cost_usd: float | None = None
    """At list prices, so an estimate; None if the price of a model is unknown."""
    duration_ms: float = 0.0
    model_ms: float = 0.0
    """How long it waited for the model, including retries."""
    subagents: Mapping[str, ExecutionMetrics] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        """The tokens."""
        return Usage(self.total_input_tokens, self.total_output_tokens, self.cache_read_tokens, self.cache_write_tokens)


@dataclass(frozen=True, slots=True)
class ExecutionResult(Generic[T]):
    """The outcome of an execution. Whatever ended it, everything said until then is kept.

    `output` is the answer, typed if the definition has an output schema. If it does not fit the schema, it is None,
    `output_valid` is False, `output_errors` says what is wrong, and the text is in `raw_content`.
    """

    success: bool
    terminate_reason: TerminateReason
    raw_content: str = ""
    output: T | None = None
    output_valid: bool | None = None
    """None if there was nothing to check."""
    output_errors: tuple[str, ...] = ()
    error: AgentError | None = None
    turn_count: int = 0
    messages: tuple[Message, ...] = ()
    metrics: ExecutionMetrics = ExecutionMetrics()
    trace_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    suspension: Suspension | None = None
    """Where it stands, if it is waiting for decisions: see `AgentExecutor.resume`."""
